package amd64

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/sha1dc/go/internal/dvs"
)

// inTurn returns the register of A (n = 0) to E (n = 4) at the start of step t,
// of five that take turns.
func inTurn[R any](state *[5]R, n, t int) R { return state[((n-t)%5+5)%5] }

// laneEmitter emits the steps of eight twins side by side. Offsets of rows of
// words stand for steps.
type laneEmitter struct {
	*build.Context
	state     [5]reg.VecPhysical // A to E at steps that are multiples of five
	x, y, k   reg.VecPhysical
	differ    reg.VecPhysical // what differs at the test steps
	all       reg.GPPhysical
	word      reg.GPPhysical // offset of the words of the step
	test      reg.GPPhysical // the next of twinSteps, as its index
	half      reg.GPPhysical // zero from the test steps on, one up to them
	constants operand.Mem
}

// rotate sets to to x rotated to the left.
func (e *laneEmitter) rotate(by int, x, temp, to reg.VecPhysical) {
	e.VPSLLD(operand.U8(by), x, temp)
	e.VPSRLD(operand.U8(32-by), x, to)
	e.VPOR(temp, to, to)
}

// fiveSteps does five steps of the given round.
func (e *laneEmitter) fiveSteps(round int) {
	for t := range 5 {
		at := func(n int) reg.VecPhysical { return inTurn(&e.state, n, t) }
		a, b, c, d, s := at(0), at(1), at(2), at(3), at(4)
		e.VPADDD(operand.Mem{Base: e.all, Index: e.word, Scale: 1, Disp: twinRow * t}, e.k, e.x)
		e.VPADDD(e.x, s, s)
		switch round {
		case 0: // D ^ (B & (C ^ D))
			e.VPXOR(c, d, e.x)
			e.VPAND(b, e.x, e.x)
			e.VPXOR(d, e.x, e.x)
		case 2: // D ^ ((B ^ D) & (C ^ D))
			e.VPXOR(c, d, e.x)
			e.VPXOR(b, d, e.y)
			e.VPAND(e.y, e.x, e.x)
			e.VPXOR(d, e.x, e.x)
		default:
			e.VPXOR(b, c, e.x)
			e.VPXOR(d, e.x, e.x)
		}
		e.VPADDD(e.x, s, s)
		e.rotate(5, a, e.x, e.y)
		e.VPADDD(e.y, s, s)
		e.rotate(30, b, e.x, b)
	}
	e.ADDQ(operand.U32(5*twinRow), e.word)
}

// round begins the steps of a round.
func (e *laneEmitter) round(n int) {
	e.Label(fmt.Sprintf("round%d", n))
	e.VPBROADCASTD(e.constants.Offset(4*n), e.k)
	e.Label(fmt.Sprintf("steps%d", n))
	e.fiveSteps(n)
}

// compareStep compares the next step with t, for a jump.
func (e *laneEmitter) compareStep(t int) { e.CMPQ(e.word, operand.U32(twinRow*t)) }

// emit emits the recheck. It leaves a bit for each lane in hits.
func (e *laneEmitter) emit(hits reg.Register) {
	indices := e.StaticGlobal("test_indices")
	e.DataAttributes(dataAttributes)
	for n := range twinSteps {
		e.AppendDatum(operand.U32(n))
	}
	first, last := twinSteps[0], twinSteps[2]
	for n, r := range e.state {
		e.VMOVDQU(twinRowAt(e.all, twinState+n), r)
	}
	e.MOVQ(operand.U32(twinRow*first), e.word)
	e.LEAQ(indices.Offset(4), e.test)
	e.XORL(e.half.As32(), e.half.As32())
	e.JMP(operand.LabelRef("round2"))

	e.round(3)
	e.compareStep(last)
	e.JE(operand.LabelRef("test"))
	e.compareStep(dvs.Steps)
	e.JNE(operand.LabelRef("steps3"))
	// Go from the end to what the twins must have started from.
	for n, r := range e.state {
		e.VMOVDQU(twinRowAt(e.all, twinOut+n), e.x)
		e.VPSUBD(r, e.x, r)
	}
	e.XORL(e.word.As32(), e.word.As32())
	e.LEAQ(indices, e.test)
	e.INCQ(e.half)
	e.VPXOR(e.differ, e.differ, e.differ)
	for n := range 2 {
		e.round(n)
		e.compareStep(20 * (n + 1))
		e.JNE(operand.LabelRef(fmt.Sprintf("steps%d", n)))
	}
	e.round(2)
	e.compareStep(first)
	e.JLT(operand.LabelRef("steps2"))

	e.Label("test")
	e.VPBROADCASTD(mem(e.test, 0), e.y)
	e.VPCMPEQD(twinRowAt(e.all, twinTest), e.y, e.y)
	e.ADDQ(operand.I8(4), e.test)
	e.TESTQ(e.half, e.half)
	e.JNE(operand.LabelRef("compare"))
	// Twins whose test step comes now begin only here.
	for n, r := range e.state {
		e.VPBLENDVB(e.y, twinRowAt(e.all, twinState+n), r, r)
	}
	e.JMP(operand.LabelRef("round3"))

	e.Label("compare")
	e.VPXOR(twinRowAt(e.all, twinState), e.state[0], e.x)
	for n, r := range e.state {
		if n > 0 {
			e.VPXOR(twinRowAt(e.all, twinState+n), r, e.k)
			e.VPOR(e.k, e.x, e.x)
		}
	}
	e.VPAND(e.y, e.x, e.x)
	e.VPOR(e.x, e.differ, e.differ)
	e.compareStep(first)
	e.JE(operand.LabelRef("round2"))
	e.compareStep(last)
	e.JNE(operand.LabelRef("round3"))
	e.VPXOR(e.x, e.x, e.x)
	e.VPCMPEQD(e.x, e.differ, e.differ)
	e.VMOVMSKPS(e.differ, hits)
	e.VZEROUPPER()
}

