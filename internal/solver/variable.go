package solver

import (
	"fmt"
	"slices"

	"github.com/irifrance/gini/z"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// place names the conditions that one lane of a variable-shift group chooses
// from: those with their first bit in word i and the second gap words later,
// and with XOR c if groups have one polarity.
type place struct {
	gap int
	c   uint32
	i   int
}

func (p place) compare(q place) int {
	return slices.Compare([]int{p.gap, int(p.c), p.i}, []int{q.gap, int(q.c), q.i})
}

// window is where variable-shift groups start; used[n] says that there are
// more than n of them.
type window struct {
	place
	used []z.Lit
}

// reaches reports whether the window has a lane for the place.
func (w *window) reaches(pl place, lanes int) bool {
	return w.gap == pl.gap && w.c == pl.c && w.i <= pl.i && pl.i < w.i+lanes
}

// solveVariable chooses the cheapest groups that cover all conditions where
// some of them may have variable shifts. A window holds as many such groups as
// its lanes need: in every place, at least as many groups reach it as
// conditions are tested there.
func solveVariable(p *plan.Plan, in *instance, task Task, progress Progress) error {
	if task.First == 0 && task.Known == nil {
		return fmt.Errorf("no bound to begin with")
	}
	m := newModel(task.Name, progress)
	lanes := task.Machine.Lanes
	fixed := in.columnsOf(task)

	x := m.lits(len(in.edges)) // tested by a variable-shift group
	y := m.lits(len(fixed))    // fixed group chosen
	at := make(map[place][]int)
	var places []place
	for n, e := range in.edges {
		pl := place{gap: e.J - e.I, i: e.I}
		if task.OnePolarity {
			pl.c = e.C
		}
		if at[pl] == nil {
			places = append(places, pl)
		}
		at[pl] = append(at[pl], n)
	}
	slices.SortFunc(places, place.compare)

	// A window may start at a condition: shifted right until it does, it loses
	// nothing.
	var windows []window
	for _, pl := range places {
		w := window{place: pl}
		w.i = min(w.i, dvs.Steps-lanes-w.gap)
		if n := len(windows); n > 0 && windows[n-1].place == w.place {
			continue
		}
		most := 0 // no lane needs more groups
		for _, q := range places {
			if w.reaches(q, lanes) {
				most = max(most, len(at[q]))
			}
		}
		w.used = m.lits(most)
		windows = append(windows, w)
	}
	var enough [][2]z.Lit // the first implies the second
	for _, pl := range places {
		var tested, reach []z.Lit
		for _, e := range at[pl] {
			tested = append(tested, x[e])
		}
		for _, w := range windows {
			if w.reaches(pl, lanes) {
				reach = append(reach, w.used...)
			}
		}
		wanted, have := m.count(tested), m.count(reach)
		for n := 1; n <= len(tested); n++ {
			enough = append(enough, [2]z.Lit{wanted.Geq(n), have.Geq(n)})
		}
	}
	var counted []z.Lit
	var weights []int
	weigh := func(l z.Lit, g *plan.Group) {
		counted = append(counted, l)
		weights = append(weights, 1)
		if task.Minimise == plan.Instructions {
			weights[len(weights)-1] = task.Machine.Instructions(g)
		}
	}
	for _, w := range windows {
		for _, l := range w.used {
			weigh(l, &plan.Group{Shape: plan.Variable})
		}
	}
	testers := make([][]z.Lit, len(in.edges))
	for n := range testers {
		testers[n] = []z.Lit{x[n]}
	}
	for n := range fixed {
		weigh(y[n], &fixed[n].group)
		for _, t := range fixed[n].tests {
			testers[t.edge] = append(testers[t.edge], y[n])
		}
	}
	total := m.tally(counted, weights)
	unit := total.unit()
	atMost := make([]z.Lit, task.First/unit+1)
	for n := range atMost {
		atMost[n] = total.atMost(n * unit)
	}
	reached := in.reached(m, testers)
	m.freeze()

	for _, l := range reached {
		m.clause(l)
	}
	for _, e := range enough {
		m.clause(e[0].Not(), e[1])
	}
	for _, w := range windows {
		for n := 1; n < len(w.used); n++ {
			m.clause(w.used[n].Not(), w.used[n-1])
		}
	}
	sets := make([]set, 0)
	for _, c := range in.cuts() {
		sets = append(sets, newSet(len(in.edges), c.edges...))
	}
	for _, cut := range minimal(sets) {
		var lits []z.Lit
		for _, e := range cut.members() {
			lits = append(lits, testers[e]...)
		}
		slices.Sort(lits)
		m.clause(slices.Compact(lits)...)
	}

	if task.Known != nil {
		p.Groups = task.Known.Groups
	}
	for bound := task.First / unit; task.Known == nil; {
		if !m.solve(bound*unit, atMost[bound]) {
			p.Bound = int64((bound + 1) * unit)
			break
		}
		p.Groups = nil
		for n := range fixed {
			if m.value(y[n]) {
				p.Groups = append(p.Groups, fixed[n].group)
			}
		}
		p.Groups = append(p.Groups, in.pack(m, x, places, at, windows, lanes)...)
		value := int(p.Score())
		if value <= task.Last {
			// Whether less is possible is left open, but for what is refuted fast.
			if task.Refuted == 0 {
				break
			}
			bound = task.Refuted / unit
			if m.solve(bound*unit, atMost[bound]) {
				continue
			}
			p.Bound = int64((bound + 1) * unit)
			break
		}
		bound = value/unit - 1
	}
	p.Bound = max(p.Bound, in.priced(fixed, places, at, windows, lanes, func(g *plan.Group) int {
		if task.Minimise == plan.Instructions {
			return task.Machine.Instructions(g)
		}
		return 1
	}, p.Score(), int64(unit)))
	order(p)
	return nil
}

// priced returns the bound that prices prove. A condition is a column without
// cost, which takes a lane from the groups that reach its place.
func (in *instance) priced(fixed []column, places []place, at map[place][]int, windows []window, lanes int, weight func(*plan.Group) int, best, granule int64) int64 {
	const unit = 1 << 20
	columns := slices.Clone(fixed)
	var cost []int64
	for n := range fixed {
		cost = append(cost, unit*int64(weight(&fixed[n].group)))
	}
	var rows []row
	index := make(map[place]int)
	for _, pl := range places {
		index[pl] = len(rows)
		var r row
		for _, e := range at[pl] {
			r.terms = append(r.terms, term{len(columns), -1})
			columns = append(columns, column{tests: []test{{e, in.edges[e].DVs}}})
			cost = append(cost, 0)
		}
		rows = append(rows, r)
	}
	for _, w := range windows {
		for range w.used {
			for _, pl := range places {
				if w.reaches(pl, lanes) {
					rows[index[pl]].terms = append(rows[index[pl]].terms, term{len(columns), 1})
				}
			}
			columns = append(columns, column{})
			cost = append(cost, unit*int64(weight(&plan.Group{Shape: plan.Variable})))
		}
	}
	q := newProblem(in, columns, cost, in.random())
	q.full = true
	q.require(rows)
	// Aimed a little beyond the plan, the steps stay long enough to get further.
	bound, _, _ := q.improve(newDual(q), make([]uint8, len(columns)), (best+3*granule)*unit, rounds)
	return (bound + unit*granule - 1) / (unit * granule) * granule
}

// reached returns literals that hold if as many conditions are tested in each
// component as its rank. The cuts imply it, but not so that a SAT solver sees
// it.
func (in *instance) reached(m *model, testers [][]z.Lit) []z.Lit {
	tested := make([]z.Lit, len(testers))
	for e, lits := range testers {
		tested[e] = m.c.Ors(lits...)
	}
	var out []z.Lit
	var seen []set
	for _, p := range in.parts() {
		if len(p.bits) < 4 {
			continue
		}
		edges := newSet(len(testers))
		for n, u := range p.bits {
			for _, v := range p.bits[n+1:] {
				edges.add(in.between(in.table.Span(p.dv), u, v))
			}
		}
		if slices.ContainsFunc(seen, func(s set) bool { return slices.Equal(s, edges) }) {
			continue
		}
		seen = append(seen, edges)
		var lits []z.Lit
		for _, e := range edges.members() {
			lits = append(lits, tested[e])
		}
		out = append(out, m.count(lits).Geq(len(p.bits)-1))
	}
	return out
}

// pack puts the tested conditions into the groups that the windows hold.
func (in *instance) pack(m *model, x []z.Lit, places []place, at map[place][]int, windows []window, lanes int) []plan.Group {
	type open struct {
		window
		edges []dvs.Edge
		taken map[int]bool
	}
	var groups []*open
	for _, w := range windows {
		for _, l := range w.used {
			if m.value(l) {
				groups = append(groups, &open{window: w, taken: make(map[int]bool)})
			}
		}
	}
	for _, pl := range places {
		for _, e := range at[pl] {
			if !m.value(x[e]) {
				continue
			}
			for _, g := range groups {
				if g.reaches(pl, lanes) && !g.taken[pl.i] {
					g.taken[pl.i] = true
					g.edges = append(g.edges, in.edges[e].Edge)
					break
				}
			}
		}
	}
	var out []plan.Group
	for _, g := range groups {
		if len(g.edges) > 0 {
			out = append(out, plan.NewVariable(in.table, lanes, g.gap, g.i, g.edges))
		}
	}
	return out
}
