package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sha1dc/go/gen/files"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/plan/corpus"
	"github.com/sha1dc/go/plans"
)

const root = "../.."

var once = sync.OnceValues(Files)

func generated(t *testing.T) []files.File {
	t.Helper()
	f, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWriteIsDeterministic(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "docs", "img", "plan-gone.svg")
	kept := filepath.Join(dir, "docs", "img", "drawing.svg")
	if err := os.MkdirAll(filepath.Dir(stale), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{stale, kept} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, f := range generated(t) {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, f.Content) {
			t.Errorf("%s: a second run writes other bytes", f.Path)
		}
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Error("the picture of a plan that is gone was left")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error("a file that is not the report's was removed")
	}
}

func TestCheckedIn(t *testing.T) {
	want := make(map[string]bool)
	for _, f := range generated(t) {
		want[f.Path] = true
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.Path)))
		if err != nil || !bytes.Equal(got, f.Content) {
			t.Errorf("%s is not what the plans give: run go run ./gen report", f.Path)
		}
	}
	pictures, err := filepath.Glob(filepath.Join(root, "docs", "img", "plan-*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		if name := "docs/img/" + filepath.Base(p); !want[name] {
			t.Errorf("%s shows no plan: run go run ./gen report", name)
		}
	}
}

func TestPictures(t *testing.T) {
	foreign := regexp.MustCompile(`(?i)<script|<image|@import|url\(|href="[^#]|\son\w+=`)
	for _, f := range generated(t) {
		if !strings.HasSuffix(f.Path, ".svg") {
			continue
		}
		seen := make(map[string]int)
		for d := xml.NewDecoder(bytes.NewReader(f.Content)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", f.Path, err)
			}
			if e, ok := token.(xml.StartElement); ok {
				seen[e.Name.Local]++
			}
		}
		if seen["svg"] != 1 || seen["title"] == 0 || seen["desc"] != 1 {
			t.Errorf("%s: %d svg, %d title, %d desc elements", f.Path, seen["svg"], seen["title"], seen["desc"])
		}
		if at := foreign.Find(f.Content); at != nil {
			t.Errorf("%s: %q is not self-contained", f.Path, at)
		}
		if bytes.Contains(f.Content, []byte("NaN")) || bytes.Contains(f.Content, []byte("Inf")) {
			t.Errorf("%s has a coordinate that is no number", f.Path)
		}
	}
}

func TestEveryPlanIsShown(t *testing.T) {
	all := make(map[string]string)
	for _, f := range generated(t) {
		all[f.Path] = string(f.Content)
	}
	page := all["docs/plans.md"]
	for _, name := range plans.Names() {
		p, err := plans.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page, "\n### "+name+"\n") || !strings.Contains(page, "](img/plan-"+name+".svg)") {
			t.Errorf("plan %s is not on the page", name)
		}
		used := 0
		for _, g := range p.Groups {
			for _, l := range g.Lanes {
				if !l.Used() {
					continue
				}
				used++
				if want := "<title>" + l.Edge.String() + ", adds "; !strings.Contains(all["docs/img/plan-"+name+".svg"], want) {
					t.Errorf("the picture of plan %s lacks %v", name, l.Edge)
				}
			}
		}
		if n := strings.Count(all["docs/img/plan-"+name+".svg"], "<g><title>"); n != used {
			t.Errorf("the picture of plan %s has %d cells, the plan %d lanes in use", name, n, used)
		}
	}
	for _, name := range []string{"docs/plans.md", "docs/architecture.md"} {
		for _, m := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllStringSubmatch(all[name], -1) {
			target := filepath.Join(root, "docs", filepath.FromSlash(m[1]))
			_, err := os.Stat(target)
			if _, ok := all["docs/"+m[1]]; !ok && err != nil {
				t.Errorf("%s: dead link %s", name, m[1])
			}
		}
	}
}

func TestGreedyBaseline(t *testing.T) {
	table := dvs.Published()
	for _, tt := range []struct{ lanes, groups int }{{16, 22}, {8, 35}, {4, 50}} {
		p := greedy(table, tt.lanes, byRank)
		if len(p.Groups) != tt.groups || p.Rank() != table.Rank() {
			t.Errorf("%d lanes: %d groups of rank %d, want %d of %d", tt.lanes, len(p.Groups), p.Rank(), tt.groups, table.Rank())
		}
	}
}

