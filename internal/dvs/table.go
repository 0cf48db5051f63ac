package dvs

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Edge states the XOR of two bits of the expanded message: bit A of W[I] xor
// bit B of W[J] = C. Seen as a graph, message bits are vertices and an Edge
// joins two of them. In normal form I < J, or I = J and A < B.
type Edge struct {
	I, A int
	J, B int
	C    uint32
}

// normal returns e with its ends in normal order.
func (e Edge) normal() Edge {
	if e.I > e.J || e.I == e.J && e.A > e.B {
		e.I, e.A, e.J, e.B = e.J, e.B, e.I, e.A
	}
	return e
}

// String returns the form of the table, as "W[35].1 ^ W[36].6 = 1".
func (e Edge) String() string {
	return fmt.Sprintf("W[%d].%d ^ W[%d].%d = %d", e.I, e.A, e.J, e.B, e.C)
}

// Holds reports whether the expanded message w meets e.
func (e Edge) Holds(w *[Steps]uint32) bool {
	return (w[e.I]>>e.A^w[e.J]>>e.B)&1 == e.C
}

// Compare orders edges by I, A, J, B and C.
func (e Edge) Compare(f Edge) int {
	return slices.Compare(
		[]int{e.I, e.A, e.J, e.B, int(e.C)},
		[]int{f.I, f.A, f.J, f.B, int(f.C)})
}

// Condition is an Edge that every attack with one of DVs must meet.
type Condition struct {
	Edge
	DVs Mask
}

// String returns the condition as a line of the table.
func (c Condition) String() string { return c.Edge.String() + " : " + c.DVs.String() }

// Table is a set of conditions, which for every disturbance vector are
// consistent and independent of each other.
type Table struct {
	Conditions []Condition
	spans      [Count]Span
}

//go:embed conditions.txt
var published string

// PublishedFile is the path of the published conditions in this module.
const PublishedFile = "internal/dvs/conditions.txt"

// Published returns the 156 conditions of Stevens and Shumow (2017).
func Published() *Table {
	t, err := Parse(PublishedFile, published)
	if err != nil {
		panic(err) // the embedded file is covered by the tests, and checked by gen
	}
	return t
}

// PublishedText returns the text that Published reads.
func PublishedText() string { return published }

// Parse reads a table in the form of conditions.txt. Errors name the file and
// the line: malformed text, an index or bit out of range, an unknown vector,
// an edge stated twice, and a condition that for one of its vectors
// contradicts those above it or already follows from them.
func Parse(name, text string) (*Table, error) {
	t := &Table{}
	stated := make(map[Edge]int)
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := t.add(line, n+1, stated); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
		}
	}
	if len(t.Conditions) == 0 {
		return nil, fmt.Errorf("%s: no conditions in the file", name)
	}
	return t, nil
}

// add parses one line and adds it to the table and to the spans.
func (t *Table) add(line string, number int, stated map[Edge]int) error {
	c, err := parseCondition(line)
	if err != nil {
		return err
	}
	ends := c.Edge
	ends.C = 0
	if first, ok := stated[ends]; ok {
		return fmt.Errorf("duplicate: line %d already relates bit %d of W[%d] and bit %d of W[%d]", first, c.A, c.I, c.B, c.J)
	}
	stated[ends] = number
	for dv := range Count {
		if !c.DVs.Has(dv) {
			continue
		}
		switch t.spans[dv].add(c.Edge) {
		case contradicts:
			return fmt.Errorf("%v: contradicts the lines above, which imply that the XOR is %d", all[dv], c.C^1)
		case implied:
			return fmt.Errorf("%v: redundant, the lines above already imply this condition", all[dv])
		}
	}
	t.Conditions = append(t.Conditions, c)
	return nil
}

const wantForm = `want "W[i].a ^ W[j].b = c : DVs"`

