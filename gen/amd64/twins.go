package amd64

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/sha1dc/go/internal/dvs"
)

// twinSteps are the steps at which both messages of a pair share the state, up
// to which and from which twins are run. They are multiples of five, since the
// loops do five steps, in which the five registers of the state come full circle.
var twinSteps = []int{55, 60, 65}

// twinTests returns for each vector the index of its step in twinSteps.
func twinTests() (index [dvs.Count]int, err error) {
	for n, d := range dvs.All() {
		lo, hi := d.ZeroRange()
		index[n] = slices.IndexFunc(twinSteps, func(t int) bool { return lo <= t && t <= hi })
		if index[n] < 0 {
			return index, fmt.Errorf("none of the steps %d lies in the zero range %d to %d of %v", twinSteps, lo, hi, d)
		}
	}
	return index, nil
}

// What is kept of a twin is some words, which are numbered from here.
const (
	twinWord  = 0                    // its expanded message
	twinState = twinWord + dvs.Steps // the state at its test step
	twinOut   = twinState + 5        // the block's outgoing chaining value
	twinTest  = twinOut + 5          // index of the test step in twinSteps
	twinWords = 96
)

// Eight twins wait to be rechecked, one a lane. Eight words of each of them are a
// square: first they stand together by lane, and then, transposed, by word.
const (
	twinLanes   = 8
	twinRow     = 4 * twinLanes
	squareSize  = twinLanes * twinRow
	twinSquares = twinWords / twinLanes

	twinBlock = twinSquares * squareSize // words of one block
	twinNote  = twinBlock + 4*dvs.Steps  // by lane: the block's incoming chaining value, and what the caller says of it
	twinCount = twinNote + twinLanes*32  // lanes in use
	twinsSize = (twinCount/32 + 1) * 32  // its address is best a multiple of 32

	// Fewer twins are rechecked one after the other: eight side by side take as long
	// as between three and four.
	twinsTogether = 4

	noteIn   = 0
	noteLeft = 20
)

// twinAt returns where word n of the twin in a lane stands.
func twinAt(column reg.Register, n int) operand.Mem {
	return mem(column, n/twinLanes*squareSize+n%twinLanes*4)
}

// twinRowAt returns where word n of all twins stands.
func twinRowAt(all reg.Register, n int) operand.Mem { return mem(all, twinRow*n) }

// emitTwins emits the two functions that recheck twins.
func emitTwins(ctx *build.Context) error {
	if err := addTwins(ctx); err != nil {
		return err
	}
	recheckTwins(ctx)
	return nil
}

