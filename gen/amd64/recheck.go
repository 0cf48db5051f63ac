package amd64

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/gen/asm"
	"github.com/sha1dc/go/internal/dvs"
)

// recheckChain is the registers of one of the two twins computed side by side.
type recheckChain struct {
	slot reg.GPPhysical // the block's slot
	next reg.GPPhysical // the next block's, or nil if it follows that
	dm   reg.GPPhysical // the vector's message differences
	abcd reg.VecPhysical
	e    [2]reg.VecPhysical
	x    reg.VecPhysical
}

// steps4 does the four steps of group g with the twin's words.
func (c *recheckChain) steps4(g int) *stream {
	var out stream
	e, next := c.e[g%2], c.e[(g+1)%2]
	out.add(x86.MOVOU(mem(c.dm, 16*g), c.x))
	out.add(x86.PSHUFD(operand.U8(0x1b), c.x, c.x))
	out.add(x86.PXOR(mem(c.slot, wordOffset(g)), c.x))
	if g == 0 {
		out.add(x86.PADDD(c.x, e))
	} else {
		out.add(x86.SHA1NEXTE(c.x, e))
	}
	out.add(x86.MOVOA(c.abcd, next))
	out.add(x86.SHA1RNDS4(roundFunction(g), e, c.abcd))
	return &out
}

// twin runs the twin of the chain's block from the state at step t, which both
// share, to the end; takes the result from the outgoing chaining value; and
// runs from there up to t. It leaves in x what differs from the shared state:
// zero if and only if the twin leads to the same chaining value.
func (c *recheckChain) twin(t int) *stream {
	var out stream
	at := func(offset int) operand.Mem { return mem(c.slot, offset) }
	next := func(offset int) operand.Mem { return at(slotSize + offset) }
	if c.next != nil {
		next = func(offset int) operand.Mem { return mem(c.next, offset) }
	}
	out.add(x86.MOVOU(at(stateOffset(t)), c.abcd))
	out.add(x86.MOVOU(at(stateOffset(t-4)), c.e[t/4%2]))
	for g := t / 4; g < 20; g++ {
		out.append(c.steps4(g))
	}
	// Take the final state from the next slot's incoming value. The last copy of
	// A gives E, since 20 groups are an even number.
	out.add(x86.PXOR(c.x, c.x))
	out.add(x86.SHA1NEXTE(c.x, c.e[0]))
	out.add(x86.MOVOU(next(slotIn), c.x))
	out.add(x86.PSUBL(c.abcd, c.x))
	out.add(x86.MOVOA(c.x, c.abcd))
	out.add(x86.MOVOU(next(slotInE), c.x))
	out.add(x86.PSUBL(c.e[0], c.x))
	out.add(x86.MOVOA(c.x, c.e[0]))
	for g := range t / 4 {
		out.append(c.steps4(g))
	}
	// The state at t is A to D now and, for E, A four steps ago.
	e := c.e[t/4%2]
	out.add(x86.PXOR(at(stateOffset(t-4)), e))
	out.add(x86.PSRLDQ(operand.U8(12), e))
	out.add(x86.PXOR(at(stateOffset(t)), c.abcd))
	out.add(x86.MOVOA(e, c.x))
	out.add(x86.POR(c.abcd, c.x))
	return &out
}

