// Package plan holds filter plans: which consequences of the unavoidable bit
// conditions a filter tests, and in which vector lanes. A plan is made by a
// solver, kept as text under version control (Format, Parse), checked by code
// that shares nothing with the solver (Plan.Validate), and read by the
// generators that emit kernels. Plan.Dismissed is the meaning that every
// kernel must have.
package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan/corpus"
)

// Shape is the way a group's lanes find the bits that they compare.
type Shape uint8

// The shapes. The lanes of every group load consecutive words, from Start and
// from Start+Gap.
const (
	// Uniform compares the same two bit positions in all lanes.
	Uniform Shape = iota
	// Variable has bit positions and polarity of its own in every lane.
	Variable
	// LaneDV is Uniform with lane n standing for one disturbance vector, the
	// n-th by K of one type and B. Groups with the same vectors are combined
	// before any mask is applied.
	LaneDV
)

var shapeNames = []string{Uniform: "uniform", Variable: "variable", LaneDV: "lane=dv"}

// String returns the shape's name in plan files.
func (s Shape) String() string {
	if int(s) < len(shapeNames) {
		return shapeNames[s]
	}
	return fmt.Sprintf("Shape(%d)", uint8(s))
}

// Lane is one test of a group: a block that breaks Edge is no attack with any
// of DVs. A lane without DVs tests nothing.
type Lane struct {
	dvs.Edge
	DVs dvs.Mask
}

// Used reports whether the lane tests anything.
func (l Lane) Used() bool { return l.DVs != 0 }

// Group is the tests that one pass over a vector register makes. Lane n
// compares a bit of W[Start+n] with one of W[Start+Gap+n].
type Group struct {
	Shape Shape
	Start int
	Gap   int
	A, B  int    // bit positions in all lanes; of no meaning if Variable
	C     uint32 // XOR of the two bits in an attack; of no meaning if Variable
	First dvs.DV // LaneDV only: the vector of lane 0, which need not be one of the 32
	Lanes []Lane
}

// DVs returns the vectors that some lane of the group tests.
func (g *Group) DVs() dvs.Mask {
	var m dvs.Mask
	for _, l := range g.Lanes {
		m |= l.DVs
	}
	return m
}

// Shifted reports whether the group compares two different bit positions, so
// that a kernel must shift one of the words.
func (g *Group) Shifted() bool { return g.Shape != Variable && g.A != g.B }

// Quantity is what a plan makes as small as it can.
type Quantity uint8

// The quantities.
const (
	Groups       Quantity = iota // number of groups
	Instructions                 // filter instructions a block
	Cycles                       // filter and survivors, expected cycles a block of corpus.Mix
)

var quantityNames = []string{Groups: "groups", Instructions: "instructions", Cycles: "cycles"}

// String returns the quantity's name in plan files.
func (q Quantity) String() string {
	if int(q) < len(quantityNames) {
		return quantityNames[q]
	}
	return fmt.Sprintf("Quantity(%d)", uint8(q))
}

// Plan is a filter plan.
type Plan struct {
	Name    string // of the file, without ".txt"
	Machine Machine
	// Shapes lists the shapes that the groups were chosen from, in ascending
	// order.
	Shapes []Shape
	// Minimise is the plan's objective. Limit is the most survivors allowed, or
	// Full if all conditions must be covered, or Any.
	Minimise Quantity
	Limit    Survivors
	Groups   []Group
	// Bound is a proved lower bound on the objective, in the units of Score. The
	// plan is optimal if it equals the score.
	Bound  int64
	Solver string // name and version of what found the plan and proved the bound
	Table  string // TableHash of the conditions
}

// Survivors is an expected number of survivors: pairs of a random block and a
// disturbance vector that the filter does not dismiss, a block, in units of
// 2^-19. No vector's conditions have a higher rank than 15, and a mix of data is
// in sixteenths, so it is exact.
type Survivors int64

// One is one survivor a block, that is, a filter that lets one vector through
// untested.
const One Survivors = 1 << 15 * corpus.Whole

// The limits that are no numbers.
const (
	Full Survivors = -1 // as few as all conditions leave: the spans must be equal
	Any  Survivors = -2 // no limit
)

// Rate returns s as a number a block.
func (s Survivors) Rate() float64 { return float64(s) / float64(One) }

// survivors returns what a rank leaves of one vector.
func survivors(rank int) Survivors { return One >> rank }

// Floor returns the survivors of all conditions of the table.
func Floor(table *dvs.Table) Survivors {
	var s Survivors
	for dv := range dvs.Count {
		s += survivors(table.Span(dv).Rank())
	}
	return s
}

// Spans returns the span of what the plan tests for each vector.
func (p *Plan) Spans() [dvs.Count]dvs.Span {
	var spans [dvs.Count]dvs.Span
	for _, g := range p.Groups {
		g.addTo(&spans)
	}
	return spans
}

// addTo adds the group's tests to spans and returns by how much their ranks
// grew in all.
func (g *Group) addTo(spans *[dvs.Count]dvs.Span) int {
	gain := 0
	for _, l := range g.Lanes {
		for dv := range dvs.Count {
			if l.DVs.Has(dv) {
				if independent, _ := spans[dv].Add(l.Edge); independent {
					gain++
				}
			}
		}
	}
	return gain
}

