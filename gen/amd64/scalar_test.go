package amd64

import (
	"testing"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/sha1dc/go/internal/dvs"
)

// The emitter must refuse steps that run ahead of their words.
func TestCheckSums(t *testing.T) {
	area := reg.R11
	r := scalarRegisters{
		state: [roles]reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI, reg.RDI},
		temp:  [2]reg.GPPhysical{reg.R8, reg.R9},
		trace: reg.R12,
	}
	steps := r.compress(func(t int) operand.Mem { return mem(area, areaSum+4*t) })
	words := newExpansion(build.NewContext(), avx2, area, reg.R13).single()
	for _, test := range []struct {
		name     string
		from, to float64
		errs     int
	}{
		{"words first", -1, 0, 0},
		{"words last", 1, 1, dvs.Steps},
		{"last words beside the last steps", -0.1, 1, -1},
	} {
		e := scalarEmitter{area: area}
		e.check(merge(steps, words, test.from, test.to), area)
		if n := len(e.errs); n != test.errs && (test.errs >= 0 || n == 0 || n == dvs.Steps) {
			t.Errorf("%s: %d sums out of order, want %d (-1: some)", test.name, n, test.errs)
		}
	}
}

// Every vector's twins must be run from a step at which both messages share the
// state.
func TestTwinTests(t *testing.T) {
	index, err := twinTests()
	if err != nil {
		t.Fatal(err)
	}
	for n, d := range dvs.All() {
		step := twinSteps[index[n]]
		if lo, hi := d.ZeroRange(); step < lo || step > hi {
			t.Errorf("%v: step %d is not in its zero range %d to %d", d, step, lo, hi)
		}
	}
	if n := tracedStep - twinSteps[0] + 5; n != traceStates || tracedStep != twinSteps[len(twinSteps)-1] {
		t.Errorf("%d values of A up to step %d are traced, want %d", traceStates, tracedStep, n)
	}
}