// No plan lies below the bounds that the plans of the same kind prove.
func TestBoundsAreBelowPlans(t *testing.T) {
	floor := plan.MixedFloor(dvs.Published())
	var all []*plan.Plan
	for _, name := range plans.Names() {
		p, err := plans.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	proved := 0
	for _, s := range seriesOf(all) {
		for _, p := range s.plans {
			for n, left := range p.MixedCurve() {
				b := s.bound(n, floor)
				if n == len(p.Groups) && left < b {
					t.Errorf("plan %s leaves %d survivors, the bound for %d groups is %d", p.Name, left, n, b)
				}
				if b > floor {
					proved++
				}
			}
		}
	}
	if proved == 0 {
		t.Error("no bound is above the floor")
	}
}

func TestGainsOfLanesAddUp(t *testing.T) {
	for _, name := range plans.Names() {
		p, err := plans.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for n, gains := range laneGains(p) {
			sum := 0
			for _, g := range gains {
				sum += g
			}
			if want := p.Gains()[n]; sum != want {
				t.Errorf("plan %s, group %d: lanes add %d, the group %d", name, n+1, sum, want)
			}
		}
	}
}

func TestKeepsIsWhatIsNotDismissed(t *testing.T) {
	for _, name := range plans.Names() {
		p, err := plans.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range corpus.Sampled(40) {
			for b := range c.Blocks {
				w := dvs.Expand(b)
				if got, want := keeps(p, &w), ^p.Dismissed(&w); got != want {
					t.Fatalf("plan %s keeps %v of %08x (%s), want %v", name, got, b, c.Name, want)
				}
			}
		}
	}
}

func TestNoExample(t *testing.T) {
	table := dvs.Published()
	if _, err := findExample(&plan.Plan{Name: "empty"}, table); err == nil || !strings.Contains(err.Error(), "plan empty") {
		t.Errorf("a plan without groups gives %v", err)
	}
	p := &plan.Plan{Groups: []plan.Group{
		plan.NewUniform(table, 16, plan.Signature{Gap: 1, A: 29, B: 29}, 40),
		plan.NewUniform(table, 16, plan.Signature{Gap: 3, A: 4, B: 29}, 37),
	}}
	if e, err := findExample(p, table); err != nil || e.Condition.Edge != wanted || e.GroupNumber() != 2 || e.Lane != 3 {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestImportRules(t *testing.T) {
	packages, err := readImports(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations(packages, rules) {
		t.Error(v)
	}
}

func TestViolations(t *testing.T) {
	rules := []rule{
		{"sha1dc", "", []string{cpu}},
		{"internal/solver", "", []string{"internal/plan", gini}},
		{"internal/plan", "", nil},
	}
	for _, tt := range []struct {
		name    string
		changed packageImports
		want    []string
	}{
		{"allowed", packageImports{"sha1dc", []string{"fmt", "crypto/sha256", cpu}}, nil},
		{"runtime", packageImports{"sha1dc", []string{module + "/internal/plan"}}, []string{"sha1dc imports internal/plan"}},
		{"solver in a plan", packageImports{"internal/plan", []string{module + "/internal/solver"}}, []string{"internal/plan imports internal/solver"}},
		{"part of gini", packageImports{"internal/plan", []string{gini + "/z"}}, []string{"internal/plan imports " + gini}},
		{"gini without a rule", packageImports{"gen/new", []string{gini}}, []string{"gen/new imports " + gini}},
		{"nothing reserved without a rule", packageImports{"gen/new", []string{module + "/internal/solver", "example.org/x"}}, nil},
		{"unknown module", packageImports{"sha1dc", []string{"example.org/x"}}, []string{"sha1dc imports example.org/x"}},
	} {
		packages := []packageImports{
			{"internal/plan", nil},
			{"internal/solver", []string{gini, gini + "/z", module + "/internal/plan"}},
			{"sha1dc", []string{"hash"}},
		}
		at := slices.IndexFunc(packages, func(p packageImports) bool { return p.name == tt.changed.name })
		if at < 0 {
			packages = append(packages, tt.changed)
		} else {
			packages[at] = tt.changed
		}
		if got := violations(packages, rules); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := violations(nil, rules[:1]); len(got) != 1 {
		t.Errorf("a rule without a package gives %q", got)
	}
}
