package solver

import (
	"container/heap"
	"slices"
)

// node is a part of the search space: some columns are fixed.
type node struct {
	bound int64
	order int // of creation, to break ties
	state []uint8
	dual  *dual
}

type nodes []*node

func (q nodes) Len() int { return len(q) }
func (q nodes) Less(i, j int) bool {
	if q[i].bound != q[j].bound {
		return q[i].bound < q[j].bound
	}
	return q[i].order < q[j].order
}
func (q nodes) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *nodes) Push(x any)   { *q = append(*q, x.(*node)) }
func (q *nodes) Pop() any {
	old := *q
	n := old[len(old)-1]
	*q = old[:len(old)-1]
	return n
}

// effort limits a search by counts, never by time.
type effort struct {
	kicks  int // of the local search
	rounds int // of price improvement at the root
	nodes  int // of branch and bound
}

// minimise returns a cheap choice and a proved lower bound on the cost of any,
// which is equal to the choice's if the search ends within its effort. All
// costs are multiples of granule.
func (p *problem) minimise(e effort, granule int64, report func(nodes int, bound, best int64)) (best []int, value, bound int64) {
	all := make([]int, len(p.columns))
	for n := range all {
		all[n] = n
	}
	best, value = p.search(e.kicks, 1, all)
	return p.branch(best, value, newDual(p), e, granule, report)
}

// branch looks for a cheaper choice than a known one, and returns the cheapest
// with a proved lower bound like minimise. The prices to begin with are d.
func (p *problem) branch(best []int, value int64, d *dual, e effort, granule int64, report func(nodes int, bound, best int64)) (_ []int, _, bound int64) {
	ceil := func(v int64) int64 { return (v + granule - 1) / granule * granule }

	queue := &nodes{}
	order := 0
	visit := func(state []uint8, d *dual, rounds int) {
		top, d, r := p.improve(d, state, value, rounds)
		if ceil(top) >= value {
			return
		}
		for c, rc := range r.reduced {
			if state[c] != free {
				continue
			}
			switch {
			case rc > 0 && ceil(top+rc) >= value:
				state[c] = out
			case rc < 0 && ceil(top-rc) >= value:
				state[c] = in
			}
		}
		if !slices.Contains(state, free) {
			c := newChoice(p)
			for col, s := range state {
				if s == in {
					c.flip(col)
				}
			}
			if c.value < value {
				best, value = c.columns(), c.value
			}
			return
		}
		order++
		heap.Push(queue, &node{ceil(top), order, state, d})
	}
	visit(make([]uint8, len(p.columns)), d, e.rounds)
	r := newRelaxed(p)
	for visited := 0; queue.Len() > 0; visited++ {
		bound = (*queue)[0].bound
		if bound >= value {
			break
		}
		if report != nil && visited%16 == 0 {
			report(visited, bound, value)
		}
		if visited == e.nodes {
			return best, value, bound
		}
		n := heap.Pop(queue).(*node)
		p.relax(n.dual, n.state, r)
		col := p.branchColumn(n, r)
		for _, s := range []uint8{in, out} {
			state := slices.Clone(n.state)
			state[col] = s
			visit(state, n.dual, 120)
		}
	}
	return best, value, value
}

// branchColumn returns the free column whose choice is least clear: the one
// that the prices make neither cheap nor dear.
func (p *problem) branchColumn(n *node, r *relaxed) int {
	best := -1
	var least int64
	for c, rc := range r.reduced {
		if n.state[c] != free {
			continue
		}
		if rc < 0 {
			rc = -rc
		}
		// Columns that matter more first: measure against what they earn.
		rc = rc << 10 / (p.cost[c] + rc)
		if best < 0 || rc < least {
			best, least = c, rc
		}
	}
	return best
}
