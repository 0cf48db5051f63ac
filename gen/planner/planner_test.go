package planner

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/plan/corpus"
	"github.com/sha1dc/go/internal/solver"
	"github.com/sha1dc/go/plans"
)

// load returns all checked-in plans.
func load(t *testing.T) []*plan.Plan {
	t.Helper()
	var out []*plan.Plan
	for _, name := range plans.Names() {
		p, err := plans.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != name {
			t.Errorf("%s.txt holds plan %q", name, p.Name)
		}
		out = append(out, p)
	}
	return out
}

// Every task has its plan checked in and every plan its task.
func TestCheckedIn(t *testing.T) {
	have := make(map[string]*plan.Plan)
	for _, p := range load(t) {
		have[p.Name] = p
	}
	for _, task := range Tasks() {
		p := have[task.Name]
		if p == nil {
			t.Errorf("no plan %s is checked in: run \"go run ./gen plan\"", task.Name)
			continue
		}
		delete(have, task.Name)
		if p.Machine != task.Machine || p.Minimise != task.Minimise || p.Limit != task.Limit {
			t.Errorf("%s: the plan is not for its task", task.Name)
		}
	}
	for name := range have {
		t.Errorf("%s.txt is of no task", name)
	}
}

// The best values known; a change may improve on them, never fall behind.
func TestValues(t *testing.T) {
	best := map[string]struct{ score, bound int64 }{
		"full-uniform-16":  {22, 22},
		"full-uniform-8":   {31, 31},
		"full-uniform-4":   {48, 47},
		"full-uniform-1":   {156, 155},
		"full-variable-16": {15, 15},
		"full-variable-8":  {23, 23},
		"full-variable-4":  {42, 41},
		"full-polarity-16": {18, 18},
		"full-polarity-8":  {25, 24},
		"full-lanedv-16":   {60, 60},
		"full-lanedv-8":    {81, 81},
		"full-lanedv-4":    {122, 122},
		"full-mixed-16":    {76, 72},
	}
	for _, p := range load(t) {
		want, ok := best[p.Name]
		if !ok {
			continue
		}
		delete(best, p.Name)
		if p.Score() > want.score || p.Bound < want.bound {
			t.Errorf("%s: %d with bound %d, known are %d and %d", p.Name, p.Score(), p.Bound, want.score, want.bound)
		}
	}
	for name := range best {
		t.Errorf("no plan %s", name)
	}
}

// No partial plan keeps what all conditions dismiss among the blocks and
// families that must not survive, and a plan without its c = 1 groups is found
// out.
func TestCheck(t *testing.T) {
	table := dvs.Published()
	for _, p := range load(t) {
		if p.Limit != plan.Any {
			continue
		}
		if err := Check(p, table); err != nil {
			t.Error(err)
		}
		var names []string
		for _, c := range p.Machine.MustDismiss() {
			names = append(names, c.Name)
		}
		want := []string{"padding of whole blocks", "padding after zeros", "constant"}
		if p.Machine.Tail == 0 {
			want = append(want, "repeated byte", "one bit")
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s must dismiss %q, want %q", p.Name, names, want)
		}
		weak := *p
		weak.Groups = nil
		for _, g := range p.Groups {
			if g.C == 0 {
				weak.Groups = append(weak.Groups, g)
			}
		}
		for what, err := range map[string]error{
			"any check": Check(&weak, table), "families": weak.ValidateFamilies(table), "blocks": weak.ValidateBlocks(table),
		} {
			if err == nil || !strings.Contains(err.Error(), p.Name) {
				t.Errorf("%s without the conditions that zeros break, %s: %v", p.Name, what, err)
			}
		}
	}
}

// rate is the survivors of one corpus.
type rate struct {
	corpus string
	blocks int
	all    int   // that all conditions leave: vectors, added up over the blocks
	plans  []int // that each plan leaves
}

// excess is what plan n adds to the conditions' own survivors, a block.
func (r *rate) excess(n int) float64 { return float64(r.plans[n]-r.all) / float64(r.blocks) }

// rates returns what the plans let through on the systematic corpora and on
// samples of the others, whose size is given.
func rates(table *dvs.Table, plans []*plan.Plan, blocks int) []rate {
	var out []rate
	for _, c := range slices.Concat(corpus.Systematic(), corpus.Sampled(blocks)) {
		r := rate{corpus: c.Name, plans: make([]int, len(plans))}
		for b := range c.Blocks {
			w := dvs.Expand(b)
			r.blocks++
			r.all += table.Mask(&w).Len()
			for n, p := range plans {
				r.plans[n] += (^p.Dismissed(&w)).Len()
			}
		}
		out = append(out, r)
	}
	return out
}

