package peers

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/pjbgf/sha1cd/cgo"
	"github.com/pjbgf/sha1cd/ubc"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/sha1dc"
)

// agreeOnMask fails the test unless the table, upstream and sha1cd leave the
// same vectors for the words w, which need not be an expanded block. It
// returns them.
func agreeOnMask(t testing.TB, what string, w *[dvs.Steps]uint32) dvs.Mask {
	t.Helper()
	want := dvs.Mask(cgo.CalculateDvMask(w))
	if got := table.Mask(w); got != want {
		t.Fatalf("%s: table leaves %v, upstream %v\nwords %08x", what, got, want, *w)
	}
	if got := dvs.Mask(ubc.CalculateDvMask(w)); got != want {
		t.Fatalf("%s: sha1cd leaves %v, upstream %v\nwords %08x", what, got, want, *w)
	}
	return want
}

func TestMaskRandom(t *testing.T) {
	rng := newRand(10)
	for _, kind := range []struct {
		name  string
		words func() [dvs.Steps]uint32
	}{
		{"random block", func() [dvs.Steps]uint32 {
			var block [16]uint32
			for i := range block {
				block[i] = rng.Uint32()
			}
			return dvs.Expand(block)
		}},
		{"random words", func() (w [dvs.Steps]uint32) {
			for i := range w {
				w[i] = rng.Uint32()
			}
			return w
		}},
	} {
		// The rarest vectors have rank 15: 300,000 tries miss one of them with
		// probability e^-9.
		var seen dvs.Mask
		for range 300_000 {
			w := kind.words()
			seen |= agreeOnMask(t, kind.name, &w)
		}
		if seen != dvs.AllMask {
			t.Errorf("%s: no hit for %v", kind.name, dvs.AllMask&^seen)
		}
	}
}

func TestMaskExtremes(t *testing.T) {
	for _, fill := range []uint32{0, 1<<32 - 1, 0x55555555, 0xaaaaaaaa, 0x00ff00ff, 1, 1 << 31, 0x36363636} {
		var w [dvs.Steps]uint32
		for i := range w {
			w[i] = fill
		}
		agreeOnMask(t, fmt.Sprintf("80 words %08x", fill), &w)
		w = dvs.Expand([16]uint32(w[:16]))
		agreeOnMask(t, fmt.Sprintf("16 words %08x", fill), &w)
	}
}

// On blocks that pass for a vector every bit of the words is flipped once:
// each bit that a condition names must dismiss the vector, no other may.
func TestMaskCrafted(t *testing.T) {
	rng := newRand(11)
	for dv, v := range dvs.All() {
		edges := craft.Conditions(table, dv)
		named := make(map[dvs.Bit]bool)
		for _, e := range edges {
			named[dvs.Bit{Word: e.I, Pos: e.A}] = true
			named[dvs.Bit{Word: e.J, Pos: e.B}] = true
		}
		for range 3 {
			w := dvs.Expand(craft.Passing(table, dv, rng))
			if !agreeOnMask(t, fmt.Sprintf("block for %v", v), &w).Has(dv) {
				t.Fatalf("upstream dismisses a block crafted for %v", v)
			}
			for word := range w {
				for pos := range 32 {
					w[word] ^= 1 << pos
					what := fmt.Sprintf("words for %v with W[%d].%d flipped", v, word, pos)
					if agreeOnMask(t, what, &w).Has(dv) == named[dvs.Bit{Word: word, Pos: pos}] {
						t.Fatalf("%s: upstream's verdict on it is %v", what, !named[dvs.Bit{Word: word, Pos: pos}])
					}
					w[word] ^= 1 << pos
				}
			}
		}
		for broken, e := range edges {
			for range 20 {
				w := dvs.Expand(craft.NearMiss(table, dv, broken, rng))
				what := fmt.Sprintf("block for %v but for %v", v, e)
				if agreeOnMask(t, what, &w).Has(dv) {
					t.Fatalf("%s: upstream keeps the vector", what)
				}
			}
		}
	}
	for range 3000 {
		w := dvs.Expand(crowded(rng))
		agreeOnMask(t, "block for many vectors", &w)
	}
}

// What upstream computed in its last recheck of a block gives away its message
// differences, and the twin's chaining value, which must be the one that a
// recheck from our test step gives.
func TestRecheck(t *testing.T) {
	rng := newRand(12)
	for dv, v := range dvs.All() {
		for found := 0; found < 20; {
			block := craft.Passing(table, dv, rng)
			w := dvs.Expand(block)
			// Upstream tries the vectors in the order of their bits.
			if 31-bits.LeadingZeros32(uint32(table.Mask(&w))) != dv {
				continue
			}
			found++
			u := newUpstream(sha1dc.Config{})
			u.Write(randomBytes(rng, 64))
			in := *field[[5]uint32](u, "ihv")
			u.Write(craft.Bytes(block))
			if got := *field[[dvs.Steps]uint32](u, "m1"); got != w {
				t.Fatalf("%v: expanded words %08x, upstream %08x", v, w, got)
			}
			if got, want := u.differences(), v.DM(); got != want {
				t.Fatalf("%v: message differences %08x, upstream %08x", v, want, got)
			}
			if got, want := *field[[5]uint32](u, "ihv2"), twinIn(in, &w, v); got != want {
				t.Fatalf("%v: the twin's chaining value is %08x from step %d, upstream %08x", v, want, v.TestStep(), got)
			}
		}
	}
}

// twinIn returns the chaining value from which the twin that v pairs with the
// block w reaches the block's state at v's test step.
func twinIn(in [5]uint32, w *[dvs.Steps]uint32, v dvs.DV) [5]uint32 {
	f := func(t int, b, c, d uint32) uint32 {
		switch t / 20 {
		case 0:
			return (b&c | ^b&d) + 0x5a827999
		case 1:
			return (b ^ c ^ d) + 0x6ed9eba1
		case 2:
			return (b&c | b&d | c&d) + 0x8f1bbcdc
		}
		return (b ^ c ^ d) + 0xca62c1d6
	}
	s := in
	for t := range v.TestStep() {
		s = [5]uint32{bits.RotateLeft32(s[0], 5) + f(t, s[1], s[2], s[3]) + s[4] + w[t], s[0], bits.RotateLeft32(s[1], 30), s[2], s[3]}
	}
	dm := v.DM()
	for t := v.TestStep() - 1; t >= 0; t-- {
		a, b, c, d := s[1], bits.RotateLeft32(s[2], 2), s[3], s[4]
		s = [5]uint32{a, b, c, d, s[0] - bits.RotateLeft32(a, 5) - f(t, b, c, d) - (w[t] ^ dm[t])}
	}
	return s
}
