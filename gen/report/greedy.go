package report

import (
	"math"
	"slices"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// greedy returns the uniform groups that a choice without foresight takes until
// all conditions are covered: always the group that adds most value, the first
// by signature and start among equals. It is the baseline that solved plans are
// compared with. A group's gain in value must never grow with what was chosen
// before it.
func greedy(table *dvs.Table, lanes int, value func(plan.Plan) int64) *plan.Plan {
	type candidate struct {
		group plan.Group
		gain  int64 // when last computed, so an upper bound
		round int   // in which that was
	}
	var candidates []candidate
	for _, s := range signatures(table) {
		for start := 0; start+s.Gap+lanes <= dvs.Steps; start++ {
			if g := plan.NewUniform(table, lanes, s, start); g.DVs() != 0 {
				candidates = append(candidates, candidate{g, math.MaxInt64, -1})
			}
		}
	}
	chosen := &plan.Plan{}
	for round := 0; chosen.Rank() < table.Rank(); round++ {
		for {
			best := &candidates[0]
			for n := range candidates {
				if candidates[n].gain > best.gain {
					best = &candidates[n]
				}
			}
			groups := append(chosen.Groups, best.group)
			if best.round == round {
				chosen.Groups = groups
				break
			}
			best.gain, best.round = value(plan.Plan{Groups: groups})-value(*chosen), round
		}
	}
	return chosen
}

// The values that greedy makes as large as it can.
func byRank(p plan.Plan) int64      { return int64(p.Rank()) }
func bySurvivors(p plan.Plan) int64 { return -int64(p.TotalSurvivors()) }

// signatures returns the signatures of all candidates in ascending order.
func signatures(table *dvs.Table) []plan.Signature {
	var out []plan.Signature
	for _, c := range table.Candidates() {
		out = append(out, plan.SignatureOf(c.Edge))
	}
	slices.SortFunc(out, plan.Signature.Compare)
	return slices.Compact(out)
}