// addTwins emits what makes the twins of a block.
func addTwins(ctx *build.Context) error {
	index, err := twinTests()
	if err != nil {
		return err
	}
	tests := ctx.StaticGlobal("test_steps")
	ctx.DataAttributes(dataAttributes)
	for _, n := range index {
		ctx.AppendDatum(operand.U32(n))
	}

	ctx.Function("addTwins")
	ctx.Doc("addTwins adds the twins of a block, for the vectors in mask, whose message",
		"differences are dm, to those that wait to be rechecked. Whenever eight do, it",
		"rechecks them, and returns what recheckTwins does if there is an attack. The",
		"kernel left the block's chaining values and states at trace, and its expanded",
		"message at w, stride bytes from word to word; left is kept with each twin.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(twins *byte, w *uint32, stride int, trace *byte, mask uint32, left int, dm *[32][80]uint32) (hit int)")
	ctx.Attributes(noSplit) // the caller's frame cannot move

	var (
		mask, test, vector = reg.RAX, reg.RBX, reg.RCX
		scratch, trace     = reg.RDX, reg.RSI
		states, count      = reg.RDI, reg.RDI
		all, words         = reg.R8, reg.R9
		stride, three      = reg.R10, reg.R11
		dm, note           = reg.R12, reg.R13
		column             = reg.R14
	)
	args := ctx.AllocLocal(16)
	saved := ctx.AllocLocal(16)
	ctx.Load(ctx.Param("twins"), all)
	ctx.Load(ctx.Param("w"), words)
	ctx.Load(ctx.Param("stride"), stride)
	ctx.Load(ctx.Param("mask"), mask.As32())
	ctx.CMPQ(stride, operand.I8(4))
	ctx.JE(operand.LabelRef("vector"))

	ctx.LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 2}, three)
	ctx.LEAQ(mem(all, twinBlock), column)
	ctx.MOVQ(operand.U32(dvs.Steps/5), count)
	ctx.Label("gather")
	for n, w := range []operand.Mem{
		{Base: words},
		{Base: words, Index: stride, Scale: 1},
		{Base: words, Index: stride, Scale: 2},
		{Base: words, Index: three, Scale: 1},
		{Base: words, Index: stride, Scale: 4},
	} {
		ctx.MOVL(w, scratch.As32())
		ctx.MOVL(scratch.As32(), mem(column, 4*n))
	}
	ctx.LEAQ(operand.Mem{Base: words, Index: stride, Scale: 4}, words)
	ctx.ADDQ(stride, words)
	ctx.ADDQ(operand.I8(20), column)
	ctx.DECQ(count)
	ctx.JNE(operand.LabelRef("gather"))
	ctx.LEAQ(mem(all, twinBlock), words)

	ctx.Label("vector")
	ctx.XORL(scratch.As32(), scratch.As32())
	ctx.TESTL(mask.As32(), mask.As32())
	ctx.JE(operand.LabelRef("return"))
	ctx.MOVQ(mem(all, twinCount), scratch)
	ctx.CMPQ(scratch, operand.I8(twinLanes))
	ctx.JNE(operand.LabelRef("room"))
	ctx.MOVQ(mask, saved.Offset(0))
	ctx.MOVQ(words, saved.Offset(8))
	ctx.MOVQ(all, args.Offset(0))
	ctx.CALL(operand.LabelRef("·recheckTwins(SB)"))
	ctx.MOVQ(args.Offset(8), scratch)
	ctx.TESTQ(scratch, scratch)
	ctx.JNE(operand.LabelRef("return"))
	ctx.MOVQ(saved.Offset(0), mask)
	ctx.MOVQ(saved.Offset(8), words)
	ctx.Load(ctx.Param("twins"), all)

	ctx.Label("room")
	ctx.IMUL3Q(operand.U32(twinRow), scratch, column)
	ctx.ADDQ(all, column)
	ctx.INCQ(scratch)
	ctx.MOVQ(scratch, mem(all, twinCount))
	ctx.BSFL(mask.As32(), vector.As32())
	ctx.LEAL(operand.Mem{Base: mask, Disp: -1}, scratch.As32())
	ctx.ANDL(scratch.As32(), mask.As32())
	ctx.LEAQ(tests, scratch)
	ctx.MOVL(operand.Mem{Base: scratch, Index: vector, Scale: 4}, test.As32())
	ctx.MOVL(test.As32(), twinAt(column, twinTest))

	ctx.LEAQ(mem(column, twinNote), note)
	ctx.Load(ctx.Param("left"), scratch)
	ctx.MOVL(scratch.As32(), mem(note, noteLeft))
	ctx.Load(ctx.Param("trace"), trace)
	ctx.IMUL3Q(operand.I8(-20), test, states)
	ctx.ADDQ(trace, states)
	first := traceState + 4*(tracedStep-twinSteps[0])
	for n := range 5 {
		ctx.MOVL(mem(trace, traceIn+4*n), scratch.As32())
		ctx.MOVL(scratch.As32(), mem(note, noteIn+4*n))
		ctx.MOVL(mem(trace, traceSize+traceIn+4*n), scratch.As32())
		ctx.MOVL(scratch.As32(), twinAt(column, twinOut+n))
		if n < 2 {
			ctx.MOVL(mem(states, first+4*n), scratch.As32())
		} else {
			ctx.RORXL(operand.U8(2), mem(states, first+4*n), scratch.As32())
		}
		ctx.MOVL(scratch.As32(), twinAt(column, twinState+n))
	}

	ctx.IMUL3Q(operand.U32(4*dvs.Steps), vector, dm)
	ctx.Load(ctx.Param("dm"), scratch)
	ctx.ADDQ(scratch, dm)
	ctx.MOVQ(operand.U32(dvs.Steps/twinLanes/2), count)
	ctx.Label("differ")
	for n := range 2 {
		ctx.VMOVDQU(mem(words, twinRow*n), reg.Y0)
		ctx.VPXOR(mem(dm, twinRow*n), reg.Y0, reg.Y0)
		ctx.VMOVDQU(reg.Y0, mem(column, squareSize*n))
	}
	ctx.ADDQ(operand.I8(2*twinRow), words)
	ctx.ADDQ(operand.I8(2*twinRow), dm)
	ctx.ADDQ(operand.U32(2*squareSize), column)
	ctx.DECQ(count)
	ctx.JNE(operand.LabelRef("differ"))
	ctx.VZEROUPPER()
	ctx.SUBQ(operand.U32(4*dvs.Steps), words)
	ctx.JMP(operand.LabelRef("vector"))

	ctx.Label("return")
	ctx.Store(scratch, ctx.Return("hit"))
	ctx.RET()
	return nil
}

