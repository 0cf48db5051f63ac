package solver

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/plan/corpus"
)

// Task says what plan is wanted.
type Task struct {
	Name     string
	Machine  plan.Machine
	Shapes   []plan.Shape
	Minimise plan.Quantity
	Limit    plan.Survivors // plan.Full or plan.Any
	// Corpora are blocks that must not survive unless all conditions let them.
	Corpora []corpus.Corpus
	// Families are those on which what all conditions dismiss for every block
	// must be dismissed so.
	Families []corpus.Family
	// OnePolarity asks for variable-shift groups of one polarity each.
	OnePolarity bool
	// Kicks and Nodes limit the searches that need not end by themselves.
	Kicks, Nodes int
	// First is the bound at which the descent with variable shifts begins. Where
	// its end is out of reach it stops at Last, and the bound Refuted, if any, is
	// refuted instead.
	First, Last, Refuted int
	// Known is a plan from a search that takes too long to repeat: only its
	// bound is proved again.
	Known *plan.Plan
}

// Solve returns a plan for the task, validated.
func Solve(table *dvs.Table, task Task, progress Progress) (*plan.Plan, error) {
	p := &plan.Plan{
		Name: task.Name, Machine: task.Machine, Shapes: task.Shapes,
		Minimise: task.Minimise, Limit: task.Limit,
		Solver: Version, Table: plan.TableHash(table),
	}
	for dv, v := range dvs.All() {
		if rank := table.Span(dv).Rank(); rank > mostRank {
			return nil, fmt.Errorf("plan %s: the conditions of %v have rank %d, the solver counts survivors exactly up to %d", task.Name, v, rank, mostRank)
		}
	}
	in := newInstance(table)
	var err error
	switch {
	case task.Limit == plan.Any:
		err = solvePartial(p, in, task, progress)
	case slices.Contains(task.Shapes, plan.Variable):
		err = solveVariable(p, in, task, progress)
	default:
		err = solveFull(p, in, task, progress)
	}
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", task.Name, err)
	}
	if err := p.Validate(table); err != nil {
		return nil, fmt.Errorf("plan %s: %w", task.Name, err)
	}
	return p, nil
}

// columnsOf returns the groups that a task may use but for those with
// variable shifts.
func (in *instance) columnsOf(task Task) []column {
	var out []column
	for _, s := range task.Shapes {
		switch s {
		case plan.Uniform:
			out = append(out, in.uniform(task.Machine.Lanes)...)
		case plan.LaneDV:
			out = append(out, in.laneDV(task.Machine.Lanes)...)
		}
	}
	return out
}

// order sorts groups so that each leaves fewest survivors behind those before
// it, for its cost: a prefix of a plan is then a good plan too.
func order(p *plan.Plan) {
	var done plan.Plan
	left := p.Groups
	for len(left) > 0 {
		best, bestGain, bestRank, bestCost := -1, int64(0), 0, int64(1)
		before := done.TotalSurvivors()
		for n := range left {
			done.Groups = append(done.Groups, left[n])
			gain := int64(before - done.TotalSurvivors())
			rank := done.Rank()
			done.Groups = done.Groups[:len(done.Groups)-1]
			cost := int64(p.Machine.Instructions(&left[n]))
			// Groups that change nothing yet come last, the widest first.
			better := cmp.Or(cmp.Compare(gain*bestCost, bestGain*cost), rank-bestRank)
			if best < 0 || better > 0 {
				best, bestGain, bestRank, bestCost = n, gain, rank, cost
			}
		}
		done.Groups = append(done.Groups, left[best])
		left = slices.Delete(slices.Clone(left), best, best+1)
	}
	p.Groups = done.Groups
}
