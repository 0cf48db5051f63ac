package solver

import (
	"maps"
	"slices"
	"time"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/logic"
	"github.com/irifrance/gini/z"
)

// Version names the SAT solver, for the record in plans.
const Version = "github.com/irifrance/gini v1.0.1"

// Step is a report of a search, in the units of its objective.
type Step struct {
	What    string
	Bound   float64       // proved so far, or tried
	Best    float64       // of what is known, if that is not Sat
	Sat     bool          // whether the bound tried can be met
	Clauses int           // of the SAT instance, or
	Nodes   int           // of the branch and bound
	Elapsed time.Duration // since the search began
}

// Progress receives reports. It may be nil, and never changes a result.
type Progress func(Step)

// model is a SAT instance under construction. Circuits must be complete before
// the first clause. Gini counts conflicts and decisions, but only its own
// packages can read them, so progress shows the clauses.
type model struct {
	c        *logic.C
	g        *gini.Gini
	clauses  int
	progress Progress
	what     string
	start    time.Time
}

// newModel returns an empty instance. The capacity is a prime because the
// circuit's hash table degenerates at powers of two.
func newModel(what string, progress Progress) *model {
	return &model{c: logic.NewCCap(1_000_003), progress: progress, what: what, start: time.Now()}
}

func (m *model) lits(n int) []z.Lit {
	out := make([]z.Lit, n)
	for k := range out {
		out[k] = m.c.Lit()
	}
	return out
}

// count returns the network that counts lits.
func (m *model) count(lits []z.Lit) *logic.CardSort { return logic.NewCardSort(lits, m.c) }

// tally counts literals by weight: one network for each weight that occurs,
// the heaviest first.
type tally struct {
	m       *model
	weights []int
	cards   []*logic.CardSort
}

func (m *model) tally(lits []z.Lit, weights []int) *tally {
	byWeight := make(map[int][]z.Lit)
	for n, l := range lits {
		byWeight[weights[n]] = append(byWeight[weights[n]], l)
	}
	t := &tally{m: m, weights: slices.Sorted(maps.Keys(byWeight))}
	slices.Reverse(t.weights)
	for _, w := range t.weights {
		t.cards = append(t.cards, m.count(byWeight[w]))
	}
	return t
}

// unit returns the common divisor of the weights.
func (t *tally) unit() int {
	unit := 0
	for _, w := range t.weights {
		unit = gcd(unit, w)
	}
	return unit
}

// atMost returns the literal that holds if the weights add up to bound at most:
// if n or more of the heaviest are counted, the others keep to what those leave.
func (t *tally) atMost(bound int) z.Lit {
	if bound < 0 {
		return t.m.c.F
	}
	if len(t.cards) == 1 {
		return t.cards[0].Leq(bound / t.weights[0])
	}
	rest := &tally{t.m, t.weights[1:], t.cards[1:]}
	out := t.m.c.T
	for n := range t.cards[0].N() + 1 {
		out = t.m.c.And(out, t.m.c.Or(t.cards[0].Less(n), rest.atMost(bound-n*t.weights[0])))
	}
	return out
}

// freeze turns the circuits into clauses.
func (m *model) freeze() {
	m.g = gini.New()
	m.c.ToCnf(m.g)
}

func (m *model) clause(lits ...z.Lit) {
	for _, l := range lits {
		m.g.Add(l)
	}
	m.g.Add(z.LitNull)
	m.clauses++
}

func (m *model) value(l z.Lit) bool {
	return l.Var() <= m.g.MaxVar() && m.g.Value(l)
}

func (m *model) solve(bound int, assume ...z.Lit) bool {
	m.g.Assume(assume...)
	sat := m.g.Solve() == 1
	if m.progress != nil {
		m.progress(Step{What: m.what, Bound: float64(bound), Sat: sat, Clauses: m.clauses, Elapsed: time.Since(m.start)})
	}
	return sat
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// solveBlock returns a cheapest choice of columns that meets all rows: a
// greedy one, improved until the solver refutes the next lower cost.
func solveBlock(rows []set, cost []int, ranks []rankBound, progress Progress) []int {
	best := greedyCover(rows, cost)
	sum := func(chosen []int) int {
		n := 0
		for _, c := range chosen {
			n += cost[c]
		}
		return n
	}
	m := newModel("cover", progress)
	cols := sortedUnion(rows)
	weights := make([]int, len(cols))
	index := make(map[int]int)
	for n, c := range cols {
		index[c], weights[n] = n, cost[c]
	}
	x := m.lits(len(cols))
	cards := m.tally(x, weights)
	unit := cards.unit()
	var reached []z.Lit
	for _, b := range ranks {
		if l, ok := b.add(m, cols, x); ok {
			reached = append(reached, l)
		}
	}
	bounds := make([]z.Lit, sum(best)/unit)
	for n := range bounds {
		bounds[n] = cards.atMost(n * unit)
	}
	m.freeze()
	for _, l := range reached {
		m.clause(l)
	}
	for _, row := range rows {
		var lits []z.Lit
		for _, c := range row.members() {
			lits = append(lits, x[index[c]])
		}
		m.clause(lits...)
	}
	for {
		bound := sum(best)/unit - 1
		if bound < 0 || !m.solve(bound*unit, bounds[bound]) {
			slices.Sort(best)
			return best
		}
		best = best[:0]
		for n, l := range x {
			if m.value(l) {
				best = append(best, cols[n])
			}
		}
	}
}
