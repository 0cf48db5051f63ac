package arm64

import (
	"fmt"
	"slices"

	"github.com/sha1dc/go/gen/asm"
	"github.com/sha1dc/go/internal/plan"
)

// filter is the NEON filter of one block: straight-line code that reads the
// expanded message of a slot, four words at a time, and leaves the vectors kept
// in the slot's mask.
type filter struct {
	groups []group
	rows   []uint32 // of the table: the tested bits, each in all lanes, and the masks of the groups' lanes

	table     R    // address of rows
	bases     [4]R // addresses of the words 0 to 3 of the block
	result    [2]R
	dismissed [2]V
	bits      map[int]V // by position
	free      []V       // for windows and intermediate values
}

// group is a group of the plan as the filter tests it.
type group struct {
	*plan.Group
	shiftFirst bool // shift the first word, so that the second's bit is tested
	mask       int  // offset of the lanes' masks in the table
}

// bit returns the position of the bit that is tested.
func (g *group) bit() int {
	if g.shiftFirst {
		return g.B
	}
	return g.A
}

// newFilter returns the filter of p. It takes the registers that it needs, and
// all vector registers that are left for windows.
func newFilter(p *plan.Plan, a *registers) (*filter, error) {
	f := &filter{result: [2]R{a.R(), a.R()}, dismissed: [2]V(a.Vs(2)), bits: make(map[int]V)}
	for n := range f.bases {
		f.bases[n] = a.R()
	}
	f.table = a.R()
	order := make([]int, len(p.Groups))
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int {
		g, h := &p.Groups[a], &p.Groups[b]
		return slices.Compare([]int{g.Start, g.Gap}, []int{h.Start, h.Gap})
	})
	uses := make(map[int]int)
	for n := range p.Groups {
		uses[p.Groups[n].A]++
		uses[p.Groups[n].B]++
	}
	for _, n := range order {
		g := &p.Groups[n]
		if g.Shape != plan.Uniform {
			return nil, fmt.Errorf("group %d has shape %v, the NEON filter has only %v", n+1, g.Shape, plan.Uniform)
		}
		// Of the two positions the one that more groups test shares their constant.
		f.groups = append(f.groups, group{Group: g, shiftFirst: uses[g.B] > uses[g.A]})
	}
	for position := range 32 {
		if slices.ContainsFunc(f.groups, func(g group) bool { return g.bit() == position }) {
			f.bits[position] = a.V()
			for range 4 {
				f.rows = append(f.rows, 1<<position)
			}
		}
	}
	for n := range f.groups {
		g := &f.groups[n]
		g.mask = 4 * len(f.rows)
		for _, l := range g.Lanes {
			f.rows = append(f.rows, uint32(l.DVs))
		}
	}
	f.free = a.vector
	if len(f.free) < 4 {
		return nil, fmt.Errorf("%d vector registers are left for the filter's windows, want 4", len(f.free))
	}
	a.vector = nil
	return f, nil
}

// load returns what fills the registers that the filter keeps, with the address
// of the table in f.table and rows at offset of it.
func (f *filter) load(offset int) *stream {
	var out stream
	for position := range 32 {
		if v, ok := f.bits[position]; ok {
			out.loadV(f.table, offset, v)
			offset += 16
		}
	}
	return &out
}

// filter returns the filter of the block in the slot at slot+offset. The rows
// are at rows of the table. It leaves the mask of the vectors kept in the slot.
func (f *filter) filter(slot R, offset, rows int) *stream {
	var out stream
	for n, base := range f.bases {
		out.addConstant(offset+4*n, slot, base)
	}
	var uses [][2]int
	for _, g := range f.groups {
		uses = append(uses, [2]int{g.Start, g.Start + g.Gap})
	}
	windows := asm.NewWindows(f.free, uses)
	window := func(start int) V {
		v, load := windows.Window(start)
		if load {
			out.loadV(f.bases[start%4], slotLayout.Word(start-start%4), v)
		}
		return v
	}
	for step := range f.groups {
		g := &f.groups[step]
		first, second := window(g.Start), window(g.Start+g.Gap)
		x := windows.Take()
		switch {
		case g.A == g.B:
			out.veor(first, second, x)
		case g.shiftFirst:
			out.align(first, g.B-g.A, x)
			out.veor(second, x, x)
		default:
			out.align(second, g.A-g.B, x)
			out.veor(first, x, x)
		}
		windows.Done(step)
		mask := windows.Take()
		out.loadV(f.table, rows+g.mask, mask)
		out.vcmtst(f.bits[g.bit()], x, x)
		d := f.dismissed[step%2]
		result := x
		if step < 2 {
			result = d
		}
		if g.C == 0 { // the lanes whose bit is set are broken, or those whose bit is not
			out.vand(x, mask, result)
		} else {
			out.vbic(x, mask, result)
		}
		if step >= 2 {
			out.vorr(x, d, d)
		}
		windows.Return(x)
		windows.Return(mask)
	}
	d, r := f.dismissed, f.result
	out.vorr(d[0], d[1], d[0])
	out.vmovD(d[0], 0, r[0])
	out.vmovD(d[0], 1, r[1])
	out.orr(r[0], r[1], r[0])
	out.orrShifted(r[0], 32, r[0], r[0])
	out.mvnW(r[0], r[0])
	out.storeW(r[0], f.bases[0], slotMask)
	return &out
}

// align shifts the words of a to the left, or to the right if n is negative.
func (s *stream) align(a V, n int, d V) {
	if n < 0 {
		s.vushr(-n, a, d)
	} else {
		s.vshl(n, a, d)
	}
}
