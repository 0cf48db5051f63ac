package report

import (
	"fmt"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/plan/corpus"
)

// sampled is the number of blocks of each family without end.
const sampled = 4096

// corpusTable counts what filters keep of blocks that people hash most.
type corpusTable struct {
	Plans []string
	Rows  []corpusRow
}

type corpusRow struct {
	Name   string
	Blocks int
	Kept   []string // pairs of block and vector a block: all conditions, then the plans
}

func newCorpusTable(facts []planFacts, table *dvs.Table) corpusTable {
	var out corpusTable
	for _, f := range facts {
		out.Plans = append(out.Plans, f.Name)
	}
	for _, c := range append(corpus.Systematic(), corpus.Sampled(sampled)...) {
		row := corpusRow{Name: c.Name}
		kept := make([]int, 1+len(facts))
		for b := range c.Blocks {
			row.Blocks++
			w := dvs.Expand(b)
			var some dvs.Mask
			for n, f := range facts {
				k := keeps(f.Plan, &w)
				kept[1+n] += k.Len()
				some |= k
			}
			if some != 0 { // plans dismiss nothing that all conditions keep
				kept[0] += table.Mask(&w).Len()
			}
		}
		for _, n := range kept {
			row.Kept = append(row.Kept, ratio(n, row.Blocks))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// familyTable is what filters leave of a block of each family of the mix.
type familyTable struct {
	Plans []string
	Rows  []familyRow
}

type familyRow struct {
	Name  string
	Parts int
	Kept  []string // all conditions, then the plans
}

func newFamilyTable(facts []planFacts, table *dvs.Table) familyTable {
	var out familyTable
	for _, f := range facts {
		out.Plans = append(out.Plans, f.Name)
	}
	for _, s := range corpus.Mix() {
		row := familyRow{Name: s.Family.Name, Parts: s.Parts, Kept: []string{rate(plan.FloorOn(table, s.Family))}}
		for _, f := range facts {
			row.Kept = append(row.Kept, rate(f.SurvivorsOn(s.Family)))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// keeps returns the vectors that p does not dismiss: the complement of
// Dismissed, without the lanes that have nothing left to dismiss.
func keeps(p *plan.Plan, w *[dvs.Steps]uint32) dvs.Mask {
	kept := dvs.AllMask
	for n := range p.Groups {
		lanes := p.Groups[n].Lanes
		for at := range lanes {
			if l := &lanes[at]; l.DVs&kept != 0 && !l.Holds(w) {
				kept &^= l.DVs
			}
		}
		if kept == 0 {
			break
		}
	}
	return kept
}

// ratio writes n/d with three decimals, and a bare 0 for none at all.
func ratio(n, d int) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%.3f", float64(n)/float64(d))
}
