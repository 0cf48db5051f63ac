package prove

import (
	"math/rand/v2"
	"testing"
)

// TestConcrete executes the kernels as they are on constants.
func TestConcrete(t *testing.T) {
	s := sources()
	for _, k := range targets() {
		if err := k.differential(s, rand.New(rand.NewPCG(7, 8))); err != nil {
			t.Errorf("%s: %v", k.name(), err)
		}
	}
}

// TestMutants damages one kernel in a few ways; "make mutate" damages all of
// them in hundreds.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make mutate does more")
	}
	k, _ := targetNamed("shani-avx2")
	tallies, err := mutate(sources(), k, 2*len(kinds), 99)
	if err != nil {
		t.Fatal(err)
	}
	var sum tally
	for _, u := range tallies {
		sum.add(u)
	}
	if sum.all != 2*len(kinds) || sum.equivalent > sum.all/2 || sum.counterexample == 0 || sum.otherwise == 0 {
		t.Errorf("%+v", sum)
	}
}
