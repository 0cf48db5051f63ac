package plan

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan/corpus"
)

// family is a family of blocks with the bits of its expanded messages.
type family struct {
	corpus.Family
	forms *corpus.Forms
	parts Survivors // of the mix

	// dismissed says that vectors must contradict themselves on the family if
	// they can.
	dismissed bool
}

var mix = sync.OnceValue(func() []family {
	var out []family
	for _, s := range corpus.Mix() {
		must := slices.ContainsFunc(corpus.Contradicted(), func(f corpus.Family) bool { return f.Name == s.Family.Name })
		out = append(out, family{s.Family, s.Family.Forms(), Survivors(s.Parts), must})
	}
	return out
})

var contradicted = sync.OnceValue(func() []family {
	var out []family
	for _, f := range corpus.Contradicted() {
		out = append(out, family{f, f.Forms(), 0, true})
	}
	return out
})

// echelon is a set of independent forms, each in the place of its lead.
type echelon struct {
	rows  [512]*corpus.Form
	rank  int
	never bool // no block of the family meets all of them
}

// meet adds the demand that a form be 0.
func (e *echelon) meet(f corpus.Form) {
	for lead := f.Lead(); lead >= 0; lead = f.Lead() {
		if e.rows[lead] == nil {
			e.rows[lead] = &f
			e.rank++
			return
		}
		f.Add(e.rows[lead])
	}
	e.never = e.never || f.Constant() == 1
}

// on returns what edges demand of a family.
func on(edges []dvs.Edge, forms *corpus.Forms) *echelon {
	e := &echelon{}
	for _, edge := range edges {
		e.meet(forms.Broken(edge))
	}
	return e
}

// left returns the survivors of one vector.
func (e *echelon) left() Survivors {
	if e.never {
		return 0
	}
	return survivors(e.rank)
}

// counted returns the survivors of one vector as the objective counts them: a
// contradiction halves them as any other independent form does.
func (e *echelon) counted(f *family) Survivors {
	switch {
	case e.never && f.dismissed:
		return 0
	case e.never:
		return survivors(e.rank + 1)
	}
	return survivors(e.rank)
}

// tests returns the edges that the plan tests for each vector.
func (p *Plan) tests() [dvs.Count][]dvs.Edge {
	var out [dvs.Count][]dvs.Edge
	for _, g := range p.Groups {
		for _, l := range g.Lanes {
			for m := l.DVs; m != 0; m &= m - 1 {
				dv := bits.TrailingZeros32(uint32(m))
				out[dv] = append(out[dv], l.Edge)
			}
		}
	}
	return out
}

// SurvivorsOn returns the expected survivors of a block drawn from a family.
func (p *Plan) SurvivorsOn(f corpus.Family) Survivors {
	forms := f.Forms()
	var sum Survivors
	for _, edges := range p.tests() {
		sum += on(edges, forms).left()
	}
	return sum
}

// FloorOn returns what all conditions leave of a block drawn from a family.
func FloorOn(table *dvs.Table, f corpus.Family) Survivors {
	forms := f.Forms()
	var sum Survivors
	for dv := range dvs.Count {
		sum += on(table.Span(dv).Edges(), forms).left()
	}
	return sum
}

// MixedSurvivors returns the expected survivors of a block of corpus.Mix, as
// the objective counts them: where the tests of a vector contradict each other
// on a family, the contradiction counts as one more independent condition
// though nothing is left. The number is then a little too high, but what a
// choice of tests leaves stays a function of their rank, which solvers can
// bound.
func (p *Plan) MixedSurvivors() Survivors {
	var sum Survivors
	for _, edges := range p.tests() {
		sum += mixed(edges)
	}
	return sum
}

// mixed returns what edges leave of one vector on the mix.
func mixed(edges []dvs.Edge) Survivors {
	var sum Survivors
	for _, f := range mix() {
		sum += f.parts * on(edges, f.forms).counted(&f) / corpus.Whole
	}
	return sum
}

// MixedFloor returns what all conditions leave of a block of corpus.Mix.
func MixedFloor(table *dvs.Table) Survivors {
	var sum Survivors
	for dv := range dvs.Count {
		sum += mixed(table.Span(dv).Edges())
	}
	return sum
}

// MixedCurve returns MixedSurvivors after the first n groups, for n from 0 to
// all.
func (p *Plan) MixedCurve() []Survivors {
	out := make([]Survivors, len(p.Groups)+1)
	for n := range out {
		q := Plan{Groups: p.Groups[:n]}
		out[n] = q.MixedSurvivors()
	}
	return out
}

// MustDismiss returns the blocks which plans without a limit must dismiss for
// every vector for which all conditions do: the paddings that a message of up to
// corpus.Lengths blocks may end with, constant blocks and, unless a tail follows, blocks of a
// repeated byte and blocks with one bit that differs from the others.
func (m Machine) MustDismiss() []corpus.Corpus {
	c := corpus.Systematic()
	if m.Tail != 0 {
		return c[:3]
	}
	return c[:5]
}

// ValidateFamilies checks that on each family of corpus.Contradicted the tests
// of a vector contradict each other if all conditions of the vector do.
func (p *Plan) ValidateFamilies(table *dvs.Table) error {
	tests := p.tests()
	for _, f := range contradicted() {
		for dv, v := range dvs.All() {
			if on(table.Span(dv).Edges(), f.forms).never && !on(tests[dv], f.forms).never {
				return fmt.Errorf("plan %s keeps %v for some blocks of the family %q, for all of which the conditions dismiss it", p.Name, v, f.Name)
			}
		}
	}
	return nil
}

// ValidateBlocks checks that the plan dismisses what all conditions dismiss of
// the blocks of MustDismiss.
func (p *Plan) ValidateBlocks(table *dvs.Table) error {
	for _, c := range p.Machine.MustDismiss() {
		for b := range c.Blocks {
			w := dvs.Expand(b)
			if kept := ^p.Dismissed(&w); kept != 0 {
				if more := kept &^ table.Mask(&w); more != 0 {
					return fmt.Errorf("plan %s keeps %v for the block %08x (%s), which all conditions dismiss", p.Name, more, b, c.Name)
				}
			}
		}
	}
	return nil
}