// aloneEmitter emits the steps of one twin, in general registers. Offsets of
// words stand for steps.
type aloneEmitter struct {
	*build.Context
	state [5]reg.GPPhysical // A to E at steps that are multiples of five
	x, y  reg.GPPhysical
	all   reg.GPPhysical

	column reg.GPPhysical // the twin
	word   reg.GPPhysical // offset of the word of the step
	test   reg.GPPhysical // of that of the test step
}

// fiveSteps does five steps of the given round.
func (e *aloneEmitter) fiveSteps(round int) {
	x, y := e.x.As32(), e.y.As32()
	for t := range 5 {
		at := func(n int) reg.GPPhysical { return inTurn(&e.state, n, t) }
		a, b, c, d, s := at(0).As32(), at(1).As32(), at(2).As32(), at(3).As32(), at(4)
		e.ADDL(operand.Mem{Base: e.all, Index: e.word, Scale: 1, Disp: twinBlock + 4*t}, s.As32())
		switch round {
		case 0: // (B & C) + (^B & D)
			e.ANDNL(d, b, x)
			e.MOVL(b, y)
			e.ANDL(c, y)
		case 2: // (B & (C ^ D)) + (C & D)
			e.MOVL(c, x)
			e.MOVL(c, y)
			e.XORL(d, y)
			e.ANDL(d, x)
			e.ANDL(b, y)
		default:
			e.MOVL(c, y)
			e.XORL(d, y)
			e.XORL(b, y)
		}
		if round%2 == 0 {
			e.ADDL(x, s.As32())
		}
		e.LEAL(operand.Mem{Base: s, Index: e.y, Scale: 1, Disp: int(int32(roundConstants[round]))}, s.As32())
		e.RORXL(operand.U8(27), a, x)
		e.ADDL(x, s.As32())
		e.RORXL(operand.U8(2), b, b)
	}
	e.ADDQ(operand.I8(20), e.word)
}

// emit emits the recheck of the twin at column. NE means that it is no attack.
func (e *aloneEmitter) emit() {
	for n := range dvs.Steps / twinLanes {
		e.VMOVDQU(mem(e.column, squareSize*n), reg.Y0)
		e.VMOVDQU(reg.Y0, mem(e.all, twinBlock+twinRow*n))
	}
	e.VZEROUPPER()
	e.MOVL(twinAt(e.column, twinTest), e.test.As32())
	e.IMUL3Q(operand.I8(4*5), e.test, e.test)
	e.ADDQ(operand.U32(4*twinSteps[0]), e.test)
	for n, r := range e.state {
		e.MOVL(twinAt(e.column, twinState+n), r.As32())
	}
	e.MOVQ(e.test, e.word)
	e.CMPQ(e.test, operand.U32(4*60))
	e.JLT(operand.LabelRef("alone2"))
	e.JMP(operand.LabelRef("alone3"))

	e.Label("back")
	// Go from the end to what the twin must have started from.
	for n, r := range e.state {
		e.MOVL(twinAt(e.column, twinOut+n), e.x.As32())
		e.SUBL(r.As32(), e.x.As32())
		e.MOVL(e.x.As32(), r.As32())
	}
	e.XORL(e.word.As32(), e.word.As32())
	for round := range 4 {
		label := fmt.Sprintf("alone%d", round)
		e.Label(label)
		e.fiveSteps(round)
		if round >= 2 {
			e.CMPQ(e.word, e.test)
			e.JE(operand.LabelRef("arrived"))
		}
		e.CMPQ(e.word, operand.U32(4*20*(round+1)))
		e.JNE(operand.LabelRef(label))
	}
	e.JMP(operand.LabelRef("back"))

	e.Label("arrived")
	for n, r := range e.state {
		e.XORL(twinAt(e.column, twinState+n), r.As32())
		if n > 0 {
			e.ORL(r.As32(), e.state[0].As32())
		}
	}
}
