package solver

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// proveNodes makes the tests of curves long: they look at all points, and prove
// what branch and bound can prove.
var proveNodes = flag.Int("prove", 0, "nodes of branch and bound for each number of groups")

// The fewest survivors known for each number of groups, in units of 2^-15; a
// change may improve on them, never fall behind.
func TestCurvePublished(t *testing.T) {
	for _, c := range []struct {
		lanes  int
		first  int              // groups
		quick  int              // how many points the short test looks at
		proved int              // how many of the first points 1500 nodes prove
		best   []plan.Survivors // of first groups and more
	}{
		{16, 5, 8, 8, []plan.Survivors{8960, 5344, 4320, 3552, 2944, 2496, 2240, 2028,
			1906, 1816, 1752, 1710, 1678, 1654, 1640, 1631, 1626, 1621}},
		{8, 7, 5, 10, []plan.Survivors{22272, 14336, 10496, 7440, 5776,
			4752, 3872, 3296, 2856, 2536}},
		{4, 9, 5, 8, []plan.Survivors{59136, 46336, 36096, 26880, 21952,
			17600, 14528, 12032, 10432, 8896, 7360, 6336}},
	} {
		points := c.quick
		if *proveNodes > 0 {
			points = len(c.best)
		}
		for n, p := range Curve(dvs.Published(), plan.Machine{Lanes: c.lanes}, c.first, c.first+points-1, *proveNodes) {
			if p.Groups != c.first+n {
				t.Fatalf("%d lanes: point of %d groups, want %d", c.lanes, p.Groups, c.first+n)
			}
			if best := c.best[n] * plan.One >> 15; p.Survivors > best {
				t.Errorf("%d lanes, %d groups: %d survivors, %d are known", c.lanes, p.Groups, p.Survivors, best)
			}
			if p.Bound > p.Survivors || p.Bound < p.Survivors/2 {
				t.Errorf("%d lanes, %d groups: %d survivors, bound %d", c.lanes, p.Groups, p.Survivors, p.Bound)
			}
			if *proveNodes >= 1500 && n < c.proved && !p.Proved() {
				t.Errorf("%d lanes, %d groups: %d survivors are not proved, bound %d", c.lanes, p.Groups, p.Survivors, p.Bound)
			}
			t.Logf("%d lanes, %d groups: %.4f survivors, proved ≥ %.4f", c.lanes, p.Groups, p.Survivors.Rate(), p.Bound.Rate())
		}
	}
}

// One condition at a time, taking the best again and again cannot be beaten by
// more than a hundredth, whichever of the 564 conditions are taken.
func TestSingleConditions(t *testing.T) {
	in := newInstance(dvs.Published())
	columns := in.uniform(1)
	if len(columns) != len(in.edges) {
		t.Fatalf("%d columns for %d conditions", len(columns), len(in.edges))
	}
	s := newSizes(in, columns)
	c := newChoice(s.problem)
	rng := rand.New(rand.NewPCG(3, 3))
	for _, size := range []int{100, 110, 120, 130} {
		c.swap(size-1, 0, rng)
		before := c.value
		c.swap(size, 0, rng)
		greedy := plan.Survivors(c.value / survivorUnit)
		d := newChoice(s.problem)
		d.become(c.columns())
		d.exchange(50, rng)
		p := s.prove(d, before-c.value, *proveNodes)
		if p.Survivors > greedy || p.Bound > p.Survivors || p.Bound*100 < greedy*99 {
			t.Errorf("%d conditions: %d survivors by greedy choice, %d by exchange, bound %d", size, greedy, p.Survivors, p.Bound)
		}
		t.Logf("%d conditions: %.5f survivors by greedy choice, %.5f by exchange, proved ≥ %.5f", size, greedy.Rate(), p.Survivors.Rate(), p.Bound.Rate())
	}
}