// Gains returns by how much each group, in order, widens the spans.
func (p *Plan) Gains() []int {
	var spans [dvs.Count]dvs.Span
	gains := make([]int, len(p.Groups))
	for n := range p.Groups {
		gains[n] = p.Groups[n].addTo(&spans)
	}
	return gains
}

// Rank returns the sum of the ranks of Spans.
func (p *Plan) Rank() int {
	n := 0
	for _, gain := range p.Gains() {
		n += gain
	}
	return n
}

// Survivors returns the expected survivors of each vector.
func (p *Plan) Survivors() [dvs.Count]Survivors {
	var out [dvs.Count]Survivors
	for dv, s := range p.Spans() {
		out[dv] = survivors(s.Rank())
	}
	return out
}

// TotalSurvivors returns the sum of Survivors.
func (p *Plan) TotalSurvivors() Survivors {
	var sum Survivors
	for _, s := range p.Survivors() {
		sum += s
	}
	return sum
}

// Curve returns the survivors after the first n groups, for n from 0 to all.
func (p *Plan) Curve() []Survivors {
	out := make([]Survivors, len(p.Groups)+1)
	for n := range out {
		q := Plan{Groups: p.Groups[:n]}
		out[n] = q.TotalSurvivors()
	}
	return out
}

// Instructions returns the filter instructions a block.
func (p *Plan) Instructions() int {
	n := 0
	for i := range p.Groups {
		n += p.Machine.Instructions(&p.Groups[i])
	}
	return n
}

// Score returns the value of the objective: groups, instructions, or, for
// Cycles, units of UnitsPerCycle.
func (p *Plan) Score() int64 {
	switch p.Minimise {
	case Instructions:
		return int64(p.Instructions())
	case Cycles:
		return p.Machine.Cycles(p.Instructions(), p.MixedSurvivors())
	}
	return int64(len(p.Groups))
}

// Dismissed returns the vectors that the filter rules out for a block with the
// expanded message w. It is the reference for kernels.
func (p *Plan) Dismissed(w *[dvs.Steps]uint32) dvs.Mask {
	var m dvs.Mask
	for n := range p.Groups {
		for _, l := range p.Groups[n].Lanes {
			if l.Used() && !l.Holds(w) {
				m |= l.DVs
			}
		}
	}
	return m
}

// TableHash returns the SHA-256 of the table's conditions, one a line, in hex.
func TableHash(table *dvs.Table) string {
	h := sha256.New()
	for _, c := range table.Conditions {
		io.WriteString(h, c.String()+"\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}

// implied returns the vectors whose conditions imply e.
func implied(table *dvs.Table, e dvs.Edge) dvs.Mask {
	var m dvs.Mask
	for dv := range dvs.Count {
		if table.Span(dv).Implies(e) {
			m |= 1 << dv
		}
	}
	return m
}

// Signature is what the lanes of a uniform group have in common.
type Signature struct {
	Gap, A, B int
	C         uint32
}

// SignatureOf returns the signature of an edge.
func SignatureOf(e dvs.Edge) Signature { return Signature{e.J - e.I, e.A, e.B, e.C} }

// Compare orders signatures by gap, bits and polarity.
func (s Signature) Compare(t Signature) int {
	return slices.Compare([]int{s.Gap, s.A, s.B, int(s.C)}, []int{t.Gap, t.A, t.B, int(t.C)})
}

// NewUniform returns the uniform group that starts at word start, its lanes
// carrying every vector of the table that implies their edge.
func NewUniform(table *dvs.Table, lanes int, s Signature, start int) Group {
	g := Group{Shape: Uniform, Start: start, Gap: s.Gap, A: s.A, B: s.B, C: s.C, Lanes: make([]Lane, lanes)}
	for n := range g.Lanes {
		e := dvs.Edge{I: start + n, A: s.A, J: start + n + s.Gap, B: s.B, C: s.C}
		g.Lanes[n] = Lane{e, implied(table, e)}
	}
	return g
}

// NewVariable returns the variable-shift group that starts at word start with
// the given edges, which must lie in different lanes.
func NewVariable(table *dvs.Table, lanes, gap, start int, edges []dvs.Edge) Group {
	g := Group{Shape: Variable, Start: start, Gap: gap, Lanes: make([]Lane, lanes)}
	for n := range g.Lanes {
		g.Lanes[n].I, g.Lanes[n].J = start+n, start+n+gap
	}
	for _, e := range edges {
		g.Lanes[e.I-start] = Lane{e, implied(table, e)}
	}
	return g
}

// NewLaneDV returns the group whose lane 0 is vector first and whose first
// words start at first.K+offset.
func NewLaneDV(table *dvs.Table, lanes int, first dvs.DV, offset int, s Signature) Group {
	g := NewUniform(table, lanes, s, first.K+offset)
	g.Shape, g.First = LaneDV, first
	for n := range g.Lanes {
		g.Lanes[n].DVs &= laneVector(first, n)
	}
	return g
}

// laneVector returns the mask of the vector that lane n stands for in a LaneDV
// group, which is empty if it is not one of the 32.
func laneVector(first dvs.DV, n int) dvs.Mask {
	first.K += n
	if bit, ok := first.Bit(); ok {
		return 1 << bit
	}
	return 0
}
