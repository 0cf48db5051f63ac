package plan

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
)

// sample returns a small valid plan of all three shapes.
func sample(t *testing.T, table *dvs.Table) *Plan {
	t.Helper()
	m, ok := MachineNamed("avx2")
	if !ok {
		t.Fatal("no target avx2")
	}
	return &Plan{
		Name: "sample", Machine: m, Shapes: []Shape{Uniform, Variable, LaneDV},
		Minimise: Cycles, Limit: Any, Solver: "by hand", Table: TableHash(table),
		Groups: []Group{
			NewUniform(table, 8, Signature{1, 29, 29, 0}, 44),
			NewVariable(table, 8, 3, 42, []dvs.Edge{{I: 42, A: 4, J: 45, B: 29}, {I: 43, A: 29, J: 46, B: 29, C: 1}, {I: 45, A: 4, J: 48, B: 29}}),
			NewLaneDV(table, 8, dvs.DV{Type: dvs.TypeI, K: 45, B: 0}, -4, Signature{1, 29, 29, 0}),
			NewUniform(table, 8, Signature{0, 1, 6, 0}, 33),
		},
	}
}

func TestRoundTrip(t *testing.T) {
	table := dvs.Published()
	p := sample(t, table)
	if err := p.Validate(table); err != nil {
		t.Fatal(err)
	}
	text := Format(p, table)
	q, err := Parse("sample.txt", text, table)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again := Format(q, table); again != text {
		t.Errorf("the plan changes when it is read:\n%s\nbecomes\n%s", text, again)
	}
	p.Bound = p.Score()
	if _, err := Parse("sample.txt", Format(p, table), table); err != nil {
		t.Error(err)
	}
	p.Bound = p.Score()/3 + 1
	if _, err := Parse("sample.txt", Format(p, table), table); err != nil {
		t.Error(err)
	}
}

// A block that breaks exactly one condition of a vector must be dismissed if
// and only if some lane of that vector tests an edge that the block breaks.
func TestDismissed(t *testing.T) {
	table := dvs.Published()
	p := sample(t, table)
	rng := rand.New(rand.NewPCG(1, 2))
	spans := p.Spans()
	for dv := range dvs.Count {
		w := dvs.Expand(craft.Passing(table, dv, rng))
		if m := p.Dismissed(&w); m.Has(dv) {
			t.Errorf("%v is dismissed though all of its conditions hold", dvs.All()[dv])
		}
		for n := range craft.Conditions(table, dv) {
			w := dvs.Expand(craft.NearMiss(table, dv, n, rng))
			want := false
			for _, e := range spans[dv].Edges() {
				want = want || !e.Holds(&w)
			}
			if got := p.Dismissed(&w).Has(dv); got != want {
				t.Errorf("%v with condition %d broken: dismissed %v, want %v", dvs.All()[dv], n, got, want)
			}
		}
	}
}

