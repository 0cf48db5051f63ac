package solver

import (
	"slices"

	"github.com/irifrance/gini/z"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// solveFull chooses the cheapest groups of fixed form that cover all
// conditions: exactly by SAT, or, if the task has an effort, by search and
// prices.
func solveFull(p *plan.Plan, in *instance, task Task, progress Progress) error {
	columns := in.columnsOf(task)
	cost := make([]int, len(columns))
	for n := range columns {
		cost[n] = 1
		if task.Minimise == plan.Instructions {
			cost[n] = task.Machine.Instructions(&columns[n].group)
		}
	}
	var chosen []int
	if task.Kicks == 0 {
		s, err := (&cover{rows: rows(in.cuts(), columns), cost: cost, ranks: in.ranks(columns)}).solve(progress)
		if err != nil {
			return err
		}
		chosen, p.Bound = s.chosen, int64(s.bound)
	} else {
		const unit = 1 << 20 // so that prices are fine enough
		scaled := make([]int64, len(cost))
		for n, c := range cost {
			scaled[n] = int64(c) * unit
		}
		q := newProblem(in, columns, scaled, in.random())
		q.full = true
		var bound int64
		chosen, _, bound = q.minimise(effort{task.Kicks, rounds, task.Nodes}, unit, reporter(task.Name, unit, progress))
		p.Bound = bound / unit
	}
	for _, c := range chosen {
		p.Groups = append(p.Groups, columns[c].group)
	}
	order(p)
	return nil
}

// part is a component of a vector's span: its bits must be connected.
type part struct {
	dv   int
	bits []dvs.Bit
}

func (in *instance) parts() []part {
	var out []part
	for dv := range dvs.Count {
		for _, bits := range in.table.Span(dv).Components() {
			out = append(out, part{dv, bits})
		}
	}
	return out
}

// ranks returns for every component how the rank grows with a choice of
// columns. That the ranks of the chosen columns add up to the component's is
// implied by the cuts, but a SAT solver does not see it in cliques.
func (in *instance) ranks(columns []column) []func(chosen []int) rankBound {
	var out []func([]int) rankBound
	for _, p := range in.parts() {
		inside := make(map[dvs.Bit]bool)
		for _, b := range p.bits {
			inside[b] = true
		}
		edges := make([][]dvs.Edge, len(columns))
		for n, c := range columns {
			for _, t := range c.tests {
				e := in.edges[t.edge]
				if t.dvs.Has(p.dv) && inside[dvs.Bit{Word: e.I, Pos: e.A}] {
					edges[n] = append(edges[n], e.Edge)
				}
			}
		}
		out = append(out, func(chosen []int) rankBound {
			span := func() *dvs.Span {
				s := &dvs.Span{}
				for _, c := range chosen {
					for _, e := range edges[c] {
						s.Add(e)
					}
				}
				return s
			}
			before := span().Rank()
			b := rankBound{need: len(p.bits) - 1 - before, gain: make([]int, len(columns))}
			for n := range columns {
				if len(edges[n]) == 0 {
					continue
				}
				s := span()
				for _, e := range edges[n] {
					s.Add(e)
				}
				b.gain[n] = s.Rank() - before
			}
			return b
		})
	}
	return out
}

// rankBound says that the gains of the chosen columns add up to need.
type rankBound struct {
	gain []int
	need int
}

// add counts the gains of the columns in the model. It returns the literal
// that holds if they reach the need.
func (b rankBound) add(m *model, cols []int, x []z.Lit) (z.Lit, bool) {
	var counted []z.Lit
	for n, c := range cols {
		for range b.gain[c] {
			counted = append(counted, x[n])
		}
	}
	// A need of one or two is a cut or nearly so.
	if b.need < 3 || len(counted) < b.need {
		return z.LitNull, false
	}
	return m.count(counted).Geq(b.need), true
}

func sortedUnion(rows []set) []int {
	all := slices.Clone(rows[0])
	for _, row := range rows[1:] {
		for n := range all {
			all[n] |= row[n]
		}
	}
	return all.members()
}
