package dvs

import "slices"

// Span is a linear space of conditions: all that follows from a set of edges
// by XOR. It is kept as a union-find forest over message bits in which every
// vertex knows its XOR with the root of its component. The zero value is the
// empty space.
type Span struct {
	parent map[Bit]link
	rank   int
}

// Bit names a bit of the expanded message: bit Pos of W[Word].
type Bit struct{ Word, Pos int }

// link leads to the parent of a vertex; xor is the known XOR of the two bits.
type link struct {
	to  Bit
	xor uint32
}

type outcome int

const (
	added outcome = iota
	implied
	contradicts
)

// root returns the root of v's component and the XOR of v's bit with it.
func (s *Span) root(v Bit) (Bit, uint32) {
	var xor uint32
	for {
		l, ok := s.parent[v]
		if !ok {
			return v, xor
		}
		v, xor = l.to, xor^l.xor
	}
}

func (s *Span) add(e Edge) outcome {
	r1, x1 := s.root(Bit{e.I, e.A})
	r2, x2 := s.root(Bit{e.J, e.B})
	xor := x1 ^ x2 ^ e.C
	if r1 == r2 {
		if xor != 0 {
			return contradicts
		}
		return implied
	}
	if s.parent == nil {
		s.parent = make(map[Bit]link)
	}
	s.parent[r2] = link{r1, xor}
	s.rank++
	return added
}

// Add widens the span by e. It reports whether e is independent of the span
// (the rank grew) and whether e is consistent with it; an edge that
// contradicts the span is not added.
func (s *Span) Add(e Edge) (independent, consistent bool) {
	o := s.add(e)
	return o == added, o != contradicts
}

// Rank returns the dimension of the span. A random block lies in it with
// probability 2^-Rank.
func (s *Span) Rank() int { return s.rank }

// Implies reports whether e follows from the span.
func (s *Span) Implies(e Edge) bool {
	r1, x1 := s.root(Bit{e.I, e.A})
	r2, x2 := s.root(Bit{e.J, e.B})
	return r1 == r2 && x1^x2 == e.C
}

// Includes reports whether all that follows from t follows from s.
func (s *Span) Includes(t *Span) bool {
	for v, l := range t.parent {
		if !s.Implies(Edge{v.Word, v.Pos, l.to.Word, l.to.Pos, l.xor}) {
			return false
		}
	}
	return true
}

// Equal reports whether s and t state the same.
func (s *Span) Equal(t *Span) bool { return s.rank == t.rank && s.Includes(t) }

// Components returns the connected components of the span, each the sorted
// list of its bits, ordered by their first bit.
func (s *Span) Components() [][]Bit {
	members := make(map[Bit][]Bit)
	for v := range s.parent {
		r, _ := s.root(v)
		if members[r] == nil {
			members[r] = append(members[r], r)
		}
		members[r] = append(members[r], v)
	}
	out := make([][]Bit, 0, len(members))
	for _, c := range members {
		slices.SortFunc(c, compareBits)
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b []Bit) int { return compareBits(a[0], b[0]) })
	return out
}

func compareBits(a, b Bit) int { return slices.Compare([]int{a.Word, a.Pos}, []int{b.Word, b.Pos}) }

// Edges returns all edges that follow from the span, in normal form, ordered
// by Edge.Compare.
func (s *Span) Edges() []Edge {
	var out []Edge
	for _, c := range s.Components() {
		for n, u := range c {
			for _, v := range c[n+1:] {
				_, xu := s.root(u)
				_, xv := s.root(v)
				out = append(out, Edge{u.Word, u.Pos, v.Word, v.Pos, xu ^ xv})
			}
		}
	}
	slices.SortFunc(out, Edge.Compare)
	return out
}
