package solver

import (
	"fmt"
	"slices"
)

// cover is a weighted set cover: choose columns of least total cost so that
// every row holds a chosen one.
type cover struct {
	rows [][]int // columns of each row
	cost []int   // of each column
	// ranks returns bounds that the rows imply, given columns that are chosen.
	ranks []func(chosen []int) rankBound
}

// solution is what a search found and proved.
type solution struct {
	chosen []int // columns in ascending order
	cost   int
	bound  int // no choice costs less
}

// reduced is a cover after the reductions that keep an optimal choice.
type reduced struct {
	rows   []set // over the columns
	alive  set   // columns left
	chosen []int // essential columns
	cost   []int
}

// reduce applies row dominance (a row that includes another is met with it),
// column dominance (a column whose rows another, no dearer column meets too is
// not needed) and essential columns until nothing changes.
func (c *cover) reduce() (*reduced, error) {
	size := len(c.cost)
	r := &reduced{alive: newSet(size), cost: c.cost}
	for n := range c.cost {
		r.alive.add(n)
	}
	for n, row := range c.rows {
		if len(row) == 0 {
			return nil, fmt.Errorf("no column meets row %d", n)
		}
		r.rows = append(r.rows, newSet(size, row...))
	}
	for {
		r.dropRows()
		essential := r.takeEssential()
		if dropped := r.dropColumns(); !essential && !dropped {
			return r, nil
		}
	}
}

// minimal returns the sets that include no other, each once, in order of size
// and then of members.
func minimal(rows []set) []set {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b set) int {
		if n, m := a.len(), b.len(); n != m {
			return n - m
		}
		return slices.Compare(a, b)
	})
	var out []set
	for _, row := range rows {
		if !slices.ContainsFunc(out, row.includes) {
			out = append(out, row)
		}
	}
	return out
}

func (r *reduced) dropRows() { r.rows = minimal(r.rows) }

func (r *reduced) takeEssential() bool {
	found := false
	for len(r.rows) > 0 && r.rows[0].len() == 1 { // shortest first
		col := r.rows[0].members()[0]
		r.chosen = append(r.chosen, col)
		r.alive.remove(col)
		r.rows = slices.DeleteFunc(r.rows, func(row set) bool { return row.has(col) })
		found = true
	}
	return found
}

func (r *reduced) dropColumns() bool {
	cols := r.alive.members()
	meets := make(map[int]set)
	for _, c := range cols {
		s := newSet(len(r.rows))
		for n, row := range r.rows {
			if row.has(c) {
				s.add(n)
			}
		}
		meets[c] = s
	}
	found := false
	drop := func(c int) {
		r.alive.remove(c)
		for _, row := range r.rows {
			row.remove(c)
		}
		found = true
	}
	for _, c := range cols {
		for _, d := range cols {
			// Of two equal columns the first stays.
			if c != d && r.alive.has(d) && r.cost[d] <= r.cost[c] && meets[d].includes(meets[c]) &&
				(d < c || r.cost[d] < r.cost[c] || !meets[c].includes(meets[d])) {
				drop(c)
				break
			}
		}
	}
	return found
}

// blocks splits the rows into parts that share no column.
func (r *reduced) blocks() [][]set {
	var out [][]set
	left := slices.Clone(r.rows)
	for len(left) > 0 {
		reach := slices.Clone(left[0])
		var block []set
		for grown := true; grown; {
			grown = false
			left = slices.DeleteFunc(left, func(row set) bool {
				if !row.meets(reach) {
					return false
				}
				for n := range reach {
					reach[n] |= row[n]
				}
				block = append(block, row)
				grown = true
				return true
			})
		}
		out = append(out, block)
	}
	return out
}

// solve returns a cheapest choice, proved by SAT block by block.
func (c *cover) solve(progress Progress) (*solution, error) {
	r, err := c.reduce()
	if err != nil {
		return nil, err
	}
	s := &solution{chosen: r.chosen}
	var ranks []rankBound
	for _, rank := range c.ranks {
		ranks = append(ranks, rank(r.chosen))
	}
	for _, block := range r.blocks() {
		s.chosen = append(s.chosen, solveBlock(block, c.cost, ranks, progress)...)
	}
	slices.Sort(s.chosen)
	for _, col := range s.chosen {
		s.cost += c.cost[col]
	}
	s.bound = s.cost
	return s, nil
}

// greedyCover meets all rows by always taking the column that meets most of
// those left for its cost, the first of several.
func greedyCover(rows []set, cost []int) []int {
	left := slices.Clone(rows)
	var out []int
	for len(left) > 0 {
		best, bestGain := -1, 0
		for c := range cost {
			gain := 0
			for _, row := range left {
				if row.has(c) {
					gain++
				}
			}
			if gain > 0 && (best < 0 || gain*cost[best] > bestGain*cost[c]) {
				best, bestGain = c, gain
			}
		}
		out = append(out, best)
		left = slices.DeleteFunc(left, func(row set) bool { return row.has(best) })
	}
	return out
}
