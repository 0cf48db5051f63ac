package arm64

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sha1dc/go/gen/asm"
	"github.com/sha1dc/go/internal/plan"
)

// filter is the NEON filter of one block: straight-line code that reads the
// expanded message of a slot, four words at a time, and leaves the vectors kept
// in the slot's mask.
//
// VCMTST spreads a tested bit over its lane. VBIT then moves it to the places of
// the lane's vectors in a sum, which is one instruction less than to select the
// vectors and to or them, but replaces what was there: it is for vectors that no
// group before has had in the same lane of the sum. There are several sums, so
// this is rare to fail.
type filter struct {
	groups []group
	rows   []uint32 // of the table: the tested bits, each in all lanes, and the masks of the groups' lanes

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
}

// The numbers of registers that the sums and the tested bits have, and the least
// number for all else.
const (
	brokenSums = 3
	equalSums  = 2
	bitsKept   = 4
	leastFree  = 4
)

// newFilter returns the filter of p. It takes the registers that it needs, and
// all vector registers that are left for intermediate values.
func newFilter(p *plan.Plan, a *registers) (*filter, error) {
	f := &filter{
		result: [2]R{a.R(), a.R()}, bases: [4]R{a.R(), a.R(), a.R(), a.R()}, table: a.R(),
		broken: a.Vs(brokenSums), equal: a.Vs(equalSums),
		bits: make(map[int]V), bitRows: make(map[int]int),
	}
	for n := range p.Groups {
		g := &p.Groups[n]
		if g.Shape != plan.Uniform {
			return nil, fmt.Errorf("group %d has shape %v, the NEON filter has only %v", n+1, g.Shape, plan.Uniform)
		}
		f.groups = append(f.groups, group{Group: g})
	}
	slices.SortStableFunc(f.groups, func(g, h group) int {
		return cmp.Or(cmp.Compare(g.Start, h.Start), cmp.Compare(g.Gap, h.Gap))
	})
	f.chooseSpread()
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
	for n := range f.groups {
		g := &f.groups[n]
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

// chooseSpread decides which groups spread both bits: those that would have to
// shift one of the words, and those that find a spread bit so.
func (f *filter) chooseSpread() {
	spread := make(map[int]bool)
	for n := range f.groups {
		g := &f.groups[n]
		if g.spread = g.Shifted(); g.spread {
			for _, key := range g.keys() {
				spread[key] = true
			}
		}
	}
	for n := range f.groups {
		g := &f.groups[n]
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
	for _, g := range f.groups {
		uses[g.A]++
		if g.spread {
			uses[g.B]++
		}
	}
	return uses
}

// The keys of values that groups share: a window of words, or one of their bits,
// spread over the lanes.
const (
	keysPerWindow = 33
	words         = 32
)

// keys returns the values that the group compares.
func (g *group) keys() []int {
	first, second := words, words
	if g.spread {
		first, second = g.A, g.B
	}
	return []int{g.Start*keysPerWindow + first, (g.Start+g.Gap)*keysPerWindow + second}
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

// filtering is a filter under construction.
type filtering struct {
	stream
	*filter
	*asm.Cache[V]
	rows int
	sums map[V]*sum
}

// sum is the vectors that a register has had so far, by lane.
type sum [4]uint32

// filter returns the filter of the block in the slot at slot+offset. The rows
// are at rows of the table. It leaves the mask of the vectors kept in the slot.
func (f *filter) filter(slot R, offset, rows int) *stream {
	var uses [][]int
	for n := range f.groups {
		uses = append(uses, f.groups[n].keys())
	}
	s := &filtering{filter: f, Cache: asm.NewCache(f.free, uses), rows: rows, sums: make(map[V]*sum)}
	for n, base := range f.bases {
		s.addConstant(offset+4*n, slot, base)
	}
	for step := range f.groups {
		g := &f.groups[step]
		keys := g.keys()
		first, second := s.value(keys[0]), s.value(keys[1])
		x := s.Take()
		s.veor(first, second, x)
		s.Done(step)
		if !g.spread {
			s.test(x, g.A, x)
		}
		s.sum(g, x)
		s.Return(x)
	}
	s.fold()
	return &s.stream
}

// value returns the register of a value that groups share.
func (s *filtering) value(key int) V {
	v, fill := s.Value(key)
	if fill {
		start := key / keysPerWindow
		s.loadV(s.bases[start%4], slotLayout.Word(start-start%4), v)
		if bit := key % keysPerWindow; bit != words {
			s.test(v, bit, v)
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

// sum dismisses the vectors of the lanes where x, which says where the bits
// differ, shows that the group's equation does not hold.
func (s *filtering) sum(g *group, x V) {
	mask := s.Take()
	s.loadV(s.table, s.rows+g.row, mask)
	defer s.Return(mask)
	candidates := s.broken
	if g.C != 0 {
		candidates = s.equal
	}
	var lanes sum
	for n, l := range g.Lanes {
		lanes[n] = uint32(l.DVs)
	}
	for _, d := range candidates {
		old := s.sums[d]
		if old == nil {
			s.sums[d] = &lanes
			if g.C == 0 {
				s.vand(x, mask, d)
			} else {
				s.vorn(mask, x, d)
			}
			return
		}
		if !old.meets(&lanes) {
			old.add(&lanes)
			s.vbit(mask, x, d)
			return
		}
	}
	d := candidates[0]
	s.sums[d].add(&lanes)
	if g.C == 0 {
		s.vand(x, mask, mask)
		s.vorr(mask, d, d)
	} else {
		s.vorn(mask, x, mask)
		s.vand(mask, d, d)
	}
}

func (s *sum) meets(t *sum) bool {
	for n := range s {
		if s[n]&t[n] != 0 {
			return true
		}
	}
	return false
}

func (s *sum) add(t *sum) {
	for n := range s {
		s[n] |= t[n]
	}
}

// fold ors the lanes of all sums together and stores the vectors kept.
func (s *filtering) fold() {
	combine := func(sums []V, and func(a, b, d V)) (V, bool) {
		var used []V
		for _, v := range sums {
			if s.sums[v] != nil {
				used = append(used, v)
			}
		}
		for len(used) > 1 {
			and(used[0], used[1], used[1])
			used = used[1:]
		}
		if len(used) == 0 {
			return 0, false
		}
		return used[0], true
	}
	d, ok := combine(s.broken, s.vorr)
	e, alsoEqual := combine(s.equal, s.vand)
	switch {
	case !ok:
		s.fail("no group has bits that must be equal")
	case alsoEqual:
		s.vorn(e, d, d)
	}
	r := s.result
	s.vmovD(d, 0, r[0])
	s.vmovD(d, 1, r[1])
	s.orr(r[0], r[1], r[0])
	s.orrShifted(r[0], 32, r[0], r[0])
	s.mvnW(r[0], r[0])
	s.storeW(r[0], s.bases[0], slotMask)
}
