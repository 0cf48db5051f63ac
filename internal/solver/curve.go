package solver

import (
	"math/rand/v2"
	"slices"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// Point is what a number of groups can do: the fewest survivors found, and a
// number that is proved to be the least possible or below it.
type Point struct {
	Groups    int
	Survivors plan.Survivors
	Bound     plan.Survivors
}

// Proved reports whether no plan with as many groups has fewer survivors.
func (p Point) Proved() bool { return p.Bound == p.Survivors }

// Curve returns the points of the uniform plans for a machine with 1 to most
// groups, without regard to corpora.
func Curve(table *dvs.Table, m plan.Machine, most int) []Point {
	in := newInstance(table)
	columns := in.uniform(m.Lanes)
	const unit = 1 << 20 // of a survivor count, so that prices are fine enough
	q := newProblem(in, columns, make([]int64, len(columns)))
	q.survivor = unit
	c := newChoice(q)
	rng := rand.New(rand.NewPCG(2, 2))
	d := newDual(q)
	var out []Point
	last := c.value
	for groups := 1; groups <= most; groups++ {
		c.restart(groups, rng)
		// A group that costs what the last one gained: plans of this size are
		// then as cheap as any, and the bound on the sum is one on the survivors.
		group := max(1, last-c.value)
		last = c.value
		for n := range q.cost {
			q.cost[n] = group
		}
		total := c.value + group*int64(groups)
		var bound int64
		bound, d, _ = q.improve(d, make([]uint8, len(columns)), total, 1000)
		for n := range q.cost {
			q.cost[n] = 0
		}
		least := plan.Survivors((bound - group*int64(groups) + unit - 1) / unit)
		out = append(out, Point{groups, plan.Survivors(c.value / unit), max(least, plan.Floor(table))})
	}
	return out
}

// restart looks for the best choice of a size from the present one, from random
// ones and from some that keep little of the best.
func (c *choice) restart(size int, rng *rand.Rand) {
	c.swap(size, 150, rng)
	best, bestValue := c.columns(), c.value
	for n := range 8 {
		c.become(best)
		for _, col := range c.columns() {
			if n%2 == 0 || rng.IntN(3) > 0 {
				c.flip(col)
			}
		}
		if n%2 == 0 {
			for range size {
				if col := rng.IntN(len(c.chosen)); !c.chosen[col] {
					c.flip(col)
				}
			}
		}
		c.swap(size, 100, rng)
		if c.value < bestValue {
			best, bestValue = c.columns(), c.value
		}
	}
	c.become(best)
}

// become makes the chosen columns those given, which are ascending.
func (c *choice) become(columns []int) {
	for col := range c.chosen {
		if _, want := slices.BinarySearch(columns, col); c.chosen[col] != want {
			c.flip(col)
		}
	}
}

// swap looks for the best choice of a size by taking some columns out at random
// and filling up with the best ones.
func (c *choice) swap(size, kicks int, rng *rand.Rand) {
	fill := func() {
		for len(c.columns()) < size {
			best, bestValue := -1, int64(0)
			for col := range c.chosen {
				if c.chosen[col] {
					continue
				}
				if v := c.with(col); best < 0 || v < bestValue {
					best, bestValue = col, v
				}
			}
			c.flip(best)
		}
	}
	fill()
	best, bestValue := c.columns(), c.value
	for range kicks {
		for range 1 + rng.IntN(4) {
			if chosen := c.columns(); len(chosen) > 0 {
				c.flip(chosen[rng.IntN(len(chosen))])
			}
		}
		fill()
		if c.value <= bestValue {
			best, bestValue = c.columns(), c.value
		} else {
			c.become(best)
		}
	}
}
