package plan

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sha1dc/go/internal/dvs"
)

// Format returns a value of the objective as text: cycles with six decimals,
// rounded down. It computes with integers, so that the text is the same on
// every processor.
func (q Quantity) Format(v int64) string {
	if q != Cycles {
		return strconv.FormatInt(v, 10)
	}
	whole, rest := v/UnitsPerCycle, v%UnitsPerCycle
	return fmt.Sprintf("%d.%06d", whole, rest*1_000_000/UnitsPerCycle)
}

// parse is the inverse of Format. Six decimals do not hold every value of
// Cycles, so the text is read as the lowest value that it may stand for.
func (q Quantity) parse(s string) (int64, error) {
	if q != Cycles {
		return strconv.ParseInt(s, 10, 64)
	}
	text, decimals, _ := strings.Cut(s, ".")
	whole, err := strconv.ParseUint(text, 10, 31)
	if err != nil || len(decimals) != 6 {
		return 0, fmt.Errorf("want cycles with six decimals")
	}
	rest, err := strconv.ParseUint(decimals, 10, 31)
	return int64(whole)*UnitsPerCycle + (int64(rest)*UnitsPerCycle+999_999)/1_000_000, err
}

// Format returns the plan as text. The plan must be valid.
func Format(p *Plan, table *dvs.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Filter plan, written by \"go run ./gen plan\". Behind the colon of a group: the\n")
	fmt.Fprintf(&b, "# disturbance vectors that each lane dismisses where its equation does not hold,\n")
	fmt.Fprintf(&b, "# as mask bits; \"-\" is an idle lane. \"gains\" counts new independent conditions.\n")
	for _, h := range p.header(table) {
		fmt.Fprintf(&b, "%s: %s\n", h.key, h.value)
	}
	b.WriteByte('\n')
	gains := p.Gains()
	for n := range p.Groups {
		b.WriteString(formatGroup(&p.Groups[n], gains[n]))
		b.WriteByte('\n')
	}
	return b.String()
}

const (
	coversAll     = "all conditions"
	coversAny     = "what pays"
	provedOptimal = ", proved: the plan is optimal"
)

type field struct{ key, value string }

func (p *Plan) header(table *dvs.Table) []field {
	shapes := make([]string, len(p.Shapes))
	for n, s := range p.Shapes {
		shapes[n] = s.String()
	}
	tail := "no"
	if p.Machine.Tail != 0 {
		tail = "yes"
	}
	limit := fmt.Sprintf("%d/%d survivors a block", p.Limit, One)
	switch p.Limit {
	case Full:
		limit = coversAll
	case Any:
		limit = coversAny
	}
	bound := fmt.Sprintf("%s %v%s", p.Minimise.Format(p.Score()), p.Minimise, provedOptimal)
	if p.Bound != p.Score() {
		// The gap is that of the bound as printed.
		text := p.Minimise.Format(p.Bound)
		printed, _ := p.Minimise.parse(text)
		bound = fmt.Sprintf("%s %v, proved; the plan is %s above it", text, p.Minimise, p.Minimise.Format(p.Score()-printed))
	}
	fields := []field{
		{"plan", p.Name},
		{"target", p.Machine.Name},
		{"shapes", strings.Join(shapes, " ")},
		{"lanes", strconv.Itoa(p.Machine.Lanes)},
		{"tail", tail},
		{"minimises", p.Minimise.String()},
		{"covers", limit},
		{"groups", strconv.Itoa(len(p.Groups))},
		{"instructions", strconv.Itoa(p.Instructions())},
	}
	if p.Machine.Slot != 0 {
		fields = append(fields, field{"cycles", Cycles.Format(p.Machine.Cycles(p.Instructions(), p.MixedSurvivors()))})
	}
	fields = append(fields,
		field{"rank", fmt.Sprintf("%d of %d", p.Rank(), table.Rank())},
		field{"survivors", fmt.Sprintf("%.5f a block, all conditions leave %.5f", p.TotalSurvivors().Rate(), Floor(table).Rate())})
	if p.Machine.Slot != 0 {
		fields = append(fields, field{"mixed data", fmt.Sprintf("%.5f survivors a block", p.MixedSurvivors().Rate())})
	}
	return append(fields,
		field{"lower bound", bound},
		field{"solver", p.Solver},
		field{"table", "sha256 " + p.Table},
	)
}

