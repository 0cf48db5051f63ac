package prove

import (
	"fmt"
	"math/rand/v2"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/prove/spec"
)

func (k PairKernel) name() string { return k.Name }

func (k PairKernel) files() []string { return []string{k.File} }

func (k PairKernel) attempts(s *Sources) (attempts, error) {
	l, err := k.lanes(s)
	return &pairAttempts{k, l}, err
}

// pairAttempts are proofs of a kernel for pairs and its mutants.
type pairAttempts struct {
	kernel PairKernel
	lanes  *pairLanes
}

func (a *pairAttempts) size() int { return a.lanes.g.Size() }

func (a *pairAttempts) prove(s *Sources) (outcome, error) {
	p, err := a.kernel.prover(s, a.lanes)
	if err != nil {
		return outcome{}, err
	}
	return outcome{program: p.program, failure: p.all(p.calls()), executed: p.executed}, nil
}

// execute runs a call of a kernel on constants, with the same meanings as the
// proof, and returns how it differs from what its plan says.
func (k PairKernel) execute(s *Sources, c pairCall, message func(at place) [16]uint32) error {
	plan, err := s.Plan(k.Plan)
	if err != nil {
		return err
	}
	l, err := k.parts(fixedLanes(plan, message, make([]uint32, 2)))
	if err != nil {
		return err
	}
	p, err := k.prover(s, l)
	if err != nil {
		return err
	}
	for group := range len(c.jobs) {
		for lane := range 2 {
			var in spec.State
			for n, w := range initial {
				in[n] = l.g.Const(w + uint32(group<<8+lane))
			}
			l.in[[2]int{c.group + group, lane}] = in
		}
	}
	c.survivors = make(map[place]bool)
	for _, at := range c.places() {
		w := dvs.Expand(message(at))
		c.survivors[at] = l.first != nil && l.first.keeps(&w, anyVector)
	}
	if f := p.call(&c); f != nil {
		return f
	}
	return nil
}

// Replay executes a kernel with a counterexample's blocks, on the same meanings
// as the proof but with constants alone, and returns how it differs from its
// plan.
func (k PairKernel) Replay(s *Sources, c *Counterexample) error {
	if !c.Message {
		return nil
	}
	return k.execute(s, *c.pair, func(at place) [16]uint32 { return c.beside[at] })
}

// differential executes the kernel on random and crafted messages, and returns
// how it differs from what its plan says.
func (k PairKernel) differential(s *Sources, rng *rand.Rand) error {
	for range 4 {
		c := pairCall{name: "random messages", data: uint64(32 * rng.IntN(2))}
		for n := range 1 + rng.IntN(3) {
			c.jobs = append(c.jobs, pairWork{1 + rng.IntN(3), [2]bool{n > 0 && rng.IntN(2) > 0, n > 0 && rng.IntN(2) > 0}})
		}
		blocks := make(map[place][16]uint32)
		message := func(at place) [16]uint32 {
			b, ok := blocks[at]
			if !ok {
				b = anyBlock(rng)
				blocks[at] = b
			}
			return b
		}
		if err := k.execute(s, c, message); err != nil {
			return fmt.Errorf("was accepted, and differs when it is executed: %w", err)
		}
	}
	return nil
}
