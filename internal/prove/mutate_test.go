package prove

import (
	"math/rand/v2"
	"testing"

	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/plans"
)

// TestConcrete executes the kernels as they are on constants.
func TestConcrete(t *testing.T) {
	s := sources()
	for _, k := range Kernels {
		var followed []*plan.Plan
		for _, name := range k.Plans {
			p, err := plans.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			followed = append(followed, p)
		}
		if err := k.differential(s, followed, rand.New(rand.NewPCG(7, 8))); err != nil {
			t.Errorf("%s: %v", k.Backend, err)
		}
	}
}
