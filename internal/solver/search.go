package solver

import (
	"math/rand/v2"
	"slices"

	"github.com/sha1dc/go/internal/dvs"
)

// penalty is the cost of a row or of a unit of rank that a choice misses: more
// than any group that would mend it.
func (p *problem) penalty() int64 { return 4*slices.Max(p.cost) + p.breach }

// choice is a set of columns under local search.
type choice struct {
	p       *problem
	chosen  []bool
	tested  [dvs.Count][]int16 // how many chosen columns test each edge
	forest  [dvs.Count]forest  // of the tested edges
	rank    [dvs.Count]int
	short   []int // what each row still needs, or less than 0
	value   int64
	penalty int64
}

func newChoice(p *problem) *choice {
	c := &choice{p: p, chosen: make([]bool, len(p.columns)), short: make([]int, len(p.rows)), penalty: p.penalty()}
	for dv := range dvs.Count {
		c.tested[dv] = make([]int16, len(p.vectors[dv].edges))
		c.span(dv)
		c.value += c.left(dv, 0)
	}
	for n, row := range p.rows {
		c.short[n] = row.need
		c.value += c.penalty * int64(max(0, row.need))
	}
	return c
}

// left returns the cost of a vector's survivors and missing rank.
func (c *choice) left(dv, rank int) int64 {
	v := c.p.left(rank)
	if c.p.full {
		v += c.penalty * int64(c.p.vectors[dv].rank-rank)
	}
	return v
}

// span builds the forest of a vector's tested edges.
func (c *choice) span(dv int) {
	g := &c.p.vectors[dv]
	f := &c.forest[dv]
	f.reset(g.vertices)
	rank := 0
	for n, e := range g.edges {
		if c.tested[dv][n] > 0 && f.join(e) {
			rank++
			if rank == g.rank {
				break
			}
		}
	}
	c.rank[dv] = rank
}

// with returns the value if column col were taken in.
func (c *choice) with(col int) int64 {
	v := c.value + c.p.cost[col]
	adds := c.p.adds[col]
	for n := 0; n < len(adds); {
		dv := adds[n].dv
		rank := c.rank[dv]
		full := rank == c.p.vectors[dv].rank
		var f forest
		if !full {
			f = c.forest[dv]
		}
		for ; n < len(adds) && adds[n].dv == dv; n++ {
			if !full && f.join(c.p.vectors[dv].edges[adds[n].edge]) {
				rank++
			}
		}
		if rank != c.rank[dv] {
			v += c.left(dv, rank) - c.left(dv, c.rank[dv])
		}
	}
	for _, t := range c.p.rowsOf[col] {
		v += c.penalty * int64(max(0, c.short[t.n]-t.coef)-max(0, c.short[t.n]))
	}
	return v
}

// flip takes column col in or out.
func (c *choice) flip(col int) {
	var touched dvs.Mask
	delta := int16(1)
	if c.chosen[col] {
		delta = -1
	}
	c.chosen[col] = !c.chosen[col]
	c.value += int64(delta) * c.p.cost[col]
	for _, u := range c.p.adds[col] {
		t := &c.tested[u.dv][u.edge]
		was := *t > 0
		*t += delta
		if was != (*t > 0) {
			touched |= 1 << u.dv
		}
	}
	for _, t := range c.p.rowsOf[col] {
		was := max(0, c.short[t.n])
		c.short[t.n] -= int(delta) * t.coef
		c.value += c.penalty * int64(max(0, c.short[t.n])-was)
	}
	for dv := range dvs.Count {
		if touched.Has(dv) {
			was := c.left(dv, c.rank[dv])
			c.span(dv)
			c.value += c.left(dv, c.rank[dv]) - was
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
