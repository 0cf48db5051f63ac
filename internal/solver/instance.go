// Package solver chooses what the filter tests. It turns the consequences of
// the unavoidable bit conditions and what a machine can do in one group into
// SAT instances with cardinality bounds, and lowers the bound until the solver
// refutes it. The answer is the same on every machine: no clock and no map
// order decides anything.
package solver

import (
	"slices"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// instance is a table as the searches see it. A condition is a candidate edge,
// named by its index.
type instance struct {
	table *dvs.Table
	edges []dvs.Condition
	index map[dvs.Edge]int
	needs []need
}

// need is a set of conditions one of which a vector's lanes must test.
type need struct {
	dv    int
	edges []int
}

func newInstance(table *dvs.Table) *instance {
	in := &instance{table: table, edges: table.Candidates(), index: make(map[dvs.Edge]int)}
	for n, e := range in.edges {
		in.index[e.Edge] = n
	}
	return in
}

// cuts returns the needs of full coverage: for every component of a vector's
// span and every way to part its bits in two, some tested edge must cross.
// They say that the tested edges connect each component, which is that they
// span the same space.
func (in *instance) cuts() []need {
	var out []need
	for dv := range dvs.Count {
		span := in.table.Span(dv)
		for _, bits := range span.Components() {
			for side := 1; side < 1<<(len(bits)-1); side++ {
				var edges []int
				for n, u := range bits {
					for m := n + 1; m < len(bits); m++ {
						if side>>n&1 != side>>m&1 {
							edges = append(edges, in.between(span, u, bits[m]))
						}
					}
				}
				slices.Sort(edges)
				out = append(out, need{dv, edges})
			}
		}
	}
	return out
}

// between returns the condition that a span implies between two bits of a
// component, the lower bit first.
func (in *instance) between(span *dvs.Span, u, v dvs.Bit) int {
	e := dvs.Edge{I: u.Word, A: u.Pos, J: v.Word, B: v.Pos}
	if !span.Implies(e) {
		e.C = 1
	}
	return in.index[e]
}

// column is a group that a plan may use, and the conditions it tests.
type column struct {
	group plan.Group
	tests []test
}

// test is a condition tested for some vectors.
type test struct {
	edge int
	dvs  dvs.Mask
}

func (in *instance) column(g plan.Group) column {
	c := column{group: g}
	for _, l := range g.Lanes {
		if l.Used() {
			c.tests = append(c.tests, test{in.index[l.Edge], l.DVs})
		}
	}
	return c
}

// uniform returns the uniform groups of a machine: every window of every
// signature, in the order of signatures and starts, without those that test no
// more than another of the signature.
func (in *instance) uniform(lanes int) []column {
	words := make(map[plan.Signature][]int)
	var signatures []plan.Signature
	for _, e := range in.edges {
		s := plan.SignatureOf(e.Edge)
		if words[s] == nil {
			signatures = append(signatures, s)
		}
		words[s] = append(words[s], e.I)
	}
	slices.SortFunc(signatures, plan.Signature.Compare)
	var out []column
	for _, s := range signatures {
		for _, start := range windows(words[s], lanes, dvs.Steps-lanes-s.Gap) {
			out = append(out, in.column(plan.NewUniform(in.table, lanes, s, start)))
		}
	}
	return out
}

// windows returns the starts, none above last, of the windows of a width that
// hold words which no other window holds with more. Words are ascending.
func windows(words []int, width, last int) []int {
	var out []int
	end := -1
	for n, w := range words {
		// The window that starts at w reaches furthest of those that hold w
		// first.
		start := min(w, last)
		m := n
		for m+1 < len(words) && words[m+1] < start+width {
			m++
		}
		if m > end {
			out = append(out, start)
			end = m
		}
	}
	return out
}

// rows returns for every need the columns that meet it.
func rows(needs []need, columns []column) [][]int {
	meets := make(map[[2]int][]int) // by vector and condition
	for n, c := range columns {
		for _, t := range c.tests {
			for dv := range dvs.Count {
				if t.dvs.Has(dv) {
					meets[[2]int{dv, t.edge}] = append(meets[[2]int{dv, t.edge}], n)
				}
			}
		}
	}
	out := make([][]int, len(needs))
	for n, need := range needs {
		var cols []int
		for _, e := range need.edges {
			cols = append(cols, meets[[2]int{need.dv, e}]...)
		}
		slices.Sort(cols)
		out[n] = slices.Compact(cols)
	}
	return out
}

// laneDV returns the groups in which lanes are vectors.
func (in *instance) laneDV(lanes int) []column {
	type class struct {
		dvs.Type
		b int
	}
	type relative struct {
		plan.Signature
		offset int
	}
	var out []column
	for _, c := range []class{{dvs.TypeI, 0}, {dvs.TypeI, 2}, {dvs.TypeII, 0}, {dvs.TypeII, 2}} {
		ks := make(map[relative][]int)
		var forms []relative
		for dv, v := range dvs.All() {
			if v.Type != c.Type || v.B != c.b {
				continue
			}
			for _, e := range in.table.Span(dv).Edges() {
				r := relative{plan.SignatureOf(e), e.I - v.K}
				if ks[r] == nil {
					forms = append(forms, r)
				}
				ks[r] = append(ks[r], v.K)
			}
		}
		slices.SortFunc(forms, func(a, b relative) int {
			if n := a.Signature.Compare(b.Signature); n != 0 {
				return n
			}
			return a.offset - b.offset
		})
		for _, r := range forms {
			for _, k := range windows(ks[r], lanes, dvs.Steps-lanes-r.Gap-r.offset) {
				out = append(out, in.column(plan.NewLaneDV(in.table, lanes, dvs.DV{Type: c.Type, K: k, B: c.b}, r.offset, r.Signature)))
			}
		}
	}
	return out
}
