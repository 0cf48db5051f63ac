package solver

import (
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// Greedy returns the plan that takes one group after the other, always the one
// that adds most for its cost, the first of several: what the solved plans are
// compared with. It does not look at corpora, and knows no variable shifts.
func Greedy(table *dvs.Table, task Task) *plan.Plan {
	p := &plan.Plan{
		Name: task.Name, Machine: task.Machine, Shapes: task.Shapes,
		Minimise: task.Minimise, Limit: task.Limit, Solver: "greedy", Table: plan.TableHash(table),
	}
	in := newInstance(table)
	columns := in.columnsOf(task)
	q := newProblem(in, columns, make([]int64, len(columns)), in.random())
	q.full = task.Limit == plan.Full
	for n := range columns {
		switch task.Minimise {
		case plan.Cycles:
			q.cost[n] = task.Machine.Cycles(task.Machine.Instructions(&columns[n].group), 0)
			q.survivor = int64(task.Machine.Survivor())
		case plan.Instructions:
			q.cost[n] = int64(task.Machine.Instructions(&columns[n].group))
		default:
			q.cost[n] = 1
		}
	}
	c := newChoice(q)
	for {
		best, bestGain := -1, int64(0)
		for col := range columns {
			if c.chosen[col] {
				continue
			}
			if gain := c.value - c.with(col); gain > bestGain {
				best, bestGain = col, gain
			}
		}
		if best < 0 {
			return p
		}
		c.flip(best)
		p.Groups = append(p.Groups, columns[best].group)
	}
}
