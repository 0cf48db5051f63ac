package prove

import (
	"fmt"
	"math/rand/v2"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// fixedLanes returns messages of constants, and lanes that are idle or not.
func fixedLanes(p *plan.Plan, message func(at place) [16]uint32, idle []uint32) *lanes {
	l := emptyLanes(p)
	l.expand = func(at place) (w [spec.Steps]symbolic.Word) {
		for t, v := range dvs.Expand(message(at)) {
			w[t] = l.g.Const(v)
		}
		return w
	}
	for _, v := range idle {
		l.idle = append(l.idle, l.g.Const(v))
	}
	return l
}

// execute runs a call of a kernel on constants, with the same meanings as the
// proof, and returns how it differs from what its plan says.
func (k ManyKernel) execute(s *Sources, c manyCall, message func(at place) [16]uint32, idle []uint32) error {
	plan, err := s.Plan(k.Plan)
	if err != nil {
		return err
	}
	p, err := k.prover(s, fixedLanes(plan, message, idle))
	if err != nil {
		return err
	}
	g := p.lanes.g
	c.survivors = make(map[place]bool)
	for group := range max(1, c.groups) {
		for lane := range k.Lanes {
			var in spec.State
			for n, w := range initial {
				in[n] = g.Const(w + uint32(group<<8+lane))
			}
			p.lanes.in[[2]int{group, lane}] = in
			for block := range c.blocks() {
				at := place{group, block, lane}
				w := dvs.Expand(message(at))
				if uint32(dvs.AllMask&^plan.Dismissed(&w))&^idle[lane] != 0 {
					c.survivors[at] = true
				}
			}
		}
	}
	if f := p.call(&c); f != nil {
		return f
	}
	return nil
}

// Replay executes a kernel with a counterexample's blocks, on the same meanings
// as the proof but with constants alone, and returns how it differs from its
// plan.
func (k ManyKernel) Replay(s *Sources, c *Counterexample) error {
	if !c.Message {
		return nil
	}
	return k.execute(s, *c.many, func(at place) [16]uint32 { return c.beside[at] }, make([]uint32, k.Lanes))
}

// differential executes the kernel on random and crafted messages, and returns
// how it differs from what its plan says.
func (k ManyKernel) differential(s *Sources, rng *rand.Rand) error {
	for range 4 {
		c := manyCall{name: "random messages", groups: 1 + rng.IntN(2), n: 1 + rng.IntN(2), more: rng.IntN(2), used: rng.IntN(9), data: uint64(32 * rng.IntN(2))}
		blocks := make(map[place][16]uint32)
		message := func(at place) [16]uint32 {
			b, ok := blocks[at]
			if !ok {
				b = anyBlock(rng)
				blocks[at] = b
			}
			return b
		}
		idle := make([]uint32, k.Lanes)
		for n := range idle {
			idle[n] = -uint32(rng.IntN(8) / 7)
		}
		if err := k.execute(s, c, message, idle); err != nil {
			return fmt.Errorf("was accepted, and differs when it is executed: %w", err)
		}
	}
	return nil
}