// form returns what a group's lanes have in common, as text.
func (g *Group) form() string {
	last := g.Start + len(g.Lanes) - 1
	second := "W[i]"
	if g.Gap != 0 {
		second = fmt.Sprintf("W[i+%d]", g.Gap)
	}
	if g.Shape == Variable {
		return fmt.Sprintf("%v W[i] ^ %s, i=%d..%d", g.Shape, second, g.Start, last)
	}
	s := fmt.Sprintf("%v W[i].%d ^ %s.%d = %d, i=%d..%d", g.Shape, g.A, second, g.B, g.C, g.Start, last)
	if g.Shape == LaneDV {
		s += ", from " + g.First.String()
	}
	return s
}

func formatGroup(g *Group, gain int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, gains %d:", g.form(), gain)
	for _, l := range g.Lanes {
		switch {
		case !l.Used():
			b.WriteString(" -")
		case g.Shape == Variable:
			fmt.Fprintf(&b, " %d^%d=%d/%08x", l.A, l.B, l.C, uint32(l.DVs))
		default:
			fmt.Fprintf(&b, " %08x", uint32(l.DVs))
		}
	}
	return b.String()
}

// Parse reads a plan in the form that Format writes, and validates it. What the
// file says of the plan must be what the plan's groups give. Errors name the
// file and the line.
func Parse(file, text string, table *dvs.Table) (*Plan, error) {
	p := &Plan{}
	fault := func(line int, err error) error { return fmt.Errorf("%s:%d: %w", file, line+1, err) }
	lines := strings.Split(text, "\n")
	var header, groups []int     // line numbers
	keys := make(map[string]int) // line number of each key
	optimal := false
	for n, line := range lines {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.TrimSpace(line) != line {
			return nil, fault(n, fmt.Errorf("%q begins or ends with white space", line))
		}
		if key, value, ok := strings.Cut(line, ": "); ok && !strings.Contains(key, "W[") {
			if len(groups) > 0 {
				return nil, fault(n, fmt.Errorf("key %q behind the first group", key))
			}
			header = append(header, n)
			keys[key] = n
			if err := p.set(key, value, &optimal); err != nil {
				return nil, fault(n, fmt.Errorf("%s: %w", key, err))
			}
			continue
		}
		g, err := parseGroup(line)
		if err != nil {
			return nil, fault(n, err)
		}
		groups = append(groups, n)
		p.Groups = append(p.Groups, g)
	}
	if p.Machine.Name == "" {
		return nil, fmt.Errorf("%s: no target in the header", file)
	}
	err := p.validateGroups(table)
	if err == nil {
		if optimal {
			p.Bound = p.Score()
		}
		err = p.validateAims(table)
	}
	var group *GroupError
	if errors.As(err, &group) {
		return nil, fault(groups[group.Group], group.Err)
	}
	var part *HeaderError
	if errors.As(err, &part) {
		if n, ok := keys[part.Key]; ok {
			return nil, fault(n, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	want := p.header(table)
	for n, at := range header {
		if n >= len(want) {
			return nil, fault(at, fmt.Errorf("%q is one line too many in the header", lines[at]))
		}
		if w := want[n].key + ": " + want[n].value; lines[at] != w {
			return nil, fault(at, fmt.Errorf("%q, want %q", lines[at], w))
		}
	}
	if len(header) < len(want) {
		return nil, fmt.Errorf("%s: no line %q in the header", file, want[len(header)].key)
	}
	for n, gain := range p.Gains() {
		if w := formatGroup(&p.Groups[n], gain); lines[groups[n]] != w {
			return nil, fault(groups[n], fmt.Errorf("%q, want %q", lines[groups[n]], w))
		}
	}
	return p, nil
}

// set takes from a header line what the groups do not determine.
func (p *Plan) set(key, value string, optimal *bool) error {
	switch key {
	case "plan":
		p.Name = value
	case "target":
		m, ok := MachineNamed(value)
		if !ok {
			return fmt.Errorf("unknown target %q", value)
		}
		p.Machine = m
	case "shapes":
		for _, s := range strings.Fields(value) {
			n := slices.Index(shapeNames, s)
			if n < 0 {
				return fmt.Errorf("unknown shape %q", s)
			}
			p.Shapes = append(p.Shapes, Shape(n))
		}
	case "minimises":
		n := slices.Index(quantityNames, value)
		if n < 0 {
			return fmt.Errorf("unknown objective %q", value)
		}
		p.Minimise = Quantity(n)
	case "covers":
		switch value {
		case coversAll:
			p.Limit = Full
		case coversAny:
			p.Limit = Any
		default:
			number, _, _ := strings.Cut(value, "/")
			n, err := strconv.ParseUint(number, 10, 31)
			if err != nil {
				return fmt.Errorf("%q is no number of survivors", value)
			}
			p.Limit = Survivors(n)
		}
	case "lower bound":
		if *optimal = strings.HasSuffix(value, provedOptimal); *optimal {
			return nil
		}
		number, _, _ := strings.Cut(value, " ")
		n, err := p.Minimise.parse(number)
		if err != nil {
			return fmt.Errorf("%q is no lower bound", value)
		}
		p.Bound = n
	case "solver":
		p.Solver = value
	case "table":
		hash, ok := strings.CutPrefix(value, "sha256 ")
		if !ok {
			return fmt.Errorf("%q, want \"sha256 \" and the hash", value)
		}
		p.Table = hash
	}
	return nil
}

var (
	fixedForm    = regexp.MustCompile(`^(uniform|lane=dv) W\[i\]\.(\d+) \^ W\[i(?:\+(\d+))?\]\.(\d+) = ([01]), i=(\d+)\.\.\d+(?:, from (\w+\(\d+,\d+\)))?, gains \d+: (.*)$`)
	variableForm = regexp.MustCompile(`^variable W\[i\] \^ W\[i(?:\+(\d+))?\], i=(\d+)\.\.\d+, gains \d+: (.*)$`)
	vectorForm   = regexp.MustCompile(`^(I|II)\((\d+),(\d+)\)$`)
	variableLane = regexp.MustCompile(`^(\d+)\^(\d+)=([01])/([0-9a-f]{8})$`)
)

// parseGroup reads a group's line. What it says twice (last word, rank gained)
// is left to the comparison with what Format gives.
func parseGroup(line string) (Group, error) {
	if f := fixedForm.FindStringSubmatch(line); f != nil {
		g := Group{A: number(f[2]), Gap: number(f[3]), B: number(f[4]), C: uint32(number(f[5])), Start: number(f[6])}
		if f[1] == shapeNames[LaneDV] {
			v := vectorForm.FindStringSubmatch(f[7])
			if v == nil {
				return g, fmt.Errorf("no first vector in %q", line)
			}
			g.Shape, g.First = LaneDV, dvs.DV{Type: dvs.Type(len(v[1])), K: number(v[2]), B: number(v[3])}
		}
		for n, text := range strings.Fields(f[8]) {
			l := Lane{Edge: dvs.Edge{I: g.Start + n, A: g.A, J: g.Start + n + g.Gap, B: g.B, C: g.C}}
			if text != "-" {
				m, err := strconv.ParseUint(text, 16, 32)
				if err != nil || m == 0 || len(text) != 8 {
					return g, fmt.Errorf("lane %d: %q is neither \"-\" nor eight hexadecimal digits", n, text)
				}
				l.DVs = dvs.Mask(m)
			}
			g.Lanes = append(g.Lanes, l)
		}
		return g, nil
	}
	if f := variableForm.FindStringSubmatch(line); f != nil {
		g := Group{Shape: Variable, Gap: number(f[1]), Start: number(f[2])}
		for n, text := range strings.Fields(f[3]) {
			l := Lane{Edge: dvs.Edge{I: g.Start + n, J: g.Start + n + g.Gap}}
			if text != "-" {
				v := variableLane.FindStringSubmatch(text)
				if v == nil {
					return g, fmt.Errorf("lane %d: %q is neither \"-\" nor \"a^b=c/mask\"", n, text)
				}
				m, _ := strconv.ParseUint(v[4], 16, 32)
				l.A, l.B, l.C, l.DVs = number(v[1]), number(v[2]), uint32(number(v[3])), dvs.Mask(m)
			}
			g.Lanes = append(g.Lanes, l)
		}
		return g, nil
	}
	return Group{}, fmt.Errorf("%q is neither \"key: value\" nor a group", line)
}

// number reads digits. What is too long for an int reads as a number that is
// out of every range.
func number(digits string) int {
	if digits == "" {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > outOfRange {
		return outOfRange
	}
	return n
}

const outOfRange = 1 << 20