func parseCondition(line string) (Condition, error) {
	var c Condition
	edge, names, ok := strings.Cut(line, ":")
	if !ok {
		return c, fmt.Errorf("no colon in %q, %s", line, wantForm)
	}
	f := strings.Fields(edge)
	if len(f) != 5 || f[1] != "^" || f[3] != "=" {
		return c, fmt.Errorf("malformed condition %q, %s", strings.TrimSpace(edge), wantForm)
	}
	var err error
	if c.I, c.A, err = parseBit(f[0]); err != nil {
		return c, err
	}
	if c.J, c.B, err = parseBit(f[2]); err != nil {
		return c, err
	}
	switch f[4] {
	case "0":
	case "1":
		c.C = 1
	default:
		return c, fmt.Errorf("XOR value %q, want 0 or 1", f[4])
	}
	if c.I == c.J && c.A == c.B {
		return c, fmt.Errorf("%s is compared with itself", f[0])
	}
	if c.Edge.normal() != c.Edge {
		return c, fmt.Errorf("%s and %s are in the wrong order, want the lower word first", f[0], f[2])
	}
	for _, name := range strings.Fields(names) {
		n, err := ParseDV(name)
		if err != nil {
			return c, err
		}
		if c.DVs.Has(n) {
			return c, fmt.Errorf("disturbance vector %s is named twice", name)
		}
		c.DVs |= 1 << n
	}
	if c.DVs == 0 {
		return c, fmt.Errorf("no disturbance vector behind the colon")
	}
	return c, nil
}

// parseBit reads "W[i].a".
func parseBit(s string) (word, bit int, err error) {
	w, b, ok := strings.Cut(s, "].")
	w, prefix := strings.CutPrefix(w, "W[")
	if !ok || !prefix {
		return 0, 0, fmt.Errorf("malformed bit %q, want \"W[i].a\"", s)
	}
	if word, err = parseIndex(w, Steps); err != nil {
		return 0, 0, fmt.Errorf("word index of %q: %w", s, err)
	}
	if bit, err = parseIndex(b, 32); err != nil {
		return 0, 0, fmt.Errorf("bit position of %q: %w", s, err)
	}
	return word, bit, nil
}

// parseIndex reads a plain decimal number below limit.
func parseIndex(s string, limit int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("%q is not a plain number", s)
	}
	if n < 0 || n >= limit {
		return 0, fmt.Errorf("%d is out of range 0..%d", n, limit-1)
	}
	return n, nil
}

// ParseDV reads a vector's name, as "II(52,0)", and returns its mask bit.
func ParseDV(s string) (int, error) {
	for n, d := range all {
		if d.String() == s {
			return n, nil
		}
	}
	return 0, fmt.Errorf("unknown disturbance vector %q", s)
}

// Span returns the span of the conditions of the vector with mask bit dv. It
// must not be modified.
func (t *Table) Span(dv int) *Span { return &t.spans[dv] }

// Rank returns the sum of the ranks of all spans: what a filter must test to
// be complete.
func (t *Table) Rank() int {
	n := 0
	for dv := range t.spans {
		n += t.spans[dv].Rank()
	}
	return n
}

// Mask returns the vectors all of whose conditions the expanded message w
// meets, by testing every condition as it stands. It is the reference that
// filters are compared with.
func (t *Table) Mask(w *[Steps]uint32) Mask {
	m := AllMask
	for _, c := range t.Conditions {
		if !c.Holds(w) {
			m &^= c.DVs
		}
	}
	return m
}

// Candidates returns every edge that follows from the conditions of at least
// one vector, with all the vectors it follows from, ordered by Edge.Compare.
// Any selection whose edges span the same space for a vector states the same
// as the table does for it.
func (t *Table) Candidates() []Condition {
	found := make(map[Edge]Mask)
	for dv := range t.spans {
		for _, e := range t.spans[dv].Edges() {
			found[e] |= 1 << dv
		}
	}
	out := make([]Condition, 0, len(found))
	for e, m := range found {
		out = append(out, Condition{e, m})
	}
	slices.SortFunc(out, func(a, b Condition) int { return a.Edge.Compare(b.Edge) })
	return out
}