// What plans may leave on a corpus above what all conditions leave there,
// survivors a block: what they do leave, rounded up. The plans were not made
// with these corpora, but for the first five, which must be dismissed. On random
// blocks 0.021 are expected of the weakest plan.
var excessLimits = map[string]float64{
	"padding of whole blocks": 0, "padding after zeros": 0, "constant": 0, "repeated byte": 0, "one bit": 0,
	"repeated bit pair": 0.01, "one byte": 0.01, "byte ramp": 0.025, "random": 0.03, "repeated word": 0.03,
	"ASCII text": 0.025, "hexadecimal digits": 0.02, "counters": 0.025, "sparse": 0.015, "records": 0.025,
	"short messages": 0.025, "tar headers": 0.025, "git trees": 0.03, "git commits": 0.03,
	"PDF cross-references": 0.02,
}

// On data of every kind the plans leave hardly more than on random blocks.
func TestRates(t *testing.T) {
	table := dvs.Published()
	var partial []*plan.Plan
	for _, p := range load(t) {
		if p.Limit == plan.Any && p.Machine.Tail == 0 {
			partial = append(partial, p)
		}
	}
	for _, r := range rates(table, partial, 3000) {
		for n, p := range partial {
			if r.plans[n] < r.all {
				t.Errorf("%s dismisses what the conditions keep on %s", p.Name, r.corpus)
			}
			limit, ok := excessLimits[r.corpus]
			if excess := r.excess(n); excess > limit || !ok {
				t.Errorf("%s on %s: %.4f survivors a block more than all conditions leave, limit %.3f", p.Name, r.corpus, excess, limit)
			}
		}
	}
}

// On text and records of any kind the plans leave exactly what they leave on
// random blocks, as all conditions do.
func TestAlike(t *testing.T) {
	table := dvs.Published()
	for _, f := range corpus.Alike() {
		if got, want := plan.FloorOn(table, f), plan.Floor(table); got != want {
			t.Errorf("%s: all conditions leave %.5f, on random blocks %.5f", f.Name, got.Rate(), want.Rate())
		}
		for _, p := range load(t) {
			if got, want := p.SurvivorsOn(f), p.TotalSurvivors(); got != want {
				t.Errorf("%s on %s: %.5f survivors, on random blocks %.5f", p.Name, f.Name, got.Rate(), want.Rate())
			}
		}
	}
}

// A search with costs of all kinds takes the same way on every processor: no
// fused or differently rounded arithmetic decides anything. "make portable" runs
// it for other architectures than the one that solves the plans.
func TestEverywhere(t *testing.T) {
	for _, task := range Tasks() {
		if task.Name != "avx512" {
			continue
		}
		task.Corpora, task.Kicks, task.Nodes = task.Corpora[2:4], 2, 4
		p, err := solver.Solve(dvs.Published(), task, nil)
		if err != nil {
			t.Fatal(err)
		}
		text := plan.Format(p, dvs.Published())
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); got != everywhere {
			t.Errorf("the plan has the hash %s, want %s (of the last change to the search or the costs):\n%s", got, everywhere, text)
		}
	}
}

// everywhere is the hash of the plan of TestEverywhere.
const everywhere = "e3fd04f526d6f6fc4318937ee93a12df6a233801ee2d13e2a4d312e3409cea77"

// The same plans come out whatever the number of processors, and they are the
// ones checked in.
func TestDeterministic(t *testing.T) {
	table := dvs.Published()
	var quick []solver.Task
	for _, task := range Tasks() {
		switch task.Name {
		case "full-uniform-16", "full-uniform-8", "full-lanedv-16", "full-lanedv-8":
			quick = append(quick, task)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2} {
		runtime.GOMAXPROCS(procs)
		var progress bytes.Buffer
		files, err := solveAll(table, quick, Printer(&progress))
		if err != nil {
			t.Fatal(err)
		}
		if progress.Len() == 0 {
			t.Error("no progress")
		}
		for _, f := range files {
			want, err := plans.Text(f.Plan.Name)
			if err != nil {
				t.Fatal(err)
			}
			if f.Content != want {
				t.Errorf("%d processors: %s is not what is checked in:\n%s\nwant\n%s", procs, f.Name, f.Content, want)
			}
		}
	}
}
