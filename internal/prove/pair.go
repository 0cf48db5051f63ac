package prove

import (
	"fmt"
	"time"

	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// PairKernel is a kernel for pairs of messages of the runtime, and the plan that
// its filter follows.
type PairKernel struct {
	Name  string
	File  string // in package sha1dc
	Plan  string
	First int // groups of its plan that test every block, if the others test what these keep

	// The function that does jobs, and the filter alone. They have the arguments
	// that the runtime's Go code says.
	Pair, Filter string
}

// PairKernels are the kernels for pairs of messages that are proved.
var PairKernels = []PairKernel{
	{"many-sha1-neon", "pair_sha1_neon_arm64.s", "neon", 0, "·pairSHA1NEON", "·filterPairSHA1NEON"},
	{"many-sha1-neon2", "pair_sha1_neon2_arm64.s", "neon", 15, "·pairSHA1NEON2", "·filterPairSHA1NEON2"},
}

// Prove proves a kernel. The error is a *Failure if the kernel is wrong, and
// another if it cannot be read.
func (k PairKernel) Prove(s *Sources) (ManyReport, error) {
	start := time.Now()
	l, err := k.lanes(s)
	if err != nil {
		return ManyReport{}, err
	}
	p, err := k.prover(s, l)
	if err != nil {
		return ManyReport{}, err
	}
	f := p.all(p.calls())
	if f == nil {
		f = unreached(p.program, p.executed, k.Name)
	}
	report := ManyReport{
		Instructions: len(p.executed), Nodes: l.g.Size(), Calls: p.ended,
		Masks: l.proof.bits, Queries: l.proof.queries, Time: time.Since(start),
	}
	if l.first != nil {
		report.Masks += l.first.proof.bits
		report.Queries += l.first.proof.queries
	}
	if f != nil {
		return report, f
	}
	return report, nil
}

// pairLanes are two messages, none of which is ever idle, and what both parts of
// a plan keep of their blocks.
type pairLanes struct {
	*lanes
	first *lanes // what the first part keeps, or nil if there is but one
}

// lanes returns free messages.
func (k PairKernel) lanes(s *Sources) (*pairLanes, error) {
	p, err := s.Plan(k.Plan)
	if err != nil {
		return nil, err
	}
	l := newLanes(p, 2)
	for n := range l.idle {
		l.idle[n] = l.g.Const(0)
	}
	return k.parts(l)
}

// parts returns messages with both parts of the plan.
func (k PairKernel) parts(l *lanes) (*pairLanes, error) {
	if k.First == 0 {
		return &pairLanes{lanes: l}, nil
	}
	if k.First >= len(l.plan.Groups) {
		return nil, fmt.Errorf("%s: a plan with more than %d groups is wanted", k.Name, k.First)
	}
	part := *l.plan
	part.Groups = part.Groups[:k.First]
	return &pairLanes{l, l.with(&part)}, nil
}

// with returns the same messages with another plan.
func (l *lanes) with(p *plan.Plan) *lanes {
	out := emptyLanes(p)
	out.g, out.idle, out.in = l.g, l.idle, l.in
	out.expand = func(at place) [spec.Steps]symbolic.Word { return l.block(at).W }
	return out
}

// pairProver proves one program.
type pairProver struct {
	kernel   PairKernel
	program  *Program
	slot     *pairSlot
	lanes    *pairLanes
	executed map[*asm.Instruction]bool
	ended    int // calls that returned
}

// prover returns what proves the kernel in s.
func (k PairKernel) prover(s *Sources, l *pairLanes) (*pairProver, error) {
	program, err := readProgram(s, []string{k.File}, nil)
	if err != nil {
		return nil, err
	}
	slot, err := readPairSlot(s)
	if err != nil {
		return nil, err
	}
	return &pairProver{kernel: k, program: program, slot: slot, lanes: l, executed: make(map[*asm.Instruction]bool)}, nil
}

// all runs the calls, and returns the first failure.
func (p *pairProver) all(calls []pairCall) *Failure {
	for n := range calls {
		if f := p.call(&calls[n]); f != nil {
			return f
		}
		p.ended++
	}
	return nil
}
