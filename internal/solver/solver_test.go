package solver

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irifrance/gini/z"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/plan/corpus"
)

// Covers of up to twelve columns, against all choices of columns.
func TestCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 300 {
		size := 1 + rng.IntN(12)
		c := &cover{cost: make([]int, size)}
		for n := range c.cost {
			c.cost[n] = 2 * (1 + rng.IntN(3))
		}
		var masks []int
		for range rng.IntN(15) {
			mask := 1 + rng.IntN(1<<size-1)
			masks = append(masks, mask)
			var row []int
			for n := range size {
				if mask>>n&1 != 0 {
					row = append(row, n)
				}
			}
			c.rows = append(c.rows, row)
		}
		want := -1
		for choice := range 1 << size {
			if slices.ContainsFunc(masks, func(m int) bool { return m&choice == 0 }) {
				continue
			}
			cost := 0
			for n := range size {
				cost += choice >> n & 1 * c.cost[n]
			}
			if want < 0 || cost < want {
				want = cost
			}
		}
		got, err := c.solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.cost != want || got.bound != want {
			t.Fatalf("trial %d: cost %d, bound %d, want %d", trial, got.cost, got.bound, want)
		}
		for n, row := range c.rows {
			if !slices.ContainsFunc(row, func(col int) bool { return slices.Contains(got.chosen, col) }) {
				t.Errorf("trial %d: row %d is not met", trial, n)
			}
		}
	}
	if _, err := (&cover{rows: [][]int{{}}, cost: []int{1}}).solve(nil); err == nil {
		t.Error("a row without columns is met")
	}
}

// smallTables are tables of few candidates: a chain, a clique, two vectors that
// share words, bits of one word.
var smallTables = []string{
	`W[40].4 ^ W[43].29 = 0 : I(43,0)
W[41].4 ^ W[44].29 = 0 : I(43,0) I(44,0)
W[42].4 ^ W[45].29 = 0 : I(44,0)
W[43].29 ^ W[44].29 = 1 : I(43,0)`,
	`W[40].6 ^ W[42].6 = 0 : I(43,0)
W[42].6 ^ W[44].6 = 0 : I(43,0)
W[44].6 ^ W[46].6 = 0 : I(43,0)
W[42].6 ^ W[43].1 = 1 : I(44,0)`,
	`W[37].1 ^ W[37].6 = 0 : I(51,2)
W[37].1 ^ W[38].6 = 1 : I(51,2)
W[38].1 ^ W[39].6 = 1 : II(46,2)
W[40].1 ^ W[41].6 = 1 : II(46,2)
W[39].6 ^ W[40].1 = 0 : II(47,0)`,
}

// combine returns the least value of the choices of groups whose plan is
// allowed, by trying all.
func combine(p plan.Plan, groups []plan.Group, allowed func(*plan.Plan) bool) int64 {
	best := int64(-1)
	for choice := uint(1); choice < 1<<len(groups); choice++ {
		p.Groups = nil
		for c := choice; c != 0; c &= c - 1 {
			p.Groups = append(p.Groups, groups[bits.TrailingZeros(c)])
		}
		if v := p.Score(); (best < 0 || v < best) && allowed(&p) {
			best = v
		}
	}
	return best
}

// allGroups returns all groups of a shape that test something, by trying all
// words and signatures. It shares nothing with the searches.
func allGroups(table *dvs.Table, lanes int, shape plan.Shape) []plan.Group {
	var out []plan.Group
	have := make(map[string]bool)
	add := func(g plan.Group) {
		if g.DVs() == 0 {
			return
		}
		// Windows that test the same are the same.
		key := ""
		for _, l := range g.Lanes {
			if l.Used() {
				key += fmt.Sprintln(l.Edge, l.DVs)
			}
		}
		if !have[key] {
			have[key] = true
			out = append(out, g)
		}
	}
	for _, e := range table.Candidates() {
		s := plan.SignatureOf(e.Edge)
		for start := e.I - lanes + 1; start <= e.I; start++ {
			switch shape {
			case plan.Uniform:
				add(plan.NewUniform(table, lanes, s, start))
			case plan.LaneDV:
				for _, v := range e.DVs.DVs() {
					first := v
					first.K -= e.I - start
					add(plan.NewLaneDV(table, lanes, first, e.I-v.K, s))
				}
			}
		}
	}
	return out
}

