package arm64

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/sha1dc/go/gen/asm"
	"github.com/sha1dc/go/internal/plan"
)

// filter is the NEON filter of one block: straight-line code that reads the
// expanded message of a slot, four words at a time, and leaves the vectors kept
// in the slot's mask. It has one part, or a second one for the blocks that the
// first keeps for any vector. W[t] is the word t of the slot, and a part ends with
// a store of the mask at slotMask. Of the vector registers it uses the whole, with
// FMOVQ, VCMTST, VEOR, VAND, VORR, VORN (encoded as a word), VBIT and, from halves
// to general registers, VMOV.
//
// VCMTST spreads a tested bit over its lane. VBIT then moves it to the places of
// the lane's vectors in a sum, which is one instruction less than to select the
// vectors and to or them, but replaces what was there: it is for vectors that no
// group before has had in the same lane of the sum. There are several sums, so
// this is rare to fail.
type filter struct {
	parts [][]group
	rows  []uint32 // of the table: the tested bits, each in all lanes, and the masks of the groups' lanes

	table   R    // address of rows
	bases   [4]R // addresses of the words 0 to 3 of the block
	result  [2]R
	broken  []V       // sums of the vectors dismissed where bits differ
	equal   []V       // sums that lack the vectors dismissed where bits are equal
	bits    map[int]V // tested bits, by position, those with a register of their own
	bitRows map[int]int
	free    []V // for intermediate values
}

// group is a group of the plan as the filter tests it.
type group struct {
	*plan.Group
	spread bool // spread both bits over their lanes before they are compared
	row    int  // offset of the lanes' masks in the table
	sum    V
	use    use
}

// use is how a group's vectors get into a sum.
type use int

const (
	begins use = iota // the sum has had none before
	apart             // the sum has had others, in each lane
	shared            // the sum has had some of them in the same lane
)

// The numbers of registers that the sums and the tested bits have, and the least
// number for all else.
const (
	brokenSums = 2
	equalSums  = 2
	bitsKept   = 4
	leastFree  = 4
)

// newFilter returns the filter of p, with so many groups in the first part. It
// takes the registers that it needs, and all vector registers that are left for
// intermediate values.
func newFilter(p *plan.Plan, firstPart int, a *registers) (*filter, error) {
	f := &filter{
		result: [2]R{a.R(), a.R()}, bases: [4]R{a.R(), a.R(), a.R(), a.R()}, table: a.R(),
		broken: a.Vs(brokenSums), equal: a.Vs(equalSums),
		bits: make(map[int]V), bitRows: make(map[int]int),
	}
	var groups []group
	for n := range p.Groups {
		g := &p.Groups[n]
		if g.Shape != plan.Uniform {
			return nil, fmt.Errorf("group %d has shape %v, the NEON filter has only %v", n+1, g.Shape, plan.Uniform)
		}
		groups = append(groups, group{Group: g})
	}
	f.parts = [][]group{groups}
	if firstPart < len(groups) {
		f.parts = [][]group{groups[:firstPart], groups[firstPart:]}
	}
	for _, part := range f.parts {
		f.chooseSums(part)
		chooseSpread(part)
	}
	uses := f.bitUses()
	var positions []int
	for position := range 32 {
		if uses[position] > 0 {
			positions = append(positions, position)
			f.bitRows[position] = 4 * len(f.rows)
			for range 4 {
				f.rows = append(f.rows, 1<<position)
			}
		}
	}
	slices.SortStableFunc(positions, func(a, b int) int { return cmp.Compare(uses[b], uses[a]) })
	for _, position := range positions[:min(bitsKept, len(positions))] {
		f.bits[position] = a.V()
	}
	for n := range groups { // the parts share its memory
		g := &groups[n]
		g.row = 4 * len(f.rows)
		for _, l := range g.Lanes {
			f.rows = append(f.rows, uint32(l.DVs))
		}
	}
	if f.free, a.vector = a.vector, nil; len(f.free) < leastFree {
		return nil, fmt.Errorf("%d vector registers are left for the filter, want %d", len(f.free), leastFree)
	}
	return f, nil
}

// chooseSums gives each group a sum, and sorts the groups by their windows, but
// those last that share vectors with others. Groups with few vectors choose
// first, since they have most room beside others.
func (f *filter) chooseSums(groups []group) {
	size := func(g group) (n int) {
		for _, l := range g.Lanes {
			n += bits.OnesCount32(uint32(l.DVs))
		}
		return n
	}
	slices.SortStableFunc(groups, func(g, h group) int { return cmp.Compare(size(g), size(h)) })
	had := make(map[V][]uint32)
	for n := range groups {
		g := &groups[n]
		sums := f.broken
		if g.C != 0 {
			sums = f.equal
		}
		free := slices.IndexFunc(sums, func(v V) bool {
			for lane, old := range had[v] {
				if old&uint32(g.Lanes[lane].DVs) != 0 {
					return false
				}
			}
			return true
		})
		g.sum, g.use = sums[max(free, 0)], apart
		if free < 0 {
			g.use = shared
		}
		if had[g.sum] == nil {
			had[g.sum] = make([]uint32, len(g.Lanes))
		}
		for lane, l := range g.Lanes {
			had[g.sum][lane] |= uint32(l.DVs)
		}
	}
	slices.SortStableFunc(groups, func(g, h group) int {
		return cmp.Or(cmp.Compare(g.use, h.use), cmp.Compare(g.Start, h.Start), cmp.Compare(g.Gap, h.Gap))
	})
	started := make(map[V]bool)
	for n := range groups {
		if g := &groups[n]; !started[g.sum] {
			started[g.sum], g.use = true, begins
		}
	}
}

