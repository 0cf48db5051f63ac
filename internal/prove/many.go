package prove

import (
	"fmt"
	"time"

	"github.com/sha1dc/go/internal/prove/asm"
)

// ManyKernel is a kernel for many messages of the runtime, and the plan that its
// filter follows.
type ManyKernel struct {
	Name  string
	File  string // in package sha1dc
	Lanes int    // messages that it hashes side by side
	Plan  string

	// The function that adds blocks, and others that the file may have: one that
	// adds the same block to all lanes, and the filter alone. They have the
	// arguments that the runtime's Go code says.
	Blocks, Same, Filter string
}

// ManyKernels are the kernels for many messages that are proved.
var ManyKernels = []ManyKernel{
	{"many-avx512", "many_avx512_amd64.s", 16, "many", "·blocksManyAVX512", "·sameManyAVX512", "·filterManyAVX512"},
	{"many-avx2", "many_avx2_amd64.s", 8, "many", "·blocksManyAVX2", "·sameManyAVX2", "·filterManyAVX2"},
}

// program reads the file of a kernel.
func (k ManyKernel) program(s *Sources) (*Program, error) {
	return readProgram(s, []string{k.File}, nil)
}

// ManyReport says what was proved of a kernel for many messages, and at what
// cost.
type ManyReport struct {
	Instructions int // each of which was executed
	Nodes        int // of the graph
	Calls        int
	Masks        int // bits proved equal to what the plan says
	Queries      int // of the solver
	Time         time.Duration
}

// Prove proves a kernel. The error is a *Failure if the kernel is wrong, and
// another if it cannot be read.
func (k ManyKernel) Prove(s *Sources) (ManyReport, error) {
	start := time.Now()
	plan, err := s.Plan(k.Plan)
	if err != nil {
		return ManyReport{}, err
	}
	p, err := k.prover(s, newLanes(plan, k.Lanes))
	if err != nil {
		return ManyReport{}, err
	}
	f := p.all(p.calls())
	if f == nil {
		f = unreached(p.program, p.executed, k.Name)
	}
	report := ManyReport{
		Instructions: len(p.executed), Nodes: p.lanes.g.Size(), Calls: p.ended,
		Masks: p.lanes.proof.bits, Queries: p.lanes.proof.queries, Time: time.Since(start),
	}
	if f != nil {
		return report, f
	}
	return report, nil
}

// manyProver proves one program.
type manyProver struct {
	kernel   ManyKernel
	program  *Program
	area     *area
	lanes    *lanes
	executed map[*asm.Instruction]bool
	ended    int // calls that returned
}

// prover returns what proves the kernel in s.
func (k ManyKernel) prover(s *Sources, l *lanes) (*manyProver, error) {
	program, err := k.program(s)
	if err != nil {
		return nil, err
	}
	a, err := readArea(s)
	if err != nil {
		return nil, err
	}
	if k.Lanes > a.lanes {
		return nil, fmt.Errorf("%s: %d lanes, more than the %d of a row", k.Name, k.Lanes, a.lanes)
	}
	return &manyProver{kernel: k, program: program, area: a, lanes: l, executed: make(map[*asm.Instruction]bool)}, nil
}

// all runs the calls, and returns the first failure.
func (p *manyProver) all(calls []manyCall) *Failure {
	for n := range calls {
		if f := p.call(&calls[n]); f != nil {
			return f
		}
		p.ended++
	}
	return nil
}
