package prove

import (
	"fmt"
	"slices"
)

// manyCall is a call of a kernel for many messages: how many blocks of what, and
// which of them survive the filter, for whatever vectors.
type manyCall struct {
	name          string
	do            manyFunction
	group, groups int
	from          int // bytes
	n, more       int // blocks
	used          int // slots in use before
	survivors     map[place]bool
	stack, data   uint64 // as in a scenario
}

// manyFunction is one of the functions of a kernel for many messages.
type manyFunction int

const (
	addBlocks manyFunction = iota
	addSame
	filterAlone
)

// blocks returns how many blocks of each message the call has.
func (c *manyCall) blocks() int { return c.n + c.more }

// calls are the calls that are explored. The filter is proved for every message
// in each of them; what is kept of the survivors for those here: every lane
// alone, lanes and blocks together, at the ends of the parts of a message and of
// a group, and so many that slots run short.
func (p *manyProver) calls() []manyCall {
	var out []manyCall
	add := func(c manyCall, survivors ...place) {
		n := uint64(len(out))
		c.stack, c.data = n%8*8, n/8%2*32
		c.survivors = make(map[place]bool)
		for _, at := range survivors {
			c.survivors[at] = true
		}
		if c.name == "" {
			c.name = fmt.Sprintf("%d groups from %d of %d and %d blocks from byte %d, %d slots in use, %d blocks survive",
				c.groups, c.group, c.n, c.more, c.from, c.used, len(survivors))
		}
		out = append(out, c)
	}
	lanes, spare := p.kernel.Lanes, p.area.records-2*p.area.lanes
	last := lanes - 1
	// all are all lanes of a block.
	all := func(group, block int) (at []place) {
		for lane := range lanes {
			at = append(at, place{group, block, lane})
		}
		return at
	}
	if p.kernel.Filter != "" {
		add(manyCall{name: "the filter alone", do: filterAlone})
	}
	if p.kernel.Same != "" {
		add(manyCall{name: "the same block in all lanes of the first group", do: addSame})
		add(manyCall{name: "the same block in all lanes of the last group", do: addSame, group: p.area.groups - 1})
	}
	for lane := range lanes {
		add(manyCall{group: lane % p.area.groups, groups: 1, from: 64 * (lane % 3), n: 1, used: lane % (spare + 1)}, place{0, 0, lane})
	}
	add(manyCall{groups: 1, n: 1})
	add(manyCall{group: 2, groups: 1, from: 64, n: 3})
	add(manyCall{groups: 1, from: 128, n: 1, more: 2})
	add(manyCall{group: p.area.groups - 2, groups: 2, n: 1, more: 1})
	add(manyCall{group: 1, groups: 3, n: 1})
	for lane := range lanes {
		// Neighbours, in a block and the next, and after a block without survivors.
		next := (lane + 1) % lanes
		c := manyCall{group: 1, groups: 1, from: 64, n: 2, more: 1}
		if lane%2 == 0 {
			add(c, place{0, 0, lane}, place{0, 0, next}, place{0, 1, next})
		} else {
			add(c, place{0, 0, lane}, place{0, 2, lane}, place{0, 2, next})
		}
	}
	// The last of a part, of a group and of all.
	add(manyCall{groups: 2, n: 1, more: 1}, place{0, 0, 3}, place{0, 1, 0}, place{1, 0, last}, place{1, 1, 5})
	add(manyCall{groups: 3, n: 1}, place{0, 0, 1}, place{1, 0, 2}, place{2, 0, 3})
	// As many as there is room for, and one more.
	few := all(0, 0)[:spare]
	add(manyCall{groups: 1, n: 2, more: 1}, few...)
	add(manyCall{groups: 1, n: 2, more: 1, used: 1}, few...)
	add(manyCall{groups: 1, n: 3, used: 1}, few...)
	add(manyCall{groups: 2, n: 1, more: 1, used: 1}, few...)
	add(manyCall{groups: 2, n: 2, more: 1, used: spare}, place{0, 0, last})
	add(manyCall{groups: 3, n: 1, used: spare}, place{0, 0, 0}, place{1, 0, last})
	// All lanes survive, and again.
	add(manyCall{groups: 1, n: 3, used: 1}, slices.Concat(few, all(0, 1), all(0, 2))...)
	add(manyCall{groups: 1, n: 1, used: spare}, all(0, 0)...)
	add(manyCall{groups: 1, n: 3, used: spare}, append(all(0, 0), all(0, 1)...)...)
	add(manyCall{groups: 2, n: 1, more: 1, used: 2}, append(all(0, 1), all(1, 0)...)...)
	add(manyCall{groups: 1, n: 2, more: 1, used: spare}, append(all(0, 1), all(0, 2)...)...)
	return out
}
