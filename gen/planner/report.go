package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/plan/corpus"
	"github.com/sha1dc/go/internal/solver"
)

// Table returns the plans as a Markdown table, beside what taking the best
// group again and again gives. The greedy plans disregard the corpora, so a
// partial plan may be dearer than its greedy neighbour.
func Table(table *dvs.Table, plans []*plan.Plan) string {
	var b strings.Builder
	b.WriteString("| plan | shapes | lanes | groups | greedy groups | instructions | survivors a block | minimises | value | proved lower bound | gap |\n")
	b.WriteString("|---|---|---:|---:|---:|---:|---:|---|---:|---:|---:|\n")
	for _, p := range plans {
		shapes := make([]string, len(p.Shapes))
		for n, s := range p.Shapes {
			shapes[n] = s.String()
		}
		greedy := "-"
		if !slices.Contains(p.Shapes, plan.Variable) {
			g := solver.Greedy(table, solver.Task{Machine: p.Machine, Shapes: p.Shapes, Minimise: p.Minimise, Limit: p.Limit})
			greedy = fmt.Sprint(len(g.Groups))
		}
		gap := "none: optimal"
		if p.Bound != p.Score() {
			gap = fmt.Sprintf("%.2f %%", 100*float64(p.Score()-p.Bound)/float64(p.Score()))
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %d | %.4f | %v | %s | %s | %s |\n",
			p.Name, strings.Join(shapes, ", "), p.Machine.Lanes, len(p.Groups), greedy, p.Instructions(),
			p.TotalSurvivors().Rate(), p.Minimise, p.Minimise.Format(p.Score()), p.Minimise.Format(p.Bound), gap)
	}
	return b.String()
}

// Rate is the survivors of one corpus.
type Rate struct {
	Corpus string
	Blocks int
	All    int   // that all conditions leave: vectors, added up over the blocks
	Plans  []int // that each plan leaves
}

// Rates returns what the plans let through on the systematic corpora and on
// samples of the others, whose size is given.
func Rates(table *dvs.Table, plans []*plan.Plan, blocks int) []Rate {
	var out []Rate
	for _, c := range slices.Concat(corpus.Systematic(), corpus.Sampled(blocks)) {
		r := Rate{Corpus: c.Name, Plans: make([]int, len(plans))}
		for b := range c.Blocks {
			w := dvs.Expand(b)
			r.Blocks++
			r.All += table.Mask(&w).Len()
			for n, p := range plans {
				r.Plans[n] += (^p.Dismissed(&w)).Len()
			}
		}
		out = append(out, r)
	}
	return out
}

// RateTable returns rates as a Markdown table of survivors a block.
func RateTable(plans []*plan.Plan, rates []Rate) string {
	var b strings.Builder
	b.WriteString("| corpus | blocks | all conditions |")
	rule := "|---|---:|---:|"
	for _, p := range plans {
		fmt.Fprintf(&b, " %s |", p.Name)
		rule += "---:|"
	}
	b.WriteString("\n" + rule + "\n")
	for _, r := range rates {
		fmt.Fprintf(&b, "| %s | %d | %.4f |", r.Corpus, r.Blocks, float64(r.All)/float64(r.Blocks))
		for _, n := range r.Plans {
			fmt.Fprintf(&b, " %.4f |", float64(n)/float64(r.Blocks))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