// Each change must be refused, on the line of the group that it is made to.
func TestValidateRefuses(t *testing.T) {
	table := dvs.Published()
	for _, c := range []struct {
		name   string
		group  int // -1: no group is to blame
		damage func(p *Plan)
		want   string
	}{
		{"lane moved by a word", 0, func(p *Plan) { p.Groups[0].Lanes[2].I++ }, "the group's form asks for"},
		{"group moved by a word", 0, func(p *Plan) {
			g := &p.Groups[0]
			g.Start++
			for n := range g.Lanes {
				g.Lanes[n].I++
				g.Lanes[n].J++
			}
		}, "do not imply it"},
		{"polarity of a group", 0, func(p *Plan) {
			g := &p.Groups[0]
			g.C ^= 1
			for n := range g.Lanes {
				g.Lanes[n].C ^= 1
			}
		}, "do not imply it"},
		{"polarity of a lane", 1, func(p *Plan) { p.Groups[1].Lanes[0].C ^= 1 }, "do not imply it"},
		{"bit of a lane", 1, func(p *Plan) { p.Groups[1].Lanes[0].A++ }, "do not imply it"},
		{"bit out of range", 1, func(p *Plan) { p.Groups[1].Lanes[0].A = 32 }, "bits are 0 to 31"},
		{"vector too many", 0, func(p *Plan) { p.Groups[0].Lanes[0].DVs |= 1 }, "do not imply it"},
		{"vector too few", 0, func(p *Plan) { m := &p.Groups[0].Lanes[0].DVs; *m &= *m - 1 }, "imply it too"},
		{"lane idle", 0, func(p *Plan) { p.Groups[0].Lanes[0].DVs = 0 }, "imply it too"},
		{"lane missing", 0, func(p *Plan) { p.Groups[0].Lanes = p.Groups[0].Lanes[1:] }, "7 lanes"},
		{"other first vector", 2, func(p *Plan) { p.Groups[2].First.K++ }, "do not imply it"},
		{"bits of one word exchanged", 3, func(p *Plan) {
			g := &p.Groups[3]
			g.A, g.B = g.B, g.A
			for n := range g.Lanes {
				l := &g.Lanes[n]
				l.A, l.B = l.B, l.A
			}
		}, "the lower bit of one word goes first"},
		{"window behind the message", 3, func(p *Plan) { p.Groups[3].Start = 73 }, "loads words 73 to 80"},
		{"window before the message", 3, func(p *Plan) { p.Groups[3].Start = -1 }, "loads words -1"},
		{"empty group", 1, func(p *Plan) {
			p.Groups[1] = NewVariable(table, 8, 3, 42, nil)
		}, "tests nothing"},
		{"shape not allowed", 1, func(p *Plan) { p.Shapes = []Shape{Uniform, LaneDV} }, "not among"},
		{"group twice", 4, func(p *Plan) { p.Groups = append(p.Groups, p.Groups[0]) }, "the same as group 1"},
		{"no groups", -1, func(p *Plan) { p.Groups = nil }, "groups: there are none"},
		{"shape twice", -1, func(p *Plan) { p.Shapes = []Shape{Uniform, Uniform, Variable, LaneDV} }, "shapes: uniform behind uniform"},
		{"shapes in another order", -1, func(p *Plan) { p.Shapes = []Shape{Uniform, LaneDV, Variable} }, "shapes: variable behind lane=dv"},
		{"not full", -1, func(p *Plan) { p.Limit = Full }, "not covered in full"},
		{"too many survivors", -1, func(p *Plan) { p.Limit = p.TotalSurvivors() - 1 }, "the limit is"},
		{"bound above the score", -1, func(p *Plan) { p.Bound = p.Score() + 1 }, "lower bound"},
		{"other table", -1, func(p *Plan) { p.Table = strings.Repeat("0", 64) }, "solve again"},
	} {
		p := sample(t, table)
		c.damage(p)
		err := p.Validate(table)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
			continue
		}
		var g *GroupError
		if errors.As(err, &g) != (c.group >= 0) || g != nil && g.Group != c.group {
			t.Errorf("%s: error %v blames the wrong group", c.name, err)
		}
	}
}

// Every single-character change to the text is refused or means the same.
func TestParseRefusesEdits(t *testing.T) {
	table := dvs.Published()
	text := Format(sample(t, table), table)
	start := strings.Index(text, "\nplan") + 1
	name := strings.Index(text, "\ntarget")
	for at := name; at < len(text); at++ {
		for _, r := range []string{"", "0", "x", " "} {
			edited := text[:at] + r + text[at+1:]
			if edited == text || text[at] == '\n' || strings.HasPrefix(text[at:], "\n") {
				continue
			}
			if strings.LastIndex(text[:at], "solver: ") > strings.LastIndex(text[:at], "\n") {
				continue // a name, which nothing can check
			}
			if _, err := Parse("s.txt", edited, table); err == nil {
				t.Errorf("accepted with %q instead of %q at byte %d, behind %q", r, text[at:at+1], at, text[max(start, at-40):at])
			} else if !strings.HasPrefix(err.Error(), "s.txt:") {
				t.Errorf("error %q does not name the file", err)
			}
		}
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	table := dvs.Published()
	text := Format(sample(t, table), table)
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		if line == "" || line[0] == '#' {
			continue
		}
		lines[n] = "?" + line
		_, err := Parse("s.txt", strings.Join(lines, "\n"), table)
		lines[n] = line
		if err == nil {
			t.Errorf("line %d: %q accepted", n+1, "?"+line)
		}
	}
	// A group left out contradicts the header; the error names the first line
	// that is no longer true.
	_, err := Parse("s.txt", strings.Join(lines[:len(lines)-2], "\n"), table)
	if err == nil || !strings.Contains(err.Error(), `s.txt:11: "groups: 4", want "groups: 3"`) {
		t.Errorf("last group left out: %v", err)
	}
}

