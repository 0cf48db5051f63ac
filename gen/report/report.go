// Package report writes the pages under docs that show the filter plans and how
// the module is built: Markdown with SVG pictures, from the checked-in plans and
// nothing else, the same bytes every time.
package report

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/sha1dc/go/gen/files"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/plan/corpus"
	"github.com/sha1dc/go/plans"
)

//go:embed *.tmpl
var templates embed.FS

// Files returns the report.
func Files() ([]files.File, error) {
	table := dvs.Published()
	r := &report{table: table}
	for _, name := range plans.Names() {
		p, err := plans.Load(name)
		if err != nil {
			return nil, err
		}
		r.plans = append(r.plans, p)
	}
	at, err := plans.Load("avx512")
	if err != nil {
		return nil, err
	}
	if r.Example, err = findExample(at, table); err != nil {
		return nil, err
	}
	r.fill()

	var out []files.File
	for _, page := range []string{"architecture.md", "plans.md"} {
		var b bytes.Buffer
		t, err := template.New(page+".tmpl").Funcs(template.FuncMap{"thousandths": thousandths}).ParseFS(templates, page+".tmpl")
		if err != nil {
			return nil, err
		}
		if err := t.Execute(&b, r); err != nil {
			return nil, err
		}
		out = append(out, files.File{Path: "docs/" + page, Content: b.Bytes()})
	}
	out = append(out,
		files.File{Path: "docs/img/architecture.svg", Content: flowPicture(r.Example)},
		files.File{Path: "docs/img/survivors.svg", Content: survivorCurve(r.series, plan.MixedFloor(table))})
	for _, p := range r.plans {
		out = append(out, files.File{Path: "docs/img/plan-" + p.Name + ".svg", Content: planGrid(p)})
	}
	return out, nil
}

