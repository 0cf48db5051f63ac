package solver

import (
	"math/rand/v2"
	"slices"
)

// penalty is the cost of a row or of a unit of rank that a choice misses: more
// than any group that would mend it.
func (p *problem) penalty() int64 { return 4*slices.Max(p.cost) + p.breach }

// choice is a set of columns under local search.
type choice struct {
	p       *problem
	chosen  []bool
	tested  [][]int16 // by view, how many chosen columns test each condition
	basis   []basis   // of the tested conditions
	rank    []int
	short   []int // what each row still needs, or less than 0
	open    set   // rows that need something
	value   int64
	penalty int64
}

func newChoice(p *problem) *choice {
	c := &choice{
		p: p, chosen: make([]bool, len(p.columns)), short: make([]int, len(p.rows)), penalty: p.penalty(),
		tested: make([][]int16, len(p.views)), basis: make([]basis, len(p.views)), rank: make([]int, len(p.views)),
	}
	for v := range p.views {
		c.tested[v] = make([]int16, len(p.views[v].edges))
		c.value += c.left(v, 0)
	}
	c.open = newSet(len(p.rows))
	for n, row := range p.rows {
		if c.short[n] = row.need; row.need > 0 {
			c.open.add(n)
		}
		c.value += c.penalty * int64(max(0, row.need))
	}
	return c
}

// left returns the cost of a view's survivors and missing rank.
func (c *choice) left(view, rank int) int64 {
	v := &c.p.views[view]
	cost := c.p.left(v, rank)
	if c.p.full {
		cost += c.penalty * int64(v.rank-rank)
	}
	return cost
}

// span builds the basis of a view's tested conditions.
func (c *choice) span(view int) {
	v := &c.p.views[view]
	b := &c.basis[view]
	*b = basis{}
	rank := 0
	for n, form := range v.forms {
		if c.tested[view][n] > 0 && b.add(form) {
			rank++
			if rank == v.rank {
				break
			}
		}
	}
	c.rank[view] = rank
}

// with returns the value if column col were taken in.
func (c *choice) with(col int) int64 {
	v := c.value + c.p.cost[col]
	adds := c.p.adds[col]
	for n := 0; n < len(adds); {
		view := adds[n].view
		forms := c.p.views[view].forms
		rank := c.rank[view]
		full := rank == c.p.views[view].rank
		var b basis
		if !full {
			b = c.basis[view]
		}
		for ; n < len(adds) && adds[n].view == view; n++ {
			if !full && b.add(forms[adds[n].edge]) {
				rank++
			}
		}
		if rank != c.rank[view] {
			v += c.left(view, rank) - c.left(view, c.rank[view])
		}
	}
	if c.p.meets != nil {
		return v - c.penalty*int64(c.open.shared(c.p.meets[col]))
	}
	for _, t := range c.p.rowsOf[col] {
		v += c.penalty * int64(max(0, c.short[t.n]-t.coef)-max(0, c.short[t.n]))
	}
	return v
}

// flip takes column col in or out.
func (c *choice) flip(col int) {
	delta := int16(1)
	if c.chosen[col] {
		delta = -1
	}
	c.chosen[col] = !c.chosen[col]
	c.value += int64(delta) * c.p.cost[col]
	adds := c.p.adds[col]
	for n := 0; n < len(adds); {
		view := adds[n].view
		changed := false
		for ; n < len(adds) && adds[n].view == view; n++ {
			t := &c.tested[view][adds[n].edge]
			was := *t > 0
			*t += delta
			changed = changed || was != (*t > 0)
		}
		if changed {
			was := c.left(view, c.rank[view])
			c.span(view)
			c.value += c.left(view, c.rank[view]) - was
		}
	}
	for _, t := range c.p.rowsOf[col] {
		was := max(0, c.short[t.n])
		c.short[t.n] -= int(delta) * t.coef
		c.value += c.penalty * int64(max(0, c.short[t.n])-was)
		if c.short[t.n] > 0 {
			c.open.add(t.n)
		} else {
			c.open.remove(t.n)
		}
	}
}

// without returns the value if column col were taken out.
func (c *choice) without(col int) int64 {
	c.flip(col)
	v := c.value
	c.flip(col)
	return v
}

// columns returns the chosen columns in ascending order.
func (c *choice) columns() []int {
	var out []int
	for n, in := range c.chosen {
		if in {
			out = append(out, n)
		}
	}
	return out
}

// descend takes columns in and out, one at a time, as long as it pays. Allowed
// says which may be taken in.
func (c *choice) descend(allowed []int) {
	for {
		best, bestCol := c.value, -1
		for _, col := range allowed {
			v := int64(0)
			if c.chosen[col] {
				v = c.without(col)
			} else {
				v = c.with(col)
			}
			if v < best {
				best, bestCol = v, col
			}
		}
		if bestCol < 0 {
			return
		}
		c.flip(bestCol)
	}
}

// search looks for a cheap choice by a fixed number of kicks from the best one
// known: take some columns out at random and some in, and descend. The random
// numbers are the same every time.
func (p *problem) search(kicks int, seed uint64, allowed []int) ([]int, int64) {
	c := newChoice(p)
	c.descend(allowed)
	best, bestValue := c.columns(), c.value
	rng := rand.New(rand.NewPCG(seed, 1))
	for range kicks {
		for _, col := range c.columns() {
			if rng.IntN(6) == 0 {
				c.flip(col)
			}
		}
		for range rng.IntN(3) {
			col := allowed[rng.IntN(len(allowed))]
			if !c.chosen[col] {
				c.flip(col)
			}
		}
		c.descend(allowed)
		switch {
		case c.value < bestValue:
			best, bestValue = c.columns(), c.value
		case c.value > bestValue:
			c.become(best)
		}
	}
	// Choices of about that size, from other beginnings.
	for size := max(1, len(best)-1); size <= len(best)+1 && size <= len(allowed) && kicks > 0; size++ {
		d := newChoice(p)
		d.become(best)
		d.restart(size, rng)
		d.descend(allowed)
		if d.value < bestValue {
			return d.columns(), d.value
		}
	}
	return best, bestValue
}
