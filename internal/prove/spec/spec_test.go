package spec

import (
	"math/rand/v2"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/prove/symbolic"
	"github.com/sha1dc/go/internal/reference"
)

// TestDerivations compares with internal/dvs, which derives the same in another
// way.
func TestDerivations(t *testing.T) {
	for _, d := range dvs.All() {
		if Differences(d) != d.DM() {
			t.Errorf("%v: other message differences than in internal/dvs", d)
		}
		lo, hi := d.ZeroRange()
		s := SharedSteps(d)
		if s[0] != lo || s[len(s)-1] != hi || len(s) != hi-lo+1 {
			t.Errorf("%v: shared steps %v, the zero range is %d to %d", d, s, lo, hi)
		}
	}
}

// TestCompress compares with the reference on constants.
func TestCompress(t *testing.T) {
	g := symbolic.New()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		var (
			in State
			h  [5]uint32
			m  [16]uint32
			w  [Steps]symbolic.Word
		)
		for n := range h {
			h[n] = rng.Uint32()
			in[n] = g.Const(h[n])
		}
		for n := range m {
			m[n] = rng.Uint32()
		}
		expanded := dvs.Expand(m)
		for n := range w {
			w[n] = g.Const(expanded[n])
		}
		want := reference.Compress(h, &expanded)
		for n, out := range Compress(g, in, w).Out {
			if v, ok := g.Value(out); !ok || v != want[n] {
				t.Fatalf("word %d is %08x, want %08x", n, v, want[n])
			}
		}
	}
}

// TestRecheckPatterns evaluates the recheck of every vector from each of its
// shared steps in the test patterns: all steps must agree.
func TestRecheckPatterns(t *testing.T) {
	g := symbolic.New()
	var in State
	for n := range in {
		in[n] = g.FreshWord()
	}
	b := Compress(g, in, g.Message(Patterns(dvs.Published(), 1)))
	for _, d := range dvs.All() {
		for _, step := range SharedSteps(d) {
			if n := len(b.Recheck(g, d, step)); n != 160 {
				t.Fatalf("%v: %d bits", d, n)
			}
		}
	}
}
