package prove

import (
	"os"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/plans"
)

// sources are the files of this module.
func sources() *Sources {
	s := &Sources{
		File: func(name string) (string, error) {
			text, err := os.ReadFile("../../sha1dc/" + name)
			return string(text), err
		},
		Plan: plans.Load,
	}
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
