package reference

import (
	"crypto/sha1"
	"math/rand/v2"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/vectors"
)

func TestPlain(t *testing.T) {
	rng := rand.NewChaCha8([32]byte{1})
	for n := range 300 {
		data := make([]byte, n)
		rng.Read(data)
		want := sha1.Sum(data)
		if r := Sum(data, Options{}); r.Plain != want || r.Mitigated != want || r.Attacked {
			t.Fatalf("%d bytes: %+v, want %x", n, r, want)
		}
	}
}

func TestPublished(t *testing.T) {
	ii52 := dvs.DV{Type: dvs.TypeII, K: 52}
	offsets := map[string][2]int64{ // of the attack, without and with reduced rounds
		"shattered-1": {256, 192}, "shattered-2": {256, 192},
		"sha-mbles-1": {576, 576}, "sha-mbles-2": {576, 576},
		"reduced-round": {0, 64},
	}
	for _, f := range vectors.All() {
		for _, disable := range []bool{false, true} {
			want := Result{Plain: f.Plain, Mitigated: f.Mitigated, Attacked: f.Attacked()}
			if want.Attacked {
				want.Offset, want.DV = offsets[f.Name][0], ii52
			}
			if r := Sum(f.Data, Options{DisableUBC: disable}); r != want {
				t.Errorf("%s: %+v, want %+v", f.Name, r, want)
			}
			want = Result{f.Plain, f.Reduced, true, offsets[f.Name][1], ii52}
			if r := Sum(f.Data, Options{DisableUBC: disable, ReducedRounds: true}); r != want {
				t.Errorf("%s, reduced rounds: %+v, want %+v", f.Name, r, want)
			}
		}
	}
}

// The steps that upstream restarts from, by its table: 65 for the bits 11 to
// 15 and 23 to 31, else 58.
func TestUpstreamStep(t *testing.T) {
	for n, d := range dvs.All() {
		want := 58
		if n >= 11 && n <= 15 || n >= 23 {
			want = 65
		}
		if got := upstreamStep(d); got != want {
			t.Errorf("%v: step %d, want %d", d, got, want)
		}
	}
}
