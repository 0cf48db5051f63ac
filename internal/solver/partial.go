package solver

import (
	"time"

	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/plan/corpus"
)

// rounds is the number of price improvements for a bound that stands alone.
const rounds = 3000

// solvePartial chooses the uniform groups whose cost and survivors together
// are least.
func solvePartial(p *plan.Plan, in *instance, task Task, progress Progress) error {
	columns := in.columnsOf(task)
	cost := make([]int64, len(columns))
	for n := range columns {
		cost[n] = task.Machine.Cycles(task.Machine.Instructions(&columns[n].group), 0)
	}
	q := newProblem(in, columns, cost, in.mixed(corpus.Mix(), task.Families))
	q.survivor = int64(task.Machine.Survivor())
	needs := append(in.dismissals(task.Corpora), in.contradictions(task.Families)...)
	q.require(covering(minimalRows(rows(needs, columns), len(columns))))
	granule := q.survivor
	for _, c := range cost {
		granule = int64(gcd(int(granule), int(c)))
	}
	chosen, _, bound := q.minimise(effort{task.Kicks, rounds, task.Nodes}, granule, reporter(task.Name, plan.UnitsPerCycle, progress))
	for _, c := range chosen {
		p.Groups = append(p.Groups, columns[c].group)
	}
	p.Bound = bound
	order(p)
	return nil
}

// reporter returns what reports a search whose costs are in parts of unit.
func reporter(what string, unit int64, progress Progress) func(nodes int, bound, best int64) {
	if progress == nil {
		return nil
	}
	start := time.Now()
	return func(nodes int, bound, best int64) {
		progress(Step{What: what, Nodes: nodes, Bound: float64(bound) / float64(unit),
			Best: float64(best) / float64(unit), Elapsed: time.Since(start)})
	}
}
