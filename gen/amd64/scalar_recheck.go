package amd64

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/dvs"
)

// scalarSteps are the steps at which the scalar recheck starts, the traced one
// first. They are multiples of five, since its loops do five steps, in which
// the five registers of the state come full circle.
var scalarSteps = []int{tracedStep, 55, 65}

// scalarTestSteps returns the vectors that are rechecked from each of
// scalarSteps.
func scalarTestSteps() (map[int]dvs.Mask, error) {
	vectors := make(map[int]dvs.Mask)
	for n, d := range dvs.All() {
		lo, hi := d.ZeroRange()
		i := slices.IndexFunc(scalarSteps, func(t int) bool { return lo <= t && t <= hi })
		if i < 0 {
			return nil, fmt.Errorf("none of the steps %d lies in the zero range %d to %d of %v", scalarSteps, lo, hi, d)
		}
		vectors[scalarSteps[i]] |= 1 << n
	}
	return vectors, nil
}

// twinRegisters are the registers of the scalar recheck.
type twinRegisters struct {
	state          [5]reg.GPPhysical // A to E at steps that are multiples of five
	temp           [2]reg.GPPhysical
	word           reg.GPPhysical // address of the block's word at the current step
	stride, three  reg.GPPhysical // bytes between words, and three times as many
	dm             reg.GPPhysical // address of the message difference at the current step
	dms, stop, end reg.GPPhysical // those at step 0, at the test step, at the end of the round
}

// at returns the register of A (n = 0) to E (n = 4) at the start of step t.
func (r *twinRegisters) at(n, t int) reg.Register { return r.state[((n-t)%5+5)%5].As32() }

// fiveSteps does five steps of the given round with the twin's words.
func (r *twinRegisters) fiveSteps(round int) *stream {
	var out stream
	words := []operand.Mem{
		{Base: r.word},
		{Base: r.word, Index: r.stride, Scale: 1},
		{Base: r.word, Index: r.stride, Scale: 2},
		{Base: r.word, Index: r.three, Scale: 1},
		{Base: r.word, Index: r.stride, Scale: 4},
	}
	x, y := r.temp[0].As32(), r.temp[1].As32()
	for t, w := range words {
		a, b, c, d, e := r.at(0, t), r.at(1, t), r.at(2, t), r.at(3, t), r.at(4, t)
		out.add(x86.MOVL(w, x))
		out.add(x86.XORL(mem(r.dm, 4*t), x))
		out.add(x86.LEAL(operand.Mem{Base: e, Index: x, Scale: 1, Disp: int(int32(roundConstants[round]))}, e))
		switch round {
		case 0:
			out.add(x86.ANDNL(d, b, x))
			out.add(x86.ADDL(x, e))
			out.add(x86.MOVL(b, x))
			out.add(x86.ANDL(c, x))
		case 2:
			out.add(x86.MOVL(c, x))
			out.add(x86.XORL(d, x))
			out.add(x86.ANDNL(d, x, y))
			out.add(x86.ADDL(y, e))
			out.add(x86.ANDL(b, x))
		default:
			out.add(x86.MOVL(c, x))
			out.add(x86.XORL(d, x))
			out.add(x86.XORL(b, x))
		}
		out.add(x86.ADDL(x, e))
		out.add(x86.RORXL(operand.U8(27), a, x))
		out.add(x86.ADDL(x, e))
		out.add(x86.RORXL(operand.U8(2), b, b))
	}
	out.add(x86.LEAQ(operand.Mem{Base: r.word, Index: r.stride, Scale: 4}, r.word))
	out.add(x86.ADDQ(r.stride, r.word))
	out.add(x86.ADDQ(operand.I8(20), r.dm))
	return &out
}

