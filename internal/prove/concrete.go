package prove

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
	"github.com/sha1dc/go/internal/prove/processor"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// call is a call of a kernel with a message of constants. Attacks are made of
// whatever is kept for the vectors in hits, by message differences of zero.
type call struct {
	blocks [][16]uint32
	hits   uint32
	// as in a scenario
	data  uint64
	end   int
	clear bool
}

// execute runs a kernel on constants, with the same meanings as the proof, and
// returns the number of blocks added and the chaining value.
func (k Kernel) execute(s *Sources, c *call) (done int, h [5]uint32, err error) {
	changed := *s
	for dv := range changed.Differences {
		if c.hits>>dv&1 != 0 {
			changed.Differences[dv] = [dvs.Steps]uint32{}
		}
	}
	program, err := k.program(&changed)
	if err != nil {
		return 0, h, err
	}
	fn := program.functions[k.Function]
	if fn == nil {
		return 0, h, fmt.Errorf("no function %s", k.Function)
	}
	g := symbolic.New()
	m := memory.New(g)
	program.load(m, c.data)
	var message []byte
	for _, b := range c.blocks {
		for _, w := range b {
			message = binary.BigEndian.AppendUint32(message, w)
		}
	}
	behind := len(message) - 64*c.end
	m.AddBytes("the message", messageBase, message[:behind])
	m.AddBytes("the end of the message", endBase, message[behind:])
	var chain []symbolic.Word
	for _, w := range initial {
		chain = append(chain, g.Const(w))
	}
	m.Add("the chaining value", chainBase, 20, memory.ReadWrite, chain)
	cpu := k.processor(processor.State{
		G: g, Memory: m,
		Address: func(fn *asm.Function, symbol string) (uint64, bool) { return program.address(fn, symbol, c.data) },
	})
	fp := cpu.Place(stackBase)
	m.Add("the arguments", fp, fn.Args, memory.ReadWrite, arguments(g, k.arguments(&scenario{blocks: len(c.blocks), end: c.end, clear: c.clear})...))
	cpu.Enter(fn, fp)
	r := &run{subject: &subject{g: g}, program: program, executed: make(map[*asm.Instruction]bool)}
	p := &path{cpu: cpu}
	for {
		fn := cpu.Common().Frame.Fn
		if p.pc >= len(fn.Code) {
			return 0, h, errors.New("runs beyond the end of the function")
		}
		if p.steps++; p.steps > maxSteps {
			return 0, h, errors.New("does not end")
		}
		i := &fn.Code[p.pc]
		a, err := cpu.Step(i)
		if err != nil {
			return 0, h, fmt.Errorf("%s:%d: %w", fn.FileName, i.Line, err)
		}
		if a.Kind == processor.Return && len(p.callers) == 0 {
			break
		}
		if a.Kind == processor.Jump {
			if _, ok := g.Constant(a.Taken); !ok {
				return 0, h, fmt.Errorf("%s:%d: %s depends on a register or memory that was never set", fn.FileName, i.Line, i)
			}
		}
		if _, err := r.act(p, a); err != nil {
			return 0, h, err
		}
	}
	load := func(at uint64) uint32 {
		w, loadErr := m.Load(at)
		v, ok := g.Value(w)
		if loadErr != nil || !ok {
			err = errors.Join(err, loadErr, errors.New("a result depends on a register or memory that was never set"))
		}
		return v
	}
	for n := range h {
		h[n] = load(chainBase + uint64(4*n))
	}
	return int(load(fp + uint64(k.resultOffset()))), h, err
}

// initial is the chaining value before the first block.
var initial = [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}

// maxChunk bounds the blocks between where a kernel stops and an attack.
const maxChunk = 12

