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

// Curve returns the points of the uniform plans for a machine with first to
// last groups, without regard to corpora. Nodes limit the proof of each.
func Curve(table *dvs.Table, m plan.Machine, first, last, nodes int) []Point {
	in := newInstance(table)
	columns := in.uniform(m.Lanes)
	s := newSizes(in, columns)
	c := newChoice(s.problem)
	rng := rand.New(rand.NewPCG(2, 2))
	var out []Point
	for groups := max(1, first-1); groups <= min(last, len(columns)); groups++ {
		before := c.value
		c.swap(groups, 0, rng)
		c.exchange(300, rng)
		if groups >= first {
			out = append(out, s.prove(c, before-c.value, nodes))
		}
	}
	return out
}

// survivorUnit is the cost of the least part of a survivor, so that prices are
// fine enough.
const survivorUnit = 1 << 20

// sizes asks for columns that leave the fewest survivors, where their number
// is given.
type sizes struct {
	*problem
	floor plan.Survivors
}

func newSizes(in *instance, columns []column) *sizes {
	s := &sizes{newProblem(in, columns, make([]int64, len(columns)), in.random()), plan.Floor(in.table)}
	s.survivor = survivorUnit
	return s
}

// prove returns the point of a choice, or of a better one that it finds and
// makes the choice. Gain is about what the last column of the choice gained.
func (s *sizes) prove(c *choice, gain int64, nodes int) Point {
	columns := c.columns()
	// If a column costs what the last one gained, plans of this size are as
	// cheap as any, and the bound on the sum is one on the survivors.
	p := newProblem(s.in, s.columns, slices.Repeat([]int64{max(1, gain/survivorUnit) * survivorUnit}, len(s.columns)), s.views)
	p.survivor = survivorUnit
	cost := p.cost[0] * int64(len(columns))
	bound, d, _ := p.improve(newDual(p), make([]uint8, len(p.columns)), c.value+cost, 1000)
	if nodes > 0 {
		// Rows that hold the size let branches change what a column costs.
		var all, less []term
		for n := range p.columns {
			all = append(all, term{n, 1})
			less = append(less, term{n, -1})
		}
		p.require([]row{{len(columns), all}, {-len(columns), less}})
		p.breach = p.survivor * int64(plan.One) * dvs.Count
		d.row = make([]int64, len(p.rows))
		best, _, deep := p.branch(columns, c.value+cost, d, effort{rounds: 1000, nodes: nodes}, survivorUnit, nil)
		c.become(best)
		bound = max(bound, deep)
	}
	least := plan.Survivors((bound - cost + survivorUnit - 1) / survivorUnit)
	return Point{len(columns), plan.Survivors(c.value / survivorUnit), max(least, s.floor)}
}

// exchange takes the best exchange of a column for another again and again,
// even where that is no improvement, and leaves the best choice it met. Columns
// exchanged stay so for some steps, lest the next step undo the last.
func (c *choice) exchange(steps int, rng *rand.Rand) {
	best, bestValue := c.columns(), c.value
	until := make([]int, len(c.chosen)) // the step before which a column stays as it is
	for step := range steps {
		from, to, least := -1, -1, int64(0)
		for _, out := range c.columns() {
			c.flip(out)
			for col := range c.chosen {
				if c.chosen[col] || col == out {
					continue
				}
				v := c.with(col)
				if v >= bestValue && (until[out] > step || until[col] > step) {
					continue
				}
				if from < 0 || v < least {
					from, to, least = out, col, v
				}
			}
			c.flip(out)
		}
		if from < 0 {
			continue
		}
		c.flip(from)
		c.flip(to)
		until[from] = step + 5 + rng.IntN(8)
		until[to] = step + 2 + rng.IntN(1+len(best)/3)
		if c.value < bestValue {
			best, bestValue = c.columns(), c.value
		}
	}
	c.become(best)
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