// recheckTwins emits the recheck. Both halves of a twin run forwards: from the
// state at the test step, which both messages share, to the end; then from what
// the outgoing chaining value implies back up to the test step, where the state
// must be the shared one again.
func recheckTwins(ctx *build.Context) {
	constants := ctx.StaticGlobal("constants")
	ctx.DataAttributes(dataAttributes)
	for _, k := range roundConstants {
		ctx.AppendDatum(operand.U32(k))
	}
	ctx.Function("recheckTwins")
	ctx.Doc("recheckTwins rechecks the twins that wait, one to eight, so that none waits any",
		"more. It returns one more than the lane of the first that is an attack on full",
		"SHA-1, or zero. It equals attacked in pure Go.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(twins *byte) (hit int)")
	ctx.Attributes(noSplit)

	all, lanes, hit := reg.R8, reg.R14, reg.RDX
	ctx.Load(ctx.Param("twins"), all)
	ctx.MOVQ(mem(all, twinCount), lanes)
	ctx.XORL(hit.As32(), hit.As32())
	ctx.MOVQ(hit, mem(all, twinCount))
	ctx.CMPQ(lanes, operand.I8(twinsTogether))
	ctx.JLT(operand.LabelRef("alone"))
	fillLanes(ctx, all, lanes)
	transposeTwins(ctx, all)
	e := &laneEmitter{
		Context: ctx, all: all, word: reg.R9, test: reg.R10, half: reg.R11,
		state: [5]reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4},
		x:     reg.Y5, y: reg.Y6, k: reg.Y7, differ: reg.Y8,
		constants: constants,
	}
	e.emit(reg.EAX)

	ctx.XORL(hit.As32(), hit.As32())
	ctx.Label("lane")
	ctx.BTL(hit.As32(), reg.EAX)
	ctx.INCQ(hit) // leaves the carry
	ctx.JCS(operand.LabelRef("return"))
	ctx.CMPQ(hit, lanes)
	ctx.JNE(operand.LabelRef("lane"))
	ctx.Label("clean")
	ctx.XORL(hit.As32(), hit.As32())
	ctx.Label("return")
	ctx.Store(hit, ctx.Return("hit"))
	ctx.RET()

	column, turn := reg.R12, reg.R13
	ctx.Label("alone")
	ctx.MOVQ(all, column)
	ctx.XORL(turn.As32(), turn.As32())
	ctx.Label("next")
	ctx.INCQ(turn)
	a := &aloneEmitter{
		Context: ctx, all: all, column: column, word: reg.R10, test: reg.R11,
		state: [5]reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI},
		x:     reg.RDI, y: reg.R9,
	}
	a.emit()
	ctx.MOVQ(turn, hit)
	ctx.JE(operand.LabelRef("return"))
	ctx.ADDQ(operand.I8(twinRow), column)
	ctx.CMPQ(turn, lanes)
	ctx.JNE(operand.LabelRef("next"))
	ctx.JMP(operand.LabelRef("clean"))
}

// fillLanes puts the first twin into the lanes that no twin has.
func fillLanes(ctx *build.Context, all, lanes reg.GPPhysical) {
	lane, from, to, count := reg.R9, reg.R10, reg.R11, reg.R12
	ctx.MOVQ(lanes, lane)
	ctx.Label("fill")
	ctx.CMPQ(lane, operand.I8(twinLanes))
	ctx.JE(operand.LabelRef("filled"))
	ctx.IMUL3Q(operand.U32(twinRow), lane, to)
	ctx.ADDQ(all, to)
	ctx.MOVQ(all, from)
	ctx.MOVQ(operand.U32(twinSquares/2), count)
	ctx.Label("squares")
	for n := range 2 {
		ctx.VMOVDQU(mem(from, squareSize*n), reg.Y0)
		ctx.VMOVDQU(reg.Y0, mem(to, squareSize*n))
	}
	ctx.ADDQ(operand.U32(2*squareSize), from)
	ctx.ADDQ(operand.U32(2*squareSize), to)
	ctx.DECQ(count)
	ctx.JNE(operand.LabelRef("squares"))
	ctx.INCQ(lane)
	ctx.JMP(operand.LabelRef("fill"))
	ctx.Label("filled")
}

// transposeTwins transposes the squares.
func transposeTwins(ctx *build.Context, all reg.GPPhysical) {
	square, count := reg.R9, reg.R10
	ctx.MOVQ(all, square)
	ctx.MOVQ(operand.U32(twinSquares), count)
	ctx.Label("transpose")
	for half := range 2 {
		for n, r := range ymm[4*half : 4*half+4] {
			ctx.VMOVDQU(mem(square, twinRow*n+16*half), r.AsX())
			ctx.VINSERTI128(operand.U8(1), mem(square, twinRow*(n+4)+16*half), r, r)
		}
	}
	for half := range 2 {
		a, b := ymm[4*half:4*half+4], ymm[8:12]
		for n := 0; n < 4; n += 2 {
			ctx.VPUNPCKLDQ(a[n+1], a[n], b[n])
			ctx.VPUNPCKHDQ(a[n+1], a[n], b[n+1])
		}
		for n := range 2 {
			ctx.VPUNPCKLQDQ(b[n+2], b[n], a[2*n])
			ctx.VPUNPCKHQDQ(b[n+2], b[n], a[2*n+1])
		}
		for n, r := range a {
			ctx.VMOVDQU(r, mem(square, twinRow*(4*half+n)))
		}
	}
	ctx.ADDQ(operand.U32(squareSize), square)
	ctx.DECQ(count)
	ctx.JNE(operand.LabelRef("transpose"))
}
