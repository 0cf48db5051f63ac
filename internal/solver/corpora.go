package solver

import (
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan/corpus"
)

// dismissals returns the needs that hold exactly if a plan dismisses, for every
// block of the corpora, each vector that the full conditions dismiss: of the
// vector's conditions that the block breaks the plan must test one.
func (in *instance) dismissals(corpora []corpus.Corpus) []need {
	size := len(in.edges)
	var own [dvs.Count]set
	for dv := range own {
		own[dv] = newSet(size)
		for n, e := range in.edges {
			if e.DVs.Has(dv) {
				own[dv].add(n)
			}
		}
	}
	var broken [dvs.Count]distinct
	all, some := newSet(size), newSet(size)
	for _, c := range corpora {
		for b := range c.Blocks {
			w := dvs.Expand(b)
			clear(all)
			for n := range in.edges {
				if !in.edges[n].Holds(&w) {
					all.add(n)
				}
			}
			for dv := range own {
				any := uint64(0)
				for n := range some {
					some[n] = all[n] & own[dv][n]
					any |= some[n]
				}
				if any != 0 {
					broken[dv].add(some)
				}
			}
		}
	}
	var out []need
	for dv := range broken {
		for _, s := range minimal(broken[dv].sets) {
			out = append(out, need{dv, s.members()})
		}
	}
	return out
}

// minimalRows returns the rows over columns that include no other.
func minimalRows(rows [][]int, columns int) [][]int {
	sets := make([]set, len(rows))
	for n, row := range rows {
		sets[n] = newSet(columns, row...)
	}
	var out [][]int
	for _, s := range minimal(sets) {
		out = append(out, s.members())
	}
	return out
}
