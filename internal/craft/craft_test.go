package craft

import (
	"math/rand/v2"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
)

func TestPassingAndNearMiss(t *testing.T) {
	table := dvs.Published()
	rng := rand.New(rand.NewPCG(1, 2))
	for dv, v := range dvs.All() {
		edges := Conditions(table, dv)
		if len(edges) != table.Span(dv).Rank() {
			t.Fatalf("%v: %d conditions, rank %d", v, len(edges), table.Span(dv).Rank())
		}
		for range 20 {
			w := dvs.Expand(Passing(table, dv, rng))
			if !table.Mask(&w).Has(dv) {
				t.Fatalf("%v: crafted block is dismissed", v)
			}
		}
		for n, e := range edges {
			w := dvs.Expand(NearMiss(table, dv, n, rng))
			for m, f := range edges {
				if f.Holds(&w) != (m != n) {
					t.Fatalf("%v: near miss at %v: condition %v holds: %v", v, e, f, f.Holds(&w))
				}
			}
		}
	}
}

// The conditions of a vector must be independent on real blocks too, not only
// as edges between free words: then a random block passes with probability
// 2^-rank exactly.
func TestRankOnBlocks(t *testing.T) {
	table := dvs.Published()
	for dv, v := range dvs.All() {
		var s System
		if err := s.Add(Conditions(table, dv)...); err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		if s.Rank() != table.Span(dv).Rank() {
			t.Errorf("%v: rank %d on blocks, %d on free words", v, s.Rank(), table.Span(dv).Rank())
		}
	}
}

func TestContradiction(t *testing.T) {
	var s System
	e := dvs.Edge{I: 40, A: 29, J: 41, B: 29, C: 0}
	if err := s.Add(e, e); err != nil {
		t.Fatalf("same condition twice: %v", err)
	}
	e.C = 1
	if err := s.Add(e); err == nil {
		t.Fatal("contradicting condition accepted")
	}
	if s.Rank() != 1 {
		t.Fatalf("rank %d, want 1", s.Rank())
	}
}

func TestMostVectors(t *testing.T) {
	table := dvs.Published()
	set, s := MostVectors(table)
	if set.Len() != 12 {
		t.Errorf("%d vectors at once: %v, want 12", set.Len(), set)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		w := dvs.Expand(s.Block(rng))
		if got := table.Mask(&w); got&set != set {
			t.Errorf("block meets the conditions of %v, want %v", got, set)
		}
	}
}

func TestBytes(t *testing.T) {
	b := Bytes([16]uint32{0: 0x01020304, 15: 0xfffefdfc})
	if len(b) != 64 || b[0] != 1 || b[3] != 4 || b[60] != 0xff || b[63] != 0xfc {
		t.Fatalf("% x", b)
	}
}