// Write writes the report below the module's root, and removes pictures of
// plans that no longer exist.
func Write(root string) error {
	report, err := Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, "docs", "img"), 0o755); err != nil {
		return err
	}
	if err := files.Write(root, report); err != nil {
		return err
	}
	current := make(map[string]bool)
	for _, f := range report {
		current[filepath.Join(root, filepath.FromSlash(f.Path))] = true
	}
	pictures, err := filepath.Glob(filepath.Join(root, "docs", "img", "plan-*.svg"))
	if err != nil {
		return err
	}
	for _, name := range pictures {
		if !current[name] {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// report is what the pages are filled from.
type report struct {
	table   *dvs.Table
	plans   []*plan.Plan
	series  []series
	Example *example

	Kernels, Studies []planFacts // plans with a cost in cycles, and the others
	Families         familyTable
	Corpora          corpusTable
}

func (r *report) fill() {
	r.series = seriesOf(r.plans)
	for n := range r.series {
		r.series[n].compare(r.table)
	}
	for _, p := range r.plans {
		f := planFacts{Plan: p, floor: plan.Floor(r.table)}
		for n := range r.series {
			if slices.Contains(r.series[n].plans, p) {
				f.series = &r.series[n]
			}
		}
		if p.Machine.Slot != 0 {
			r.Kernels = append(r.Kernels, f)
		} else {
			r.Studies = append(r.Studies, f)
		}
	}
	r.Families = newFamilyTable(r.Kernels, r.table)
	r.Corpora = newCorpusTable(r.Kernels, r.table)
}

// All returns the facts of all plans.
func (r *report) All() []planFacts { return append(append([]planFacts{}, r.Kernels...), r.Studies...) }

// Floor returns what all conditions leave.
func (r *report) Floor() string { return rate(plan.Floor(r.table)) }

// Rank returns the rank of all conditions.
func (r *report) Rank() int { return r.table.Rank() }

// Conditions returns their number.
func (r *report) Conditions() int { return len(r.table.Conditions) }

// Candidates returns the number of edges that plans choose from.
func (r *report) Candidates() int { return len(r.table.Candidates()) }

// Signatures returns the number of their signatures.
func (r *report) Signatures() int { return len(signatures(r.table)) }

// Rules returns the import rules.
func (r *report) Rules() []rule { return rules }

// Alike returns the families on which plans leave what they leave on random
// blocks, with a semicolon between two.
func (r *report) Alike() string {
	var names []string
	for _, f := range corpus.Alike() {
		names = append(names, f.Name)
	}
	return strings.Join(names, "; ")
}

// Contradicted returns the families on which plans must contradict themselves.
func (r *report) Contradicted() string {
	var names []string
	for _, f := range corpus.Contradicted() {
		names = append(names, f.Name)
	}
	return strings.Join(names, " and ")
}

// Whole returns the parts of the mix.
func (r *report) Whole() int { return corpus.Whole }

// Lengths returns the number of blocks up to which messages have their padding
// dismissed.
func (r *report) Lengths() int { return corpus.Lengths }

// MustDismiss returns the blocks that plans of kernels must dismiss: those that
// all of them do, and those that plans without a tail do besides.
func (r *report) MustDismiss() string {
	most, fewest := plan.Machine{}.MustDismiss(), plan.Machine{Tail: 1}.MustDismiss()
	names := func(corpora []corpus.Corpus) string {
		var out []string
		for _, c := range corpora {
			out = append(out, c.Name)
		}
		return strings.Join(out, ", ")
	}
	return names(fewest) + "; unless a tail follows, also " + names(most[len(fewest):])
}

// Machines returns the targets.
func (r *report) Machines() []plan.Machine { return plan.Machines() }

// thousandths writes n/1000 in full.
func thousandths(n int) string { return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64) }

// planFacts writes what is known of a plan for the page.
type planFacts struct {
	*plan.Plan
	series *series // nil if shapes other than uniform are allowed
	floor  plan.Survivors
}

// GroupCount returns the number of groups.
func (f planFacts) GroupCount() int { return len(f.Groups) }

// ShapeNames returns the shapes that groups were chosen from.
func (f planFacts) ShapeNames() string {
	var out []string
	for _, s := range f.Shapes {
		out = append(out, s.String())
	}
	return strings.Join(out, ", ")
}

// Greedy returns the groups that a greedy choice takes for the same coverage
// or as few survivors, or a dash where shapes other than uniform were allowed.
func (f planFacts) Greedy() string {
	switch {
	case f.series == nil:
		return "–"
	case f.Limit == plan.Full:
		return fmt.Sprint(f.series.full)
	}
	for n, s := range f.series.greedy {
		if s <= f.MixedSurvivors() {
			return fmt.Sprint(n)
		}
	}
	return "–"
}

// Left returns the survivors a block.
func (f planFacts) Left() string { return rate(f.TotalSurvivors()) }

// Mixed returns the survivors a block of mixed data.
func (f planFacts) Mixed() string { return rate(f.MixedSurvivors()) }

// TimesFloor returns the survivors in multiples of what all conditions leave.
func (f planFacts) TimesFloor() string {
	return fmt.Sprintf("%.2f", f.TotalSurvivors().Rate()/f.floor.Rate())
}

// Value returns the objective and its value.
func (f planFacts) Value() string { return f.quantity(f.Score()) }

// Proof returns what is proved about the objective.
func (f planFacts) Proof() string {
	if optimal(f.Plan) {
		return "proved optimal"
	}
	gap := 100 * float64(f.Score()-f.Bound) / float64(f.Score())
	return fmt.Sprintf("proved ≥ %s (%.2f %% below)", strings.Fields(f.quantity(f.Bound))[0], gap)
}

func (f planFacts) quantity(v int64) string {
	if f.Minimise == plan.Cycles {
		return fmt.Sprintf("%.2f cycles", float64(v)/float64(plan.UnitsPerCycle))
	}
	return fmt.Sprintf("%d %v", v, f.Minimise)
}

// FilterCycles is the cost of the filter's own instructions.
func (f planFacts) FilterCycles() string {
	return fmt.Sprintf("%.2f", float64(f.Machine.Cycles(f.Instructions(), 0))/float64(plan.UnitsPerCycle))
}

// SurvivorCycles is the cost of what the filter keeps.
func (f planFacts) SurvivorCycles() string {
	return fmt.Sprintf("%.2f", float64(f.Machine.Cycles(0, f.MixedSurvivors()))/float64(plan.UnitsPerCycle))
}

// Fate says what happens to survivors.
func (f planFacts) Fate() string {
	if f.Machine.Tail != 0 {
		return "the tail, which tests the remaining conditions"
	}
	return "the recheck"
}

// shapeCount is the groups of a plan that cost the same.
type shapeCount struct {
	Name           string
	Groups, Each   int
	Sum, Used, All int // instructions of all; lanes in use, of all lanes
}

// Shapewise returns the instruction counts by shape.
func (f planFacts) Shapewise() []shapeCount {
	var out []shapeCount
	for n := range f.Groups {
		g := &f.Groups[n]
		name := g.Shape.String()
		if g.Shape == plan.Uniform {
			name = "uniform, same bit"
			if g.Shifted() {
				name = "uniform, shifted"
			}
		}
		each := f.Machine.Instructions(g)
		at := 0
		for at < len(out) && out[at].Name != name {
			at++
		}
		if at == len(out) {
			out = append(out, shapeCount{Name: name, Each: each})
		}
		c := &out[at]
		c.Groups++
		c.Sum += each
		c.All += len(g.Lanes)
		for _, l := range g.Lanes {
			if l.Used() {
				c.Used++
			}
		}
	}
	return out
}