func parseTable(t *testing.T, text string) *dvs.Table {
	t.Helper()
	table, err := dvs.Parse("small", text)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func task(shape plan.Shape, lanes int) Task {
	return Task{
		Name: "small", Shapes: []plan.Shape{shape}, Limit: plan.Full, First: 20,
		Machine: plan.Machine{Name: "small", Lanes: lanes, Equal: 4, Shifted: 6, Variable: 6, LaneDV: 3, Slot: 300, Recheck: 5000},
	}
}

// Full coverage of small tables, against all choices of groups.
func TestFull(t *testing.T) {
	for n, text := range smallTables {
		table := parseTable(t, text)
		for _, lanes := range []int{1, 2, 4} {
			for _, shape := range []plan.Shape{plan.Uniform, plan.LaneDV} {
				for _, minimise := range []plan.Quantity{plan.Groups, plan.Instructions} {
					for _, kicks := range []int{0, 5} { // SAT, branch and bound
						task := task(shape, lanes)
						task.Minimise, task.Kicks, task.Nodes = minimise, kicks, 200
						p, err := Solve(table, task, nil)
						if err != nil {
							t.Fatal(err)
						}
						groups := allGroups(table, lanes, shape)
						if len(groups) > 18 {
							t.Fatalf("%d groups are too many to try all", len(groups))
						}
						want := combine(*p, groups, func(q *plan.Plan) bool { return q.Rank() == table.Rank() })
						if p.Score() != want || p.Bound != want {
							t.Errorf("table %d, %d lanes, %v, %v, %d kicks: %d, bound %d, want %d", n, lanes, shape, minimise, kicks, p.Score(), p.Bound, want)
						}
					}
				}
			}
		}
	}
}

// Variable shifts on small tables, against all choices of conditions. Groups
// of one gap are intervals over the first words, so those that a choice needs
// are found by going from left to right.
func TestVariable(t *testing.T) {
	for n, text := range smallTables {
		table := parseTable(t, text)
		edges := table.Candidates()
		for _, lanes := range []int{1, 2, 4} {
			want := -1
			for choice := range 1 << len(edges) {
				var spans [dvs.Count]dvs.Span
				rank, groups := 0, 0
				type open struct{ gap, end, last int }
				var windows []*open
				for m, e := range edges { // by first word
					if choice>>m&1 == 0 {
						continue
					}
					for dv := range dvs.Count {
						if e.DVs.Has(dv) {
							if independent, _ := spans[dv].Add(e.Edge); independent {
								rank++
							}
						}
					}
					at := slices.IndexFunc(windows, func(w *open) bool { return w.gap == e.J-e.I && e.I < w.end && w.last < e.I })
					if at < 0 {
						at = len(windows)
						windows = append(windows, &open{e.J - e.I, e.I + lanes, 0})
						groups++
					}
					windows[at].last = e.I
				}
				if rank == table.Rank() && (want < 0 || groups < want) {
					want = groups
				}
			}
			p, err := Solve(table, task(plan.Variable, lanes), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Groups) != want || p.Bound != int64(want) {
				t.Errorf("table %d, %d lanes: %d groups, bound %d, want %d", n, lanes, len(p.Groups), p.Bound, want)
			}
		}
	}
}

// Uniform and variable groups together are never dearer than either alone.
func TestMixed(t *testing.T) {
	for n, text := range smallTables {
		table := parseTable(t, text)
		score := func(shapes ...plan.Shape) int64 {
			task := task(plan.Uniform, 2)
			task.Shapes, task.Minimise, task.First = shapes, plan.Instructions, 40
			p, err := Solve(table, task, nil)
			if err != nil {
				t.Fatal(err)
			}
			if p.Bound != p.Score() {
				t.Errorf("table %d, %v: %d is not proved, bound %d", n, shapes, p.Score(), p.Bound)
			}
			return p.Score()
		}
		mixed := score(plan.Uniform, plan.Variable)
		if mixed > min(score(plan.Uniform), score(plan.Variable)) {
			t.Errorf("table %d: mixed plan costs %d, uniform %d, variable %d", n, mixed, score(plan.Uniform), score(plan.Variable))
		}
	}
}

// What pays on small tables, with blocks and families that must be dismissed,
// against all choices of groups.
func TestPartial(t *testing.T) {
	for n, text := range smallTables {
		table := parseTable(t, text)
		for _, lanes := range []int{1, 2, 4} {
			for _, corpora := range [][]corpus.Corpus{nil, corpus.Systematic()[2:3]} {
				task := task(plan.Uniform, lanes)
				task.Minimise, task.Limit, task.Kicks, task.Nodes = plan.Cycles, plan.Any, 5, 500
				task.Corpora, task.Families = corpora, corpus.Contradicted()
				p, err := Solve(table, task, nil)
				if err != nil {
					t.Fatal(err)
				}
				want := combine(*p, allGroups(table, lanes, plan.Uniform), func(q *plan.Plan) bool {
					for _, c := range corpora {
						for b := range c.Blocks {
							w := dvs.Expand(b)
							if table.Mask(&w)|q.Dismissed(&w) != dvs.AllMask {
								return false
							}
						}
					}
					return q.ValidateFamilies(table) == nil
				})
				if p.Score() != want || p.Bound != want {
					t.Errorf("table %d, %d lanes, %d corpora: %d, bound %d, want %d", n, lanes, len(corpora), p.Score(), p.Bound, want)
				}
			}
		}
	}
}

// The views count the survivors of a mix of data as plans do, which go about it
// another way.
func TestViews(t *testing.T) {
	in := newInstance(dvs.Published())
	columns := in.uniform(8)
	for _, c := range []struct {
		views []view
		want  func(*plan.Plan) plan.Survivors
	}{
		{in.random(), (*plan.Plan).TotalSurvivors},
		{in.mixed(corpus.Mix(), corpus.Contradicted()), (*plan.Plan).MixedSurvivors},
	} {
		q := newProblem(in, columns, make([]int64, len(columns)), c.views)
		q.survivor = 1
		rng := rand.New(rand.NewPCG(13, 14))
		compared := 0
		for range 60 {
			choice := newChoice(q)
			var p plan.Plan
			for _, n := range rng.Perm(len(columns))[:20+rng.IntN(100)] {
				choice.flip(n)
				p.Groups = append(p.Groups, columns[n].group)
			}
			if p.ValidateFamilies(in.table) != nil {
				continue // views leave out what must be dismissed
			}
			compared++
			if got := plan.Survivors(choice.value); got != c.want(&p) {
				t.Fatalf("%d groups: %d survivors, the plan says %d", len(p.Groups), got, c.want(&p))
			}
		}
		if compared < 10 {
			t.Errorf("%d plans compared", compared)
		}
	}
}

// A relaxation is a bound whatever its prices.
func TestPricesBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for n, text := range smallTables {
		in := newInstance(parseTable(t, text))
		columns := in.uniform(2)
		cost := make([]int64, len(columns))
		for c := range cost {
			cost[c] = 1 + rng.Int64N(1<<20)
		}
		p := newProblem(in, columns, cost, in.random())
		p.survivor = 30
		p.require(covering(rows(in.dismissals(corpus.Systematic()[2:3]), columns)))
		least := int64(-1)
		for mask := range 1 << len(columns) {
			c := newChoice(p)
			for col := range columns {
				if mask>>col&1 != 0 {
					c.flip(col)
				}
			}
			if least < 0 || c.value < least {
				least = c.value
			}
		}
		r := newRelaxed(p)
		for range 200 {
			d := newDual(p)
			for dv := range d.edge {
				for e := range d.edge[dv] {
					d.edge[dv][e] = rng.Int64N(1 << 20)
				}
			}
			for row := range d.row {
				d.row[row] = rng.Int64N(1 << 20)
			}
			p.relax(d, make([]uint8, len(columns)), r)
			if r.value > least {
				t.Fatalf("table %d: bound %d above the least cost %d", n, r.value, least)
			}
		}
	}
}

