// Package spec says what the kernels must compute, in the words of the proof:
// SHA-1's compression function, the vectors that conditions and plans keep, and
// the recheck. It is written from FIPS 180-4 and from the definitions of the
// disturbance vectors, and shares with the generators the table of published
// conditions and the plans' text alone.
package spec

import (
	"math/bits"
	"slices"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// Steps is the number of steps of the compression function.
const Steps = 80

// State is the working state A to E, or a chaining value.
type State [5]symbolic.Word

var constants = [4]uint32{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6}

// Constant returns what step t adds to its expanded word (FIPS 180-4, section
// 4.2.1).
func Constant(t int) uint32 { return constants[t/20] }

// Step returns the state after step t with the expanded word w (FIPS 180-4,
// section 6.1.2).
func (s State) Step(g *symbolic.Graph, t int, w symbolic.Word) State {
	a, b, c, d, e := s[0], s[1], s[2], s[3], s[4]
	var f symbolic.Word
	switch t / 20 {
	case 0: // Ch
		f = g.XorWord(g.AndWord(b, c), g.AndNotWord(b, d))
	case 2: // Maj
		f = g.XorWord(g.XorWord(g.AndWord(b, c), g.AndWord(b, d)), g.AndWord(c, d))
	default: // Parity
		f = g.XorWord(g.XorWord(b, c), d)
	}
	next := g.Add(g.Add(g.RotateLeft(a, 5), f), g.Add(g.Add(e, g.Const(Constant(t))), w))
	return State{next, a, g.RotateLeft(b, 30), c, d}
}

// Block is a block, its incoming chaining value and all that follows.
type Block struct {
	W      [Steps]symbolic.Word
	States [Steps + 1]State // at the start of each step, and after the last
	Out    State
}

// Compress returns the block with the expanded words w that starts from in.
func Compress(g *symbolic.Graph, in State, w [Steps]symbolic.Word) *Block {
	b := &Block{W: w}
	b.States[0] = in
	for t := range Steps {
		b.States[t+1] = b.States[t].Step(g, t, w[t])
	}
	for n := range in {
		b.Out[n] = g.Add(in[n], b.States[Steps][n])
	}
	return b
}

// vector returns a disturbance vector written out, from step -5 on, entry n
// being that of step n-5. Its sixteen defining words, from step K on, are zero
// but the last and, in type II, the second and fourth.
func vector(d dvs.DV) (v [Steps + 5]uint32) {
	const zero = 5
	v[zero+d.K+15] = 1 << d.B
	if d.Type == dvs.TypeII {
		v[zero+d.K+1] = bits.RotateLeft32(1<<31, d.B)
		v[zero+d.K+3] = v[zero+d.K+1]
	}
	for n := zero + d.K + 16; n < len(v); n++ {
		v[n] = bits.RotateLeft32(v[n-3]^v[n-8]^v[n-14]^v[n-16], 1)
	}
	for n := zero + d.K - 1; n >= 0; n-- {
		v[n] = bits.RotateLeft32(v[n+16], 31) ^ v[n+13] ^ v[n+8] ^ v[n+2]
	}
	return v
}

// Differences returns by what the expanded words of the two blocks of a pair
// differ. A disturbance at step t is corrected in the five steps after it: by
// itself rotated by 5, by itself, and three times rotated by 30.
func Differences(d dvs.DV) (dm [Steps]uint32) {
	v := vector(d)
	for t := range dm {
		for n, rotation := range [6]int{0, 5, 0, 30, 30, 30} {
			dm[t] ^= bits.RotateLeft32(v[t+5-n], rotation)
		}
	}
	return dm
}

// SharedSteps returns the steps at whose start both messages of a pair share
// the working state: no step of the five before was disturbed. Of several runs
// of such steps it is the one in the vector's defining words.
func SharedSteps(d dvs.DV) (steps []int) {
	v := vector(d)
	for t := d.K + 15; t > d.K; t-- {
		for n := 1; n <= 5; n++ {
			if v[t+5-n] != 0 {
				slices.Reverse(steps)
				return steps
			}
		}
		steps = append(steps, t)
	}
	slices.Reverse(steps)
	return steps
}

// Recheck returns what must be zero for b to be an attack with d: the bits by
// which the twin, run up to step t from the incoming value that the outgoing
// one implies, differs from the state that both share there. Since a step can
// be undone, that is the case if and only if the twin, run backwards from the
// shared state at step t to its incoming value and forwards to its outgoing
// value, ends with that of b.
func (b *Block) Recheck(g *symbolic.Graph, d dvs.DV, t int) []symbolic.Bit {
	dm := Differences(d)
	twin := func(t int) symbolic.Word { return g.XorWord(b.W[t], g.Const(dm[t])) }
	s := b.States[t]
	for n := t; n < Steps; n++ {
		s = s.Step(g, n, twin(n))
	}
	for n := range s {
		s[n] = g.Sub(b.Out[n], s[n])
	}
	for n := range t {
		s = s.Step(g, n, twin(n))
	}
	var out []symbolic.Bit
	for n := range s {
		out = append(out, g.Bits(g.XorWord(s[n], b.States[t][n]))[:]...)
	}
	slices.Sort(out)
	return out
}

// holds returns whether the words w meet e.
func holds(g *symbolic.Graph, w *[Steps]symbolic.Word, e dvs.Edge) symbolic.Bit {
	r := g.Xor(g.Bits(w[e.I])[e.A], g.Bits(w[e.J])[e.B])
	if e.C == 0 {
		r = r.Not()
	}
	return r
}

// Conditions returns for each vector whether the words w meet all published
// conditions.
func Conditions(g *symbolic.Graph, table *dvs.Table, w *[Steps]symbolic.Word) (keep [dvs.Count]symbolic.Bit) {
	for dv := range keep {
		keep[dv] = g.True
	}
	for _, c := range table.Conditions {
		h := holds(g, w, c.Edge)
		for dv := range keep {
			if c.DVs.Has(dv) {
				keep[dv] = g.And(keep[dv], h)
			}
		}
	}
	return keep
}

// Plan returns for each vector whether p keeps it with the words w.
func Plan(g *symbolic.Graph, p *plan.Plan, w *[Steps]symbolic.Word) (keep [dvs.Count]symbolic.Bit) {
	for dv := range keep {
		keep[dv] = g.True
	}
	for n := range p.Groups {
		for _, l := range p.Groups[n].Lanes {
			if !l.Used() {
				continue
			}
			h := holds(g, w, l.Edge)
			for dv := range keep {
				if l.DVs.Has(dv) {
					keep[dv] = g.And(keep[dv], h)
				}
			}
		}
	}
	return keep
}