// deviates executes a kernel and returns how it differs from what its plans
// say.
func (k Kernel) deviates(s *Sources, plans []*plan.Plan, c *call) error {
	done, h, err := k.execute(s, c)
	if err != nil {
		return err
	}
	n := len(c.blocks)
	if done < 0 || done > n {
		return fmt.Errorf("%d of %d blocks added", done, n)
	}
	// A block must stop the kernel if all plans keep it, and may if one does.
	must, may := n, n
	last := n - 1
	if c.clear {
		last--
	}
	for b := last; b >= 0; b-- {
		w := dvs.Expand(c.blocks[b])
		all, some := c.hits, uint32(0)
		for _, p := range plans {
			kept := ^uint32(p.Dismissed(&w)) & c.hits
			all, some = all&kept, some|kept
		}
		if all != 0 {
			must = b
		}
		if some != 0 && b >= done && b < done+maxChunk {
			may = b
		}
	}
	if done > must {
		return fmt.Errorf("%d blocks added, though the plan keeps block %d", done, must)
	}
	if done < n && may == n {
		return fmt.Errorf("stops before block %d, though the plan keeps none of the blocks from there", done)
	}
	if want := chainAfter(c.blocks[:done]); h != want {
		return fmt.Errorf("chaining value %08x after %d blocks, want %08x", h, done, want)
	}
	return nil
}

// chainAfter returns the chaining value after the given blocks.
func chainAfter(blocks [][16]uint32) (h [5]uint32) {
	g := symbolic.New()
	var s spec.State
	for n, w := range initial {
		s[n] = g.Const(w)
	}
	for _, b := range blocks {
		var w [spec.Steps]symbolic.Word
		for t, v := range dvs.Expand(b) {
			w[t] = g.Const(v)
		}
		s = spec.Compress(g, s, w).Out
	}
	for n, w := range s {
		h[n], _ = g.Value(w)
	}
	return h
}

// Replay executes a kernel with a counterexample's block, on the same meanings
// as the proof but with constants alone, and returns how it differs from its
// plan: nil if it does not, as where it differs on a way that these blocks do
// not take.
func (k Kernel) Replay(s *Sources, c *Counterexample) error {
	if !c.Message {
		return nil
	}
	p, err := s.Plan(c.Plan)
	if err != nil {
		return err
	}
	// The blocks that survive in the scenario do, for one of their vectors, since
	// the kernel may differ only beside their rechecks.
	rng := rand.New(rand.NewPCG(1, 13))
	blocks := make([][16]uint32, c.Blocks)
	for n := range blocks {
		if m := c.scenario.mask(n); m != 0 {
			blocks[n] = craft.Passing(dvs.Published(), bits.TrailingZeros32(m), rng)
		}
	}
	blocks[c.Block] = [16]uint32(c.W[:16])
	return k.deviates(s, []*plan.Plan{p}, &call{blocks: blocks, hits: 1 << c.DV, data: c.data, end: c.end, clear: c.clear})
}

// differential executes the kernel on random and crafted messages, and returns
// how it differs from what its plans say.
func (k Kernel) differential(s *Sources, rng *rand.Rand) error {
	plans, err := k.plans(s)
	if err != nil {
		return err
	}
	for range 6 {
		c := call{hits: 1<<rng.IntN(32) | 1<<rng.IntN(32), data: uint64(32 * rng.IntN(2))}
		for range 1 + rng.IntN(16) {
			c.blocks = append(c.blocks, anyBlock(rng))
		}
		if k.Ends && rng.IntN(2) == 0 {
			c.end, c.clear = rng.IntN(1+min(3, len(c.blocks))), rng.IntN(2) == 0
		}
		if err := k.deviates(s, plans, &c); err != nil {
			return fmt.Errorf("was accepted, and differs when it is executed: %w", err)
		}
	}
	return nil
}

// anyBlock returns a random block, or one that meets or narrowly misses the
// conditions of a vector.
func anyBlock(rng *rand.Rand) (b [16]uint32) {
	table, dv := dvs.Published(), rng.IntN(dvs.Count)
	switch rng.IntN(4) {
	case 0:
		return craft.Passing(table, dv, rng)
	case 1:
		return craft.NearMiss(table, dv, rng.IntN(len(craft.Conditions(table, dv))), rng)
	}
	for n := range b {
		b[n] = rng.Uint32()
	}
	return b
}