// The cuts say the same as equality of spans: a choice of conditions meets all
// cuts of a vector exactly if it has the vector's rank.
func TestCuts(t *testing.T) {
	table := dvs.Published()
	in := newInstance(table)
	cuts := in.cuts()
	if len(cuts) != 5706 {
		t.Errorf("%d cuts, want 5706", len(cuts))
	}
	rng := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		dv := rng.IntN(dvs.Count)
		chosen := make([]bool, len(in.edges))
		var span dvs.Span
		share := rng.IntN(100)
		for n, e := range in.edges {
			if e.DVs.Has(dv) && rng.IntN(100) < share {
				chosen[n] = true
				span.Add(e.Edge)
			}
		}
		met := true
		for _, c := range cuts {
			if c.dv == dv {
				met = met && slices.ContainsFunc(c.edges, func(e int) bool { return chosen[e] })
			}
		}
		if met != span.Equal(table.Span(dv)) {
			t.Fatalf("%v: cuts met %v, span equal %v", dvs.All()[dv], met, span.Equal(table.Span(dv)))
		}
	}
}

// The optima of the published table that are proved fast.
func TestPublishedOptima(t *testing.T) {
	table := dvs.Published()
	for _, c := range []struct {
		shape plan.Shape
		lanes int
		want  int
	}{
		{plan.Uniform, 16, 22},
		{plan.Uniform, 8, 31},
		{plan.LaneDV, 16, 60},
		{plan.LaneDV, 8, 81},
	} {
		p, err := Solve(table, task(c.shape, c.lanes), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Groups) != c.want || p.Bound != int64(c.want) {
			t.Errorf("%v, %d lanes: %d groups, bound %d, want %d", c.shape, c.lanes, len(p.Groups), p.Bound, c.want)
		}
	}
}

