package prove

import (
	"math/rand/v2"

	"github.com/sha1dc/go/internal/prove/asm"
)

// target is a kernel that mutants are made of.
type target interface {
	// name is that of the backend, or of a kernel for many messages.
	name() string
	// files are the names of its files.
	files() []string
	// attempts returns what proves the kernel and mutants of it.
	attempts(s *Sources) (attempts, error)
	// differential executes it on random and crafted messages, and returns how it
	// differs from what its plans say.
	differential(s *Sources, rng *rand.Rand) error
	// Replay executes it with a counterexample, and returns how it differs.
	Replay(s *Sources, c *Counterexample) error
}

// attempts are proofs on the same graph.
type attempts interface {
	// prove proves the kernel in s. An error says that it cannot be read.
	prove(s *Sources) (outcome, error)
	// size returns the number of nodes of the graph.
	size() int
}

// outcome is what came of a proof.
type outcome struct {
	program  *Program
	executed map[*asm.Instruction]bool
	failure  *Failure // or nil
}

// targets returns all kernels.
func targets() (all []target) {
	for _, k := range Kernels {
		all = append(all, k)
	}
	for _, k := range ManyKernels {
		all = append(all, k)
	}
	for _, k := range PairKernels {
		all = append(all, k)
	}
	return all
}

// targetNamed returns the kernel with the given name.
func targetNamed(name string) (target, bool) {
	for _, k := range targets() {
		if k.name() == name {
			return k, true
		}
	}
	return nil, false
}

func (k Kernel) name() string { return k.Backend }

func (k Kernel) files() []string { return []string{k.File, k.Recheck} }

func (k Kernel) attempts(s *Sources) (attempts, error) {
	calls := k.scenarios()
	sub, err := k.subject(s, calls)
	return &kernelAttempts{k, calls, sub}, err
}

// kernelAttempts are proofs of a kernel and its mutants.
type kernelAttempts struct {
	kernel  Kernel
	calls   []scenario
	subject *subject
}

func (a *kernelAttempts) size() int { return a.subject.g.Size() }

func (a *kernelAttempts) prove(s *Sources) (outcome, error) {
	program, err := a.kernel.program(s)
	if err != nil {
		return outcome{}, err
	}
	p := &prover{kernel: a.kernel, program: program, subject: a.subject, executed: make(map[*asm.Instruction]bool)}
	return outcome{program: program, failure: p.all(a.calls), executed: p.executed}, nil
}

func (k ManyKernel) name() string { return k.Name }

func (k ManyKernel) files() []string { return []string{k.File} }

func (k ManyKernel) attempts(s *Sources) (attempts, error) {
	p, err := s.Plan(k.Plan)
	if err != nil {
		return nil, err
	}
	return &manyAttempts{k, newLanes(p, k.Lanes)}, nil
}

// manyAttempts are proofs of a kernel for many messages and its mutants.
type manyAttempts struct {
	kernel ManyKernel
	lanes  *lanes
}

func (a *manyAttempts) size() int { return a.lanes.g.Size() }

func (a *manyAttempts) prove(s *Sources) (outcome, error) {
	p, err := a.kernel.prover(s, a.lanes)
	if err != nil {
		return outcome{}, err
	}
	return outcome{program: p.program, failure: p.all(p.calls()), executed: p.executed}, nil
}
