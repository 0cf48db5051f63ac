package solver

import (
	"math/bits"
	"slices"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/plan/corpus"
)

// view is what a vector's conditions say of one family of blocks: linear forms
// on a space of the conditions' rank there. Blocks of the family survive the
// tested conditions with a probability that halves with each independent form.
type view struct {
	dv     int
	weight int64 // survivors that no test leaves
	rank   int
	edges  []int // conditions of the vector, ascending
	forms  []uint16
}

// mostRank is the highest rank of a vector's conditions that a view's forms hold,
// with a bit to spare for a contradiction, and that plan.Survivors counts exactly.
const mostRank = 15

// basis is a set of independent forms, each at its highest bit.
type basis [mostRank + 1]uint16

// add takes a form in and reports whether it is independent of those before.
func (b *basis) add(form uint16) bool {
	for form != 0 {
		top := bits.Len16(form) - 1
		if b[top] == 0 {
			b[top] = form
			return true
		}
		form ^= b[top]
	}
	return false
}

// own returns the conditions of a vector.
func (in *instance) own(dv int) []int {
	var out []int
	for n, e := range in.edges {
		if e.DVs.Has(dv) {
			out = append(out, n)
		}
	}
	return out
}

// random returns the views of random blocks, on which conditions depend on each
// other only as edges of a graph do.
func (in *instance) random() []view {
	var out []view
	for dv := range dvs.Count {
		v := view{dv: dv, weight: int64(plan.One), edges: in.own(dv)}
		place := make(map[dvs.Bit]uint16) // each bit's form relative to the first of its component
		for _, component := range in.table.Span(dv).Components() {
			for n, b := range component {
				if n > 0 {
					place[b] = 1 << v.rank
					v.rank++
				}
			}
		}
		for _, n := range v.edges {
			e := in.edges[n]
			v.forms = append(v.forms, place[dvs.Bit{Word: e.I, Pos: e.A}]^place[dvs.Bit{Word: e.J, Pos: e.B}])
		}
		out = append(out, v)
	}
	return out
}

// restricted is what a vector's conditions say of a family: form n and constant
// n say when condition edges[n] is broken. It is contradictory if no block of
// the family meets all conditions.
type restricted struct {
	view
	constants     []uint16
	contradictory bool
}

// restrict returns the vector's conditions on a family.
func (in *instance) restrict(dv int, family *corpus.Forms) restricted {
	r := restricted{view: view{dv: dv, edges: in.own(dv)}}
	var rows []corpus.Form // independent, the constant term aside
	for _, n := range r.edges {
		form := family.Broken(in.edges[n].Edge)
		used := uint16(0)
		for k, row := range rows {
			if form.Has(row.Lead()) {
				form.Add(&row)
				used |= 1 << k
			}
		}
		constant := form.Constant()
		if form.Lead() >= 0 {
			used |= 1 << len(rows)
			rows = append(rows, form)
			constant = 0
		}
		r.forms = append(r.forms, used)
		r.constants = append(r.constants, uint16(constant))
		// Where all rows are 0, which is where the conditions they come from
		// hold, this one is broken.
		r.contradictory = r.contradictory || constant == 1
	}
	r.rank = len(rows)
	return r
}

// mixed returns the views of the mix of data that plans are made for. On most
// families a vector's conditions are as independent as on random blocks; such
// views count as one.
func (in *instance) mixed(mix []corpus.Share, families []corpus.Family) []view {
	out := in.random()
	for n := range out {
		out[n].weight = 0
	}
	for _, share := range mix {
		forms := share.Family.Forms()
		for dv := range dvs.Count {
			weight := int64(plan.One) / corpus.Whole * int64(share.Parts)
			r := in.restrict(dv, forms)
			if r.contradictory && slices.ContainsFunc(families, func(f corpus.Family) bool { return f.Name == share.Family.Name }) {
				continue // always dismissed
			}
			v := r.counted()
			if v.rank == out[dv].rank {
				out[dv].weight += weight
				continue
			}
			v.weight = weight
			out = append(out, v)
		}
	}
	return out
}

// counted returns the view in which a contradiction is a form like any other,
// as the objective has it.
func (r *restricted) counted() view {
	v := r.view
	if !r.contradictory {
		return v
	}
	v.forms = slices.Clone(v.forms)
	for n := range v.forms {
		v.forms[n] |= r.constants[n] << mostRank
	}
	v.rank++
	return v
}

// broken returns which conditions each kind of block of the family breaks.
func (r *restricted) broken(size int) []set {
	var out distinct
	s := newSet(size)
	for block := range 1 << r.rank {
		clear(s)
		for n, form := range r.forms {
			if (bits.OnesCount16(form&uint16(block))+int(r.constants[n]))%2 != 0 {
				s.add(r.edges[n])
			}
		}
		out.add(s)
	}
	return out.sets
}

// contradictions returns the needs that hold exactly if a plan contradicts
// itself on a family for each vector for which all conditions do: whatever a
// block's bits are, one tested condition is broken.
func (in *instance) contradictions(families []corpus.Family) []need {
	var out []need
	for n := range families {
		forms := families[n].Forms()
		for dv := range dvs.Count {
			r := in.restrict(dv, forms)
			if !r.contradictory {
				continue
			}
			for _, s := range minimal(r.broken(len(in.edges))) {
				out = append(out, need{dv, s.members()})
			}
		}
	}
	return out
}