// chooseSpread decides which groups spread both bits: those that would have to
// shift one of the words, and those that find a spread bit so.
func chooseSpread(groups []group) {
	spread := make(map[key]bool)
	for n := range groups {
		g := &groups[n]
		if g.spread = g.Shifted(); g.spread {
			for _, key := range g.keys() {
				spread[key] = true
			}
		}
	}
	for n := range groups {
		g := &groups[n]
		if !g.spread {
			g.spread = true
			keys := g.keys()
			g.spread = spread[keys[0]] || spread[keys[1]]
		}
	}
}

// bitUses returns how often each bit is tested.
func (f *filter) bitUses() map[int]int {
	uses := make(map[int]int)
	for _, g := range slices.Concat(f.parts...) {
		uses[g.A]++
		if g.spread {
			uses[g.B]++
		}
	}
	return uses
}

// key stands for a value that groups may share: a window of words; the same with
// one bit spread over the lanes; the differences of two windows.
type key struct {
	start int
	bit   int // spread, or none
	gap   int // to the other window, or none
}

const none = -1

// keys returns the values that the group uses, each after those that it is made
// of.
func (g *group) keys() []key {
	if g.spread {
		return []key{{g.Start, g.A, none}, {g.Start + g.Gap, g.B, none}}
	}
	return []key{{g.Start, none, none}, {g.Start + g.Gap, none, none}, {g.Start, none, g.Gap}}
}

// load returns what fills the registers that the filter keeps, from rows of the
// table.
func (f *filter) load(rows int) *stream {
	var out stream
	for position := range 32 {
		if v, ok := f.bits[position]; ok {
			out.loadV(f.table, rows+f.bitRows[position], v)
		}
	}
	return &out
}

// filtering is a part of a filter under construction.
type filtering struct {
	stream
	*filter
	*asm.Cache[key, V]
	groups []group
	rows   int
}

// filter returns a part of the filter, for the block in the slot at slot+offset.
// The rows are at rows of the table. The first part leaves the mask of the
// vectors that it keeps in the slot, the second one takes others away from it.
func (f *filter) filter(part int, slot R, offset, rows int) *stream {
	groups := f.parts[part]
	var uses [][]key
	for n := range groups {
		uses = append(uses, groups[n].keys())
	}
	s := &filtering{filter: f, Cache: asm.NewCache(f.free, uses), groups: groups, rows: rows}
	for n, base := range f.bases {
		s.addConstant(offset+4*n, slot, base)
	}
	for step := range groups {
		g := &groups[step]
		var x V
		if keys := g.keys(); g.spread {
			first, second := s.value(keys[0]), s.value(keys[1])
			x = s.Take()
			s.veor(first, second, x)
		} else {
			differences := s.value(keys[2])
			x = s.Take()
			s.test(differences, g.A, x)
		}
		s.Done(step)
		s.dismiss(g, x)
		s.Return(x)
	}
	s.fold()
	if part > 0 {
		s.loadW(s.bases[0], slotMask, s.result[1])
		s.and(s.result[0], s.result[1], s.result[0])
	}
	s.storeW(s.result[0], s.bases[0], slotMask)
	return &s.stream
}

// value returns the register of a value that groups share.
func (s *filtering) value(k key) V {
	if k.gap != none {
		if v, ok := s.Held(k); ok {
			return v
		}
		first, second := s.value(key{k.start, none, none}), s.value(key{k.start + k.gap, none, none})
		v, _ := s.Value(k)
		s.veor(first, second, v)
		return v
	}
	v, fill := s.Value(k)
	if fill {
		s.loadV(s.bases[k.start%4], slotLayout.Word(k.start-k.start%4), v)
		if k.bit != none {
			s.test(v, k.bit, v)
		}
	}
	return v
}

// test leaves in d ones in the lanes of a that have the bit, and zeros in the
// others.
func (s *filtering) test(a V, bit int, d V) {
	b, ok := s.bits[bit]
	if !ok {
		b = s.Take()
		s.loadV(s.table, s.rows+s.bitRows[bit], b)
		s.Return(b)
	}
	s.vcmtst(a, b, d)
}

// dismiss dismisses the vectors of the lanes where x, which says where the bits
// differ, shows that the group's equation does not hold.
func (s *filtering) dismiss(g *group, x V) {
	mask := s.Take()
	s.loadV(s.table, s.rows+g.row, mask)
	switch {
	case g.use == begins && g.C == 0:
		s.vand(x, mask, g.sum)
	case g.use == begins:
		s.vorn(mask, x, g.sum)
	case g.use == apart:
		s.vbit(mask, x, g.sum)
	case g.C == 0:
		s.vand(x, mask, mask)
		s.vorr(mask, g.sum, g.sum)
	default:
		s.vorn(mask, x, mask)
		s.vand(mask, g.sum, g.sum)
	}
	s.Return(mask)
}

// fold ors the lanes of all sums together and leaves the vectors kept in the
// first register for the result.
func (s *filtering) fold() {
	combine := func(sums []V, and func(a, b, d V)) (sum V, ok bool) {
		for _, v := range sums {
			used := slices.ContainsFunc(s.groups, func(g group) bool { return g.sum == v })
			if used && ok {
				and(v, sum, sum)
			} else if used {
				sum, ok = v, true
			}
		}
		return sum, ok
	}
	d, ok := combine(s.broken, s.vorr)
	e, both := combine(s.equal, s.vand)
	switch {
	case !ok:
		s.fail("no group of the plan has bits that must be equal")
	case both:
		s.vorn(e, d, d)
	}
	r := s.result
	s.vmovD(d, 0, r[0])
	s.vmovD(d, 1, r[1])
	s.orr(r[0], r[1], r[0])
	s.orrShifted(r[0], 32, r[0], r[0])
	s.mvnW(r[0], r[0])
}
