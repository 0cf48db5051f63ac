// Package dvs holds what is published about SHA-1 collision attacks: the 32
// disturbance vectors worth checking and the 156 unavoidable bit conditions
// that every block of an attack with one of them must meet (Stevens and
// Shumow, "Speeding up detection of SHA-1 collision attacks using unavoidable
// attack conditions", 2017).
//
// Everything else that the generators need is derived here: message
// differences, the steps at which both messages of a pair share their state,
// and the linear span of each vector's conditions.
package dvs

import (
	"fmt"
	"math/bits"
)

// Steps is the number of steps of the SHA-1 compression function, and so of
// expanded message words of a block.
const Steps = 80

// Type tells the two classes of disturbance vectors apart (Manuel,
// "Classification and generation of disturbance vectors for collision attacks
// against SHA-1", 2011).
type Type uint8

// The two classes.
const (
	TypeI  Type = 1
	TypeII Type = 2
)

// String returns "I" or "II".
func (t Type) String() string {
	switch t {
	case TypeI:
		return "I"
	case TypeII:
		return "II"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// DV names a disturbance vector, as in I(46,2): its class, the step K at which
// its sixteen defining words start, and the bit position B of its pattern.
type DV struct {
	Type Type
	K, B int
}

// Count is the number of disturbance vectors checked.
const Count = 32

// all is in the order of upstream's mask bits: bit n of a Mask is all[n].
var all = [Count]DV{
	{TypeI, 43, 0}, {TypeI, 44, 0}, {TypeI, 45, 0}, {TypeI, 46, 0},
	{TypeI, 46, 2}, {TypeI, 47, 0}, {TypeI, 47, 2}, {TypeI, 48, 0},
	{TypeI, 48, 2}, {TypeI, 49, 0}, {TypeI, 49, 2}, {TypeI, 50, 0},
	{TypeI, 50, 2}, {TypeI, 51, 0}, {TypeI, 51, 2}, {TypeI, 52, 0},
	{TypeII, 45, 0}, {TypeII, 46, 0}, {TypeII, 46, 2}, {TypeII, 47, 0},
	{TypeII, 48, 0}, {TypeII, 49, 0}, {TypeII, 49, 2}, {TypeII, 50, 0},
	{TypeII, 50, 2}, {TypeII, 51, 0}, {TypeII, 51, 2}, {TypeII, 52, 0},
	{TypeII, 53, 0}, {TypeII, 54, 0}, {TypeII, 55, 0}, {TypeII, 56, 0},
}

// All returns the 32 disturbance vectors in the order of the bits of a Mask.
func All() [Count]DV { return all }

// Bit returns the index of d in All, or false if d is not one of the 32.
func (d DV) Bit() (int, bool) {
	for n, v := range all {
		if v == d {
			return n, true
		}
	}
	return 0, false
}

// String returns the name in the literature's form, as "II(52,0)".
func (d DV) String() string { return fmt.Sprintf("%v(%d,%d)", d.Type, d.K, d.B) }

// firstStep is the lowest index of a disturbance vector that a message word
// depends on: DM[t] reaches back to DV[t-5].
const firstStep = -5

// Vector is a disturbance vector written out: entry n is the disturbance at
// step n-5, for the steps -5 to 79.
type Vector [Steps - firstStep]uint32

// At returns the disturbance at step t, -5 <= t < 80.
func (v *Vector) At(t int) uint32 { return v[t-firstStep] }

// Vector writes d out from its sixteen defining words, which satisfy SHA-1's
// message recurrence in both directions.
func (d DV) Vector() Vector {
	var v Vector
	set := func(t int, w uint32) { v[t-firstStep] = w }
	set(d.K+15, 1<<d.B)
	if d.Type == TypeII {
		w := bits.RotateLeft32(1, d.B+31)
		set(d.K+1, w)
		set(d.K+3, w)
	}
	for t := d.K + 16; t < Steps; t++ {
		set(t, bits.RotateLeft32(v.At(t-3)^v.At(t-8)^v.At(t-14)^v.At(t-16), 1))
	}
	for t := d.K - 1; t >= firstStep; t-- {
		set(t, bits.RotateLeft32(v.At(t+16), -1)^v.At(t+13)^v.At(t+8)^v.At(t+2))
	}
	return v
}

// DM returns the message differences of d: the expanded words of the two
// blocks of a pair differ by W'[t] = W[t] xor DM[t]. Each disturbance starts a
// local collision of six steps.
func (d DV) DM() [Steps]uint32 {
	v := d.Vector()
	var dm [Steps]uint32
	for t := range dm {
		dm[t] = v.At(t) ^
			bits.RotateLeft32(v.At(t-1), 5) ^
			v.At(t-2) ^
			bits.RotateLeft32(v.At(t-3), 30) ^
			bits.RotateLeft32(v.At(t-4), 30) ^
			bits.RotateLeft32(v.At(t-5), 30)
	}
	return dm
}

// ZeroRange returns the steps lo <= t <= hi at whose start both messages of a
// pair share the same working state: the last local collision has closed, the
// next has not begun, and DM is zero between. Recomputing the twin from any of
// them is the same test.
func (d DV) ZeroRange() (lo, hi int) {
	dm := d.DM()
	// The run of zero words that ends where the disturbance at K+15 begins.
	hi = d.K + 15
	for lo = hi; lo > 0 && dm[lo-1] == 0; lo-- {
	}
	return lo, hi
}

// TestStep returns the step at which the recheck of d starts: of the multiples
// of four in its zero range, which hardware that does four rounds at a time can
// store, the one nearest to 60. All 32 vectors need but the steps 56, 60, 64
// and 68.
func (d DV) TestStep() int {
	lo, hi := d.ZeroRange()
	best := -1
	for t := (lo + 3) &^ 3; t <= hi; t += 4 {
		if best < 0 || abs(t-60) < abs(best-60) {
			best = t
		}
	}
	return best
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// Mask is a set of disturbance vectors: bit n stands for All()[n].
type Mask uint32

// AllMask is the set of all 32.
const AllMask Mask = 1<<Count - 1

// Has reports whether the vector with mask bit n is in the set.
func (m Mask) Has(n int) bool { return m>>n&1 != 0 }

// Len returns the number of vectors in the set.
func (m Mask) Len() int { return bits.OnesCount32(uint32(m)) }

// DVs returns the members in the order of their bits.
func (m Mask) DVs() []DV {
	out := make([]DV, 0, m.Len())
	for ; m != 0; m &= m - 1 {
		out = append(out, all[bits.TrailingZeros32(uint32(m))])
	}
	return out
}

// String returns the names of the members with a space between.
func (m Mask) String() string {
	var s []byte
	for _, d := range m.DVs() {
		if len(s) > 0 {
			s = append(s, ' ')
		}
		s = append(s, d.String()...)
	}
	return string(s)
}