// Edits that make a plan invalid are refused with the line to look at, of a
// plan that claims to be optimal too, whose bound is its score.
func TestParseErrorsOfDamage(t *testing.T) {
	table := dvs.Published()
	p := sample(t, table)
	p.Bound = p.Score()
	text := Format(p, table)
	for _, c := range []struct{ old, new, want string }{
		{"i=44..51, gains", "i=79..86, gains", "s.txt:21: loads words 79 to 87"},
		{"W[i+1].29 = 0, i=44", "W[i+40].29 = 0, i=44", "s.txt:21: loads words 44 to 91"},
		{"uniform W[i].29", "uniform W[i].40", "s.txt:21: lane 0, W[44].40 ^ W[45].29 = 0: bits are 0 to 31"},
		{" 4^29=0", " 4^99=0", "s.txt:22: lane 0, W[42].4 ^ W[45].99 = 0: bits are 0 to 31"},
		{"sha256 ", "sha256 0", "s.txt:19: table: made for the table with hash 0"},
		{"shapes: uniform ", "shapes: uniform uniform ", "s.txt:6: shapes: uniform behind uniform"},
		{"covers: what pays", "covers: all conditions", "s.txt:10: covers: I(43,0): the tests have rank"},
		{"covers: what pays", "covers: 1/524288 survivors a block", "s.txt:10: covers: "},
		{"lower bound: ", "lower bound: 9", "s.txt:17: "},
		{"plan: sample", "plan: sample ", `s.txt:4: "plan: sample " begins or ends with white space`},
		{"by hand", "by hand\r", `s.txt:18: "solver: by hand\r" begins or ends with white space`},
	} {
		if _, err := Parse("s.txt", strings.Replace(text, c.old, c.new, 1), table); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q instead of %q: error %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

// A plan made for the published table is refused for a damaged one.
func TestDamagedTable(t *testing.T) {
	table := dvs.Published()
	text := Format(sample(t, table), table)
	damaged, err := dvs.Parse("damaged.txt", strings.Replace(dvs.PublishedText(), "W[42].4  ^ W[45].29 = 0", "W[42].4  ^ W[45].29 = 1", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse("s.txt", text, damaged); err == nil || !strings.Contains(err.Error(), "solve again") {
		t.Errorf("damaged table: %v", err)
	}
	// Even with the hash of the damaged table the lanes betray it.
	text = strings.Replace(text, TableHash(table), TableHash(damaged), 1)
	if _, err := Parse("s.txt", text, damaged); err == nil || !strings.Contains(err.Error(), "imply it") || !strings.HasPrefix(err.Error(), "s.txt:22: ") {
		t.Errorf("damaged table with its own hash: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	table := dvs.Published()
	f.Add("plan: x\ntarget: avx2\n")
	f.Add("target: avx2\nuniform W[i].29 ^ W[i+1].29 = 0, i=99999999999999999999..51, gains 0: 00000001\n")
	f.Add("target: neon\nlane=dv W[i].29 ^ W[i+1].29 = 0, i=44..51, from I(45,0), gains 0: 00000001\n")
	files, err := filepath.Glob("../../plans/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no plans: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("f.txt", text, table)
		if (p == nil) == (err == nil) {
			t.Fatalf("plan %v, error %v", p, err)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.txt:") {
				t.Fatalf("error %q does not name the file", err)
			}
			return
		}
		again, err := Parse("f.txt", Format(p, table), table)
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("formatted and parsed again it is %v, error %v", again, err)
		}
	})
}
