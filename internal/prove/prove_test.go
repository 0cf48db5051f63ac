package prove

import (
	"testing"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/plans"
)

// sources are the files of this module.
func sources() *Sources {
	s := ModuleSources("../..", plans.Load)
	for n, d := range dvs.All() {
		s.Differences[n] = spec.Differences(d)
	}
	return s
}

func TestKernels(t *testing.T) {
	for _, k := range Kernels {
		t.Run(k.Backend, func(t *testing.T) {
			r, err := k.Prove(sources())
			t.Logf("%+v", r)
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestGo(t *testing.T) {
	s := sources()
	if err := s.ReadDifferences(); err != nil {
		t.Fatal(err)
	}
	r, err := ProveGo(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", r)
}

func TestPlans(t *testing.T) {
	for _, name := range plans.Names() {
		p, err := plans.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := ProvePlan(p); err != nil {
			t.Error(err)
		}
	}
}