func TestRankTooHigh(t *testing.T) {
	text := dvs.PublishedText()
	for n := range 3 {
		if _, err := Solve(parseTable(t, text), task(plan.Uniform, 16), nil); (err != nil) != (n > 0) || n > 0 && !strings.Contains(err.Error(), "II(52,0) have rank") {
			t.Errorf("%d conditions more: error %v", n, err)
		}
		text += fmt.Sprintf("\nW[10].%d ^ W[11].1 = 0 : II(52,0)\n", n)
	}
}

func TestWindows(t *testing.T) {
	for _, c := range []struct {
		words       []int
		width, last int
		want        []int
	}{
		{[]int{5}, 4, 70, []int{5}},
		{[]int{5, 6, 8}, 4, 70, []int{5}},
		{[]int{5, 6, 9}, 4, 70, []int{5, 6}},
		{[]int{5, 6, 9, 20}, 4, 70, []int{5, 6, 20}},
		{[]int{60, 62}, 4, 59, []int{59}},
	} {
		if got := windows(c.words, c.width, c.last); !slices.Equal(got, c.want) {
			t.Errorf("windows(%v, %d, %d) = %v, want %v", c.words, c.width, c.last, got, c.want)
		}
	}
}

// The fewest survivors for each number of groups, against all choices.
func TestCurve(t *testing.T) {
	for n, text := range smallTables {
		table := parseTable(t, text)
		task := task(plan.Uniform, 2)
		groups := allGroups(table, 2, plan.Uniform)
		for _, point := range Curve(table, task.Machine, 1, 3, 200) {
			want := plan.Survivors(1 << 30)
			for choice := range uint(1 << len(groups)) {
				if bits.OnesCount(choice) > point.Groups {
					continue
				}
				var p plan.Plan
				for c := choice; c != 0; c &= c - 1 {
					p.Groups = append(p.Groups, groups[bits.TrailingZeros(c)])
				}
				want = min(want, p.TotalSurvivors())
			}
			if point.Survivors != want || point.Bound != want {
				t.Errorf("table %d, %d groups: %d survivors, bound %d, want %d", n, point.Groups, point.Survivors, point.Bound, want)
			}
		}
	}
}

// Greedy takes what the published comparisons took.
func TestGreedy(t *testing.T) {
	for lanes, want := range map[int]int{16: 22, 8: 35, 4: 50} {
		if got := len(Greedy(dvs.Published(), task(plan.Uniform, lanes)).Groups); got != want {
			t.Errorf("%d lanes: %d groups, want %d", lanes, got, want)
		}
	}
}

// Branch and bound with costs and rows of all kinds, against all choices of
// columns.
func TestMinimise(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for trial := range 150 {
		in := newInstance(parseTable(t, smallTables[trial%len(smallTables)]))
		columns := in.uniform(1 + rng.IntN(2))
		cost := make([]int64, len(columns))
		for c := range cost {
			cost[c] = 1000 * (1 + rng.Int64N(50))
		}
		p := newProblem(in, columns, cost, in.random())
		p.full = trial%2 == 0
		p.survivor = rng.Int64N(5)
		var rows [][]int
		for range rng.IntN(4) {
			rows = append(rows, rng.Perm(len(columns))[:2])
		}
		p.require(covering(rows))
		least := int64(-1)
		for mask := range 1 << len(columns) {
			c := newChoice(p)
			for col := range columns {
				if mask>>col&1 != 0 {
					c.flip(col)
				}
			}
			if least < 0 || c.value < least {
				least = c.value
			}
		}
		// Without a local search the branching alone must get there.
		_, value, bound := p.minimise(effort{kicks: 0, rounds: 20, nodes: 5000}, 1, nil)
		if value != least || bound != least {
			t.Fatalf("trial %d: value %d, bound %d, want %d", trial, value, bound, least)
		}
	}
}

// A tally's literals hold exactly if the weights add up to their bound at most.
func TestTally(t *testing.T) {
	weights := []int{4, 6, 4, 10, 6, 4}
	for chosen := range 1 << len(weights) {
		m := newModel("tally", nil)
		x := m.lits(len(weights))
		tally := m.tally(x, weights)
		if tally.unit() != 2 {
			t.Fatalf("unit %d, want 2", tally.unit())
		}
		var atMost []z.Lit
		for bound := range 40 {
			atMost = append(atMost, tally.atMost(bound))
		}
		m.freeze()
		sum := 0
		for n, l := range x {
			if chosen>>n&1 != 0 {
				sum += weights[n]
				m.clause(l)
			} else {
				m.clause(l.Not())
			}
		}
		for bound, l := range atMost {
			if got := m.solve(bound, l); got != (sum <= bound) {
				t.Fatalf("weights add up to %d: at most %d is %v", sum, bound, got)
			}
		}
	}
}