// recheck emits the function that rechecks all survivors of a chunk, two at a
// time.
func recheck(ctx *build.Context) error {
	ctx.Function("recheckSHANI")
	ctx.Doc("recheckSHANI reports whether any of the n blocks in slots is an attack with one",
		"of the vectors in its mask, whose message differences are dm. It equals attacked",
		"in pure Go.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(slots *byte, n int, dm *[32][80]uint32) (hit bool)")
	ctx.Attributes(noSplit)

	a := recheckChain{slot: reg.R8, dm: reg.R9, abcd: reg.X0, e: [2]reg.VecPhysical{reg.X1, reg.X2}, x: reg.X3}
	b := recheckChain{slot: reg.R10, dm: reg.R11, abcd: reg.X5, e: [2]reg.VecPhysical{reg.X6, reg.X7}, x: reg.X8}
	var (
		slot, count = reg.RSI, reg.RCX
		mask, rest  = reg.RAX, reg.RDX
		dv          = reg.RBX
		dms         = reg.R12
	)
	steps, vectors := asm.TestSteps()
	ctx.Load(ctx.Param("slots"), slot)
	ctx.Load(ctx.Param("n"), count)
	ctx.Load(ctx.Param("dm"), dms)
	ctx.XORQ(a.slot, a.slot) // no block waits for a partner
	ctx.TESTQ(count, count)
	ctx.JE(operand.LabelRef("clean"))

	ctx.Label("block")
	ctx.MOVL(mem(slot, slotMask), mask.As32())
	ctx.TESTL(mask.As32(), mask.As32())
	ctx.JNE(operand.LabelRef("survivor"))
	ctx.Label("next")
	ctx.ADDQ(operand.U32(slotSize), slot)
	ctx.DECQ(count)
	ctx.JNE(operand.LabelRef("block"))
	ctx.TESTQ(a.slot, a.slot)
	ctx.JE(operand.LabelRef("clean"))
	// One block is left over: it is its own partner.
	ctx.XORL(mask.As32(), mask.As32())
	ctx.XORL(rest.As32(), rest.As32())
	ctx.MOVQ(operand.U32(1), count)
	ctx.MOVQ(a.slot, b.slot)
	ctx.MOVQ(a.dm, b.dm)
	ctx.JMP(operand.LabelRef("pair60"))

	ctx.Label("survivor")
	ctx.MOVL(mask.As32(), rest.As32())
	ctx.ANDL(operand.U32(vectors[steps[0]]), mask.As32())

	// Vectors with the usual test step are taken in pairs.
	ctx.Label("vector60")
	ctx.TESTL(mask.As32(), mask.As32())
	ctx.JE(operand.LabelRef("class56"))
	nextVector := func(set reg.GPPhysical, c *recheckChain) {
		ctx.BSFL(set.As32(), dv.As32())
		ctx.LEAL(operand.Mem{Base: set, Disp: -1}, reg.R13L)
		ctx.ANDL(reg.R13L, set.As32())
		ctx.IMUL3Q(operand.U32(4*dvs.Steps), dv, dv)
		ctx.ADDQ(dms, dv)
		ctx.MOVQ(slot, c.slot)
		ctx.MOVQ(dv, c.dm)
	}
	ctx.TESTQ(a.slot, a.slot)
	ctx.JNE(operand.LabelRef("partner"))
	nextVector(mask, &a)
	ctx.JMP(operand.LabelRef("vector60"))
	ctx.Label("partner")
	nextVector(mask, &b)

	ctx.Label("pair60")
	if err := emit(ctx, merge(a.twin(60), b.twin(60), 0, 1)); err != nil {
		return err
	}
	ctx.PTEST(a.x, a.x)
	ctx.JE(operand.LabelRef("hit"))
	ctx.PTEST(b.x, b.x)
	ctx.JE(operand.LabelRef("hit"))
	ctx.XORQ(a.slot, a.slot)
	ctx.JMP(operand.LabelRef("vector60"))

	// The others are rare enough to be taken alone.
	for n, t := range steps[1:] {
		class, done := fmt.Sprintf("vector%d", t), "next"
		if n+2 < len(steps) {
			done = fmt.Sprintf("class%d", steps[n+2])
		}
		ctx.Label(fmt.Sprintf("class%d", t))
		ctx.MOVL(rest.As32(), mask.As32())
		ctx.ANDL(operand.U32(vectors[t]), mask.As32())
		ctx.Label(class)
		ctx.TESTL(mask.As32(), mask.As32())
		ctx.JE(operand.LabelRef(done))
		nextVector(mask, &b)
		if err := emit(ctx, b.twin(t)); err != nil {
			return err
		}
		ctx.PTEST(b.x, b.x)
		ctx.JE(operand.LabelRef("hit"))
		ctx.JMP(operand.LabelRef(class))
	}

	ctx.Label("clean")
	ctx.XORL(reg.EAX, reg.EAX)
	ctx.Store(reg.AL, ctx.Return("hit"))
	ctx.RET()
	ctx.Label("hit")
	ctx.MOVL(operand.U32(1), reg.EAX)
	ctx.Store(reg.AL, ctx.Return("hit"))
	ctx.RET()
	return nil
}
