package plan

import (
	"fmt"

	"github.com/sha1dc/go/internal/dvs"
)

// GroupError is a fault in one group of a plan.
type GroupError struct {
	Group int // index
	Err   error
}

func (e *GroupError) Error() string { return fmt.Sprintf("group %d: %v", e.Group+1, e.Err) }

// Unwrap returns the fault itself.
func (e *GroupError) Unwrap() error { return e.Err }

// HeaderError is a fault in what a line of the header says of a plan.
type HeaderError struct {
	Key string // of the line, as Format writes it
	Err error
}

func (e *HeaderError) Error() string { return e.Key + ": " + e.Err.Error() }

// Unwrap returns the fault itself.
func (e *HeaderError) Unwrap() error { return e.Err }

// Validate checks the plan against the table from first principles: that every
// lane tests what its group's form says, for exactly the vectors whose
// published conditions imply the test; that the loads stay inside the expanded
// message; that the target has the shapes used; that the survivors keep to the
// limit, or the tests span all that the conditions do; and that the bound is
// not above what the plan attains. A fault in a group is a *GroupError, one in
// another part of the plan a *HeaderError.
func (p *Plan) Validate(table *dvs.Table) error {
	if err := p.validateGroups(table); err != nil {
		return err
	}
	return p.validateAims(table)
}

// validateGroups checks each group by itself. Only what passes it has a score,
// since the bits of the message that a damaged plan names need not exist.
func (p *Plan) validateGroups(table *dvs.Table) error {
	if want := TableHash(table); p.Table != want {
		return headerError("table", "made for the table with hash %s, this one has %s: solve again with \"go run ./gen plan\"", p.Table, want)
	}
	for n, s := range p.Shapes {
		if n > 0 && s <= p.Shapes[n-1] {
			return headerError("shapes", "%v behind %v, want each shape once, in the order of %v", s, p.Shapes[n-1], shapeNames)
		}
	}
	if len(p.Groups) == 0 {
		return headerError("groups", "there are none")
	}
	first := make(map[string]int)
	for n := range p.Groups {
		g := &p.Groups[n]
		if err := p.validateGroup(g, table); err != nil {
			return &GroupError{n, err}
		}
		form := g.form()
		if g.Shape == Variable {
			form = formatGroup(g, 0)
		}
		if m, ok := first[form]; ok {
			return &GroupError{n, fmt.Errorf("the same as group %d", m+1)}
		}
		first[form] = n
	}
	return nil
}

func headerError(key, format string, args ...any) error {
	return &HeaderError{key, fmt.Errorf(format, args...)}
}

// validateAims checks what the plan as a whole attains. Its groups must be
// valid.
func (p *Plan) validateAims(table *dvs.Table) error {
	spans := p.Spans()
	switch {
	case p.Limit == Full:
		for dv, v := range dvs.All() {
			if s := table.Span(dv); !s.Equal(&spans[dv]) {
				return headerError("covers", "%v: the tests have rank %d, all conditions have %d, so it is not covered in full", v, spans[dv].Rank(), s.Rank())
			}
		}
	case p.Limit >= 0:
		if s := p.TotalSurvivors(); s > p.Limit {
			return headerError("covers", "%.4f survivors a block, the limit is %.4f", s.Rate(), p.Limit.Rate())
		}
	case p.Limit != Any:
		return headerError("covers", "limit %d is neither a number of survivors nor full nor any", p.Limit)
	}
	if score := p.Score(); p.Bound < 0 || p.Bound > score {
		return headerError("lower bound", "%s is above the plan's own %s", p.Minimise.Format(p.Bound), p.Minimise.Format(score))
	}
	return nil
}

func (p *Plan) validateGroup(g *Group, table *dvs.Table) error {
	if len(g.Lanes) != p.Machine.Lanes {
		return fmt.Errorf("%d lanes, target %s has %d", len(g.Lanes), p.Machine.Name, p.Machine.Lanes)
	}
	allowed := false
	for _, s := range p.Shapes {
		allowed = allowed || s == g.Shape
	}
	if !allowed || p.Machine.Instructions(g) == 0 {
		return fmt.Errorf("shape %v is not among those of the plan and of target %s", g.Shape, p.Machine.Name)
	}
	if last := g.Start + g.Gap + len(g.Lanes) - 1; g.Start < 0 || g.Gap < 0 || last >= dvs.Steps {
		return fmt.Errorf("loads words %d to %d, the expanded message has 0 to %d", g.Start, last, dvs.Steps-1)
	}
	if g.DVs() == 0 {
		return fmt.Errorf("tests nothing")
	}
	for n, l := range g.Lanes {
		if err := g.validateLane(n, l, table); err != nil {
			return fmt.Errorf("lane %d, %v: %w", n, l.Edge, err)
		}
	}
	return nil
}

func (g *Group) validateLane(n int, l Lane, table *dvs.Table) error {
	want := dvs.Edge{I: g.Start + n, A: g.A, J: g.Start + g.Gap + n, B: g.B, C: g.C}
	if g.Shape == Variable {
		want.A, want.B, want.C = l.A, l.B, l.C
		if !l.Used() {
			want.A, want.B, want.C = 0, 0, 0
		}
	}
	if l.Edge != want {
		return fmt.Errorf("the group's form asks for %v", want)
	}
	if l.A < 0 || l.A > 31 || l.B < 0 || l.B > 31 || l.C > 1 {
		return fmt.Errorf("bits are 0 to 31 and their XOR 0 or 1")
	}
	var dvsWanted dvs.Mask
	switch {
	case g.Shape == Variable && !l.Used():
	case g.Gap == 0 && l.A >= l.B:
		return fmt.Errorf("the lower bit of one word goes first")
	case g.Shape == LaneDV:
		dvsWanted = implied(table, l.Edge) & laneVector(g.First, n)
	default:
		dvsWanted = implied(table, l.Edge)
	}
	if extra := l.DVs &^ dvsWanted; extra != 0 {
		return fmt.Errorf("the conditions of %v do not imply it", extra)
	}
	if missing := dvsWanted &^ l.DVs; missing != 0 {
		return fmt.Errorf("the conditions of %v imply it too", missing)
	}
	return nil
}
