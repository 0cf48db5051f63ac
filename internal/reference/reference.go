// Package reference computes SHA-1 with collision detection in the plainest
// way: step by step from the standard, every condition of the table tested as
// it stands, twins recomputed from the steps that the reference implementation
// in C uses. It shares no code with the runtime; tests compare the two.
package reference

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/sha1dc/go/internal/dvs"
)

// Options are the switches of the runtime's Config, and what tests replace.
type Options struct {
	ReducedRounds bool
	DisableUBC    bool

	// DM replaces the message differences, if not nil. A vector with no
	// difference makes every block that meets its conditions an attack.
	DM *[dvs.Count][dvs.Steps]uint32
}

// Result is what there is to know of a message.
type Result struct {
	Plain, Mitigated [20]byte
	Attacked         bool
	Offset           int64  // of the first attacked block
	DV               dvs.DV // of the first attacked block
}

// What is published, read when it is first asked for.
var (
	table = sync.OnceValue(dvs.Published)
	dms   = sync.OnceValue(func() *[dvs.Count][dvs.Steps]uint32 {
		var dm [dvs.Count][dvs.Steps]uint32
		for n, d := range dvs.All() {
			dm[n] = d.DM()
		}
		return &dm
	})
)

// Initial is the chaining value before the first block.
var Initial = [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}

// Sum hashes data.
func Sum(data []byte, o Options) Result {
	var r Result
	plain, mitigated := Initial, Initial
	padded := Pad(data)
	for n := 0; n < len(padded); n += 64 {
		w := Expand(padded[n : n+64])
		plain = Compress(plain, &w)
		in := mitigated
		mitigated = Compress(in, &w)
		if dv, ok := attacked(in, mitigated, &w, o); ok {
			if !r.Attacked {
				r.Attacked, r.Offset, r.DV = true, int64(n), dvs.All()[dv]
			}
			mitigated = Compress(Compress(mitigated, &w), &w)
		}
	}
	r.Plain, r.Mitigated = digest(plain), digest(mitigated)
	return r
}

// Pad returns data with SHA-1's padding (FIPS 180-4, section 5.1.1).
func Pad(data []byte) []byte {
	p := append([]byte{}, data...)
	p = append(p, 0x80)
	for len(p)%64 != 56 {
		p = append(p, 0)
	}
	return binary.BigEndian.AppendUint64(p, uint64(len(data))*8)
}

// Expand returns the expanded message of a block.
func Expand(block []byte) [dvs.Steps]uint32 {
	var m [16]uint32
	for n := range m {
		m[n] = binary.BigEndian.Uint32(block[4*n:])
	}
	return dvs.Expand(m)
}

// State is a working state: A to E.
type State [5]uint32

// Step returns the state after step t with message word w.
func (s State) Step(t int, w uint32) State {
	a, b, c, d, e := s[0], s[1], s[2], s[3], s[4]
	f, k := function(t, b, c, d)
	return State{bits.RotateLeft32(a, 5) + f + e + k + w, a, bits.RotateLeft32(b, 30), c, d}
}

// StepBack returns the state before step t with message word w.
func (s State) StepBack(t int, w uint32) State {
	a, b, c, d := s[1], bits.RotateLeft32(s[2], 2), s[3], s[4]
	f, k := function(t, b, c, d)
	return State{a, b, c, d, s[0] - bits.RotateLeft32(a, 5) - f - k - w}
}

// function returns the Boolean function of step t and its constant.
func function(t int, b, c, d uint32) (f, k uint32) {
	switch {
	case t < 20:
		return b&c | ^b&d, 0x5a827999
	case t < 40:
		return b ^ c ^ d, 0x6ed9eba1
	case t < 60:
		return b&c | b&d | c&d, 0x8f1bbcdc
	}
	return b ^ c ^ d, 0xca62c1d6
}

// Compress returns the chaining value after a block.
func Compress(in [5]uint32, w *[dvs.Steps]uint32) [5]uint32 {
	s := State(in)
	for t := range dvs.Steps {
		s = s.Step(t, w[t])
	}
	return add(in, s)
}

// Twin returns the chaining values before and after the twin of block w that
// the message differences dm define, given the block's incoming value and a
// step at whose start both share the working state.
func Twin(in [5]uint32, w, dm *[dvs.Steps]uint32, step int) (twinIn, twinOut [5]uint32) {
	s := State(in)
	for t := range step {
		s = s.Step(t, w[t])
	}
	back, forth := s, s
	for t := step - 1; t >= 0; t-- {
		back = back.StepBack(t, w[t]^dm[t])
	}
	for t := step; t < dvs.Steps; t++ {
		forth = forth.Step(t, w[t]^dm[t])
	}
	return back, add(back, forth)
}

// upstreamStep returns the test step of the implementation in C.
func upstreamStep(d dvs.DV) int {
	if d.K >= 50 {
		return 65
	}
	return 58
}

func attacked(in, out [5]uint32, w *[dvs.Steps]uint32, o Options) (dv int, ok bool) {
	mask := table().Mask(w)
	if o.DisableUBC {
		mask = dvs.AllMask
	}
	dm := dms()
	if o.DM != nil {
		dm = o.DM
	}
	for n, d := range dvs.All() {
		if !mask.Has(n) {
			continue
		}
		twinIn, twinOut := Twin(in, w, &dm[n], upstreamStep(d))
		if twinOut == out || o.ReducedRounds && twinIn == in {
			return n, true
		}
	}
	return 0, false
}

func add(x [5]uint32, y State) [5]uint32 {
	for n := range x {
		x[n] += y[n]
	}
	return x
}

func digest(h [5]uint32) (sum [20]byte) {
	for n, w := range h {
		binary.BigEndian.PutUint32(sum[4*n:], w)
	}
	return sum
}