// recheckScalar emits the recheck in general registers. Both halves of a twin
// run forwards: from the state at the test step, which both messages share, to
// the end; then from what the outgoing chaining value implies back up to the
// test step, where the state must be the shared one again. The few vectors
// with a test step that is not traced have the block compressed up to there
// first, as a twin without differences.
func recheckScalar(ctx *build.Context) error {
	vectors, err := scalarTestSteps()
	if err != nil {
		return err
	}
	none := ctx.StaticGlobal("no_differences")
	ctx.DataAttributes(dataAttributes)
	for range dvs.Steps / 2 {
		ctx.AppendDatum(operand.U64(0))
	}

	ctx.Function("recheckScalar")
	ctx.Doc("recheckScalar reports whether a block is an attack on full SHA-1 with one of the",
		"vectors in mask, whose message differences are dm. It equals attacked in pure Go.",
		"The kernel left the block's chaining values and state at trace, and its expanded",
		"message at w, stride bytes from word to word.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(trace *byte, w *uint32, stride int, mask uint32, dm *[32][80]uint32) (hit bool)")
	ctx.Attributes(noSplit) // the caller's frame cannot move

	r := twinRegisters{
		state: [5]reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI},
		temp:  [2]reg.GPPhysical{reg.RDI, reg.R8},
		word:  reg.R9, stride: reg.R10, three: reg.R11, dm: reg.R12, dms: reg.R13, stop: reg.R14, end: reg.R8,
	}
	trace, offset := reg.R8, reg.RDI
	shared := ctx.AllocLocal(24)    // the state at the test step
	step := ctx.AllocLocal(8)       // four times the test step
	left := ctx.AllocLocal(8)       // vectors yet to be tried
	difference := ctx.AllocLocal(8) // where the vector's message differences are

	ctx.Load(ctx.Param("mask"), reg.EAX)
	ctx.Load(ctx.Param("stride"), r.stride)
	ctx.LEAQ(operand.Mem{Base: r.stride, Index: r.stride, Scale: 2}, r.three)

	ctx.Label("vector")
	ctx.TESTL(reg.EAX, reg.EAX)
	ctx.JE(operand.LabelRef("clean"))
	ctx.BSFL(reg.EAX, reg.ECX)
	ctx.LEAL(operand.Mem{Base: reg.RAX, Disp: -1}, reg.EDX)
	ctx.ANDL(reg.EAX, reg.EDX)
	ctx.MOVL(reg.EDX, left)
	ctx.IMUL3Q(operand.U32(4*dvs.Steps), reg.RCX, r.dms)
	ctx.Load(ctx.Param("dm"), reg.RDI)
	ctx.ADDQ(reg.RDI, r.dms)
	ctx.MOVQ(r.dms, difference)
	ctx.Load(ctx.Param("trace"), trace)
	for _, t := range scalarSteps[1:] {
		ctx.MOVQ(operand.U32(4*t), offset)
		ctx.MOVQ(offset, step)
		ctx.MOVL(operand.U32(vectors[t]), reg.EBX)
		ctx.BTL(reg.ECX, reg.EBX)
		ctx.JCS(operand.LabelRef("compress"))
	}
	ctx.MOVQ(operand.U32(4*tracedStep), offset)
	ctx.MOVQ(offset, step)
	for n := range 5 {
		ctx.MOVL(mem(trace, traceState+4*n), r.at(n, 0))
		if n >= 2 {
			ctx.RORXL(operand.U8(2), r.at(n, 0), r.at(n, 0))
		}
	}

	ctx.Label("shared")
	for n := range 5 {
		ctx.MOVL(r.at(n, 0), shared.Offset(4*n))
	}
	ctx.MOVQ(difference, r.dms)
	ctx.LEAQ(operand.Mem{Base: r.dms, Index: offset, Scale: 1}, r.stop)
	ctx.MOVQ(r.stop, r.dm)
	ctx.Load(ctx.Param("w"), r.word)
	ctx.SHRQ(operand.U8(2), offset)
	ctx.IMULQ(r.stride, offset)
	ctx.ADDQ(offset, r.word)
	ctx.CMPQ(step, operand.U32(4*60))
	ctx.JLT(operand.LabelRef("round2"))
	ctx.JMP(operand.LabelRef("round3"))

	ctx.Label("compress")
	for n := range 5 {
		ctx.MOVL(mem(trace, traceIn+4*n), r.at(n, 0))
	}
	ctx.LEAQ(none, r.dms)
	ctx.LEAQ(operand.Mem{Base: r.dms, Index: offset, Scale: 1}, r.stop)

	ctx.Label("start")
	ctx.Load(ctx.Param("w"), r.word)
	ctx.MOVQ(r.dms, r.dm)
	for round := range 4 {
		ctx.Label(fmt.Sprintf("round%d", round))
		if err := emit(ctx, r.fiveSteps(round)); err != nil {
			return err
		}
		ctx.CMPQ(r.dm, r.stop)
		ctx.JE(operand.LabelRef("stop"))
		ctx.LEAQ(mem(r.dms, 80*(round+1)), r.end)
		ctx.CMPQ(r.dm, r.end)
		ctx.JNE(operand.LabelRef(fmt.Sprintf("round%d", round)))
	}
	// Go from the end to what the twin must have started from.
	ctx.Load(ctx.Param("trace"), trace)
	for n := range 5 {
		ctx.MOVL(mem(trace, traceSize+traceIn+4*n), reg.EDI)
		ctx.SUBL(r.at(n, 0), reg.EDI)
		ctx.MOVL(reg.EDI, r.at(n, 0))
	}
	ctx.JMP(operand.LabelRef("start"))

	ctx.Label("stop")
	ctx.MOVQ(step, offset)
	ctx.CMPQ(r.dms, difference)
	ctx.JNE(operand.LabelRef("shared"))
	for n := range 5 {
		ctx.XORL(shared.Offset(4*n), r.at(n, 0))
		if n > 0 {
			ctx.ORL(r.at(n, 0), r.at(0, 0))
		}
	}
	ctx.JE(operand.LabelRef("hit"))
	ctx.MOVL(left, reg.EAX)
	ctx.JMP(operand.LabelRef("vector"))

	for n, label := range []string{"clean", "hit"} {
		ctx.Label(label)
		ctx.MOVL(operand.U32(n), reg.EAX)
		ctx.Store(reg.AL, ctx.Return("hit"))
		ctx.RET()
	}
	return nil
}
