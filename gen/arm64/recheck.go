package arm64

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"

	"github.com/sha1dc/go/gen/asm"
	"github.com/sha1dc/go/internal/dvs"
)

// twin is the registers of a recheck.
type twin struct {
	rounds
	x        V
	slot, dm R // the block's slot and the vector's message differences
}

// words4 does the four steps of group g with the twin's words.
func (c *twin) words4(g int) *stream {
	var out stream
	out.loadV(c.dm, 16*g, c.x)
	out.loadV(c.slot, slotLayout.Word(4*g), c.wk)
	out.veor(c.x, c.wk, c.wk)
	out.append(c.steps4(g, c.wk))
	return &out
}

// twin runs the twin of the chain's block from the state at step t, which both
// share, to the end; takes the result from the outgoing chaining value; and
// runs from there up to t. It leaves in x what differs from the shared state:
// zero if and only if the twin leads to the same chaining value.
func (c *twin) twin(t int) *stream {
	var out stream
	e := c.e[t/4%2]
	out.loadS(c.slot, slotLayout.StateAt(t-4), c.x)
	out.loadV(c.slot, slotLayout.StateAt(t), c.abcd)
	out.sha1h(c.x, e)
	for g := t / 4; g < 20; g++ {
		out.append(c.words4(g))
	}
	// The outgoing value is the next slot's incoming one.
	out.loadVV(c.slot, slotSize+slotIn, c.x, c.wk)
	out.vsub(c.abcd, c.x, c.abcd)
	out.vsub(c.e[0], c.wk, c.e[0])
	for g := range t / 4 {
		out.append(c.words4(g))
	}
	out.loadS(c.slot, slotLayout.StateAt(t-4), c.x)
	out.loadV(c.slot, slotLayout.StateAt(t), c.wk)
	out.sha1h(c.x, c.x)
	out.veor(c.wk, c.abcd, c.wk)
	out.veor(c.x, e, c.x)
	out.vorr(c.wk, c.x, c.x)
	return &out
}

// branchHit goes to label if the twin leads to the same chaining value.
func (c *twin) branchHit(s *stream, temp [2]R, label string) {
	s.vmovD(c.x, 0, temp[0])
	s.vmovD(c.x, 1, temp[1])
	s.orr(temp[0], temp[1], temp[0])
	s.cbz(temp[0], label)
}

// newTwin allocates the registers of a recheck with the constants k.
func newTwin(a *registers, k [4]V) *twin {
	v := a.Vs(5)
	return &twin{
		rounds: rounds{copied: nowhere, abcd: v[0], e: [2]V{v[1], v[2]}, wk: v[3], k: k}, x: v[4],
		slot: a.R(), dm: a.R(),
	}
}

// loadConstants loads the constants of the rounds from the table at base.
func loadConstants(s *stream, base R, k [4]V) {
	s.loadVV(base, 0, k[0], k[1])
	s.loadVV(base, 32, k[2], k[3])
}

// constantWords returns the constants of the rounds, each in all lanes.
func constantWords() []uint32 {
	var out []uint32
	for _, k := range roundConstants {
		out = append(out, k, k, k, k)
	}
	return out
}

// emitRecheck emits the function that rechecks all survivors of a chunk, two at
// a time.
func emitRecheck(f *file) error {
	constants := f.data("constants", constantWords())
	return f.function("recheckSHA1", "func(slots *byte, n int, dm *[32][80]uint32) (hit bool)", attr.NOSPLIT, 0, []string{
		"recheckSHA1 reports whether any of the n blocks in slots is an attack with one",
		"of the vectors in its mask, whose message differences are dm. It equals attacked",
		"in pure Go.",
	}, func(f *function) error {
		recheck(f, constants)
		return nil
	})
}

func recheck(f *function, constants operand.Op) {
	registers := newRegisters()
	k := [4]V(registers.Vs(4))
	a, b := newTwin(registers, k), newTwin(registers, k)
	var (
		slot, count = registers.R(), registers.R()
		mask, rest  = registers.R(), registers.R()
		dms, stride = registers.R(), registers.R()
		temp        = [2]R{registers.R(), registers.R()}
	)
	steps, vectors := asm.TestSteps()
	f.add("MOVD", f.param("slots"), slot)
	f.add("MOVD", f.param("n"), count)
	f.add("MOVD", constants, temp[0])
	loadConstants(&f.stream, temp[0], k)
	f.add("MOVD", f.param("dm"), dms)
	f.movConstant(4*dvs.Steps, stride)
	f.movConstant(0, a.slot) // no block waits for a partner

	f.label("block")
	f.loadW(slot, slotMask, mask)
	f.cbnz(mask, "survivor")
	f.label("next")
	f.addConstant(slotSize, slot, slot)
	f.decrement(count)
	f.cbnz(count, "block")
	f.cbz(a.slot, "clean")
	// One block is left over: it is its own partner.
	f.movConstant(0, mask)
	f.movConstant(0, rest)
	f.movConstant(1, count)
	f.mov(a.slot, b.slot)
	f.mov(a.dm, b.dm)
	f.b("pair60")

	nextVector := func(c *twin) {
		f.trailingZerosW(mask, temp[0])
		f.clearLowestW(mask, temp[1])
		f.madd(temp[0], stride, dms, c.dm)
		f.mov(slot, c.slot)
	}
	f.label("survivor")
	f.mov(mask, rest)
	f.andConstant(uint32(vectors[steps[0]]), mask, temp[0], mask)

	// Vectors with the usual test step are taken in pairs.
	f.label("vector60")
	f.cbz(mask, "class56")
	f.cbnz(a.slot, "partner")
	nextVector(a)
	f.b("vector60")
	f.label("partner")
	nextVector(b)

	f.label("pair60")
	f.append(merge(a.twin(steps[0]), b.twin(steps[0]), 0, 1))
	a.branchHit(&f.stream, temp, "hit")
	b.branchHit(&f.stream, temp, "hit")
	f.movConstant(0, a.slot)
	f.b("vector60")

	// The others are rare enough to be taken alone.
	for n, t := range steps[1:] {
		vector, done := fmt.Sprintf("vector%d", t), "next"
		if n+2 < len(steps) {
			done = fmt.Sprintf("class%d", steps[n+2])
		}
		f.label(fmt.Sprintf("class%d", t))
		f.andConstant(uint32(vectors[t]), rest, temp[0], mask)
		f.label(vector)
		f.cbz(mask, done)
		nextVector(b)
		f.append(b.twin(t))
		b.branchHit(&f.stream, temp, "hit")
		f.b(vector)
	}

	f.label("clean")
	f.movConstant(0, temp[0])
	f.add("MOVB", temp[0], f.param("hit"))
	f.ret()
	f.label("hit")
	f.movConstant(1, temp[0])
	f.add("MOVB", temp[0], f.param("hit"))
	f.ret()
}
