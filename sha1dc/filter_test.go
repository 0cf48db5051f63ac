//go:build gc && !purego && !noasm && (amd64 || arm64)

package sha1dc

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/plans"
)

// rounds returns the number of random schedules to try: n, or what the
// environment asks for, as "make filters" does.
func rounds(t *testing.T, n int) int {
	if text := os.Getenv("SHA1DC_SCHEDULES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("SHA1DC_SCHEDULES: %v", err)
		}
	} else if testing.Short() {
		n /= 10
	}
	return n
}

// TestFilterEqualsPlan compares the filters with their plans.
func TestFilterEqualsPlan(t *testing.T) {
	for _, b := range available() {
		f := filters[b]
		if f.filter == nil {
			continue
		}
		t.Run(b.String(), func(t *testing.T) { testFilter(t, f.filter, f.plan) })
	}
}

// testFilter compares a filter with its plan evaluated in plain Go: on expanded
// messages, on arbitrary words, and around a block that meets the conditions of
// each vector, with every bit of its words flipped.
func testFilter(t *testing.T, filter func(slot *byte), planName string) {
	table := dvs.Published()
	p, err := plans.Load(planName)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(50, 51))
	s := newSlots(1, rng)
	check := func(w *[steps]uint32) {
		t.Helper()
		for n, word := range w {
			binary.LittleEndian.PutUint32(s[slotWord(n):], word)
		}
		filter(&s[0])
		got, want := binary.LittleEndian.Uint32(s[slotMask:]), ^uint32(p.Dismissed(w))
		if got != want {
			t.Fatalf("%08x kept, the plan keeps %08x: %08x", got, want, *w)
		}
	}
	for range rounds(t, 50_000) {
		var w [steps]uint32
		for n := range w {
			w[n] = rng.Uint32()
		}
		check(&w)
		w = dvs.Expand([16]uint32(w[:16]))
		check(&w)
	}
	kept := 0
	for dv := range dvs.Count {
		w := dvs.Expand(craft.Passing(table, dv, rng))
		check(&w)
		if binary.LittleEndian.Uint32(s[slotMask:])>>dv&1 != 0 {
			kept++
		}
		for bit := range 32 * steps {
			w[bit/32] ^= 1 << (bit % 32)
			check(&w)
			w[bit/32] ^= 1 << (bit % 32)
		}
	}
	if kept != dvs.Count {
		t.Errorf("%d of %d blocks that meet all conditions are kept", kept, dvs.Count)
	}
}
