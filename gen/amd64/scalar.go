package amd64

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/dvs"
)

// roundConstants are the constants of the four rounds of twenty steps.
var roundConstants = [4]uint32{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6}

// A trace holds what the recheck needs of a block beside its words.
const (
	traceIn    = 0  // incoming chaining value; the outgoing one is that of the next trace
	traceState = 20 // A at the starts of the steps tracedStep and before it
	traceSize  = traceState + 4*traceStates

	// The state at a step follows from five values of A: its B is the A of one
	// step before, and C, D and E are rotated from those before that.
	tracedStep  = 65
	traceStates = 15
)

// The roles of the registers in a step. A becomes the Boolean function of the
// next step, whose B it is, in place: so the state needs six registers, which
// take turns.
const (
	roleA = iota
	roleF // f(B, C, D); B itself before the first step and after the last
	roleR // B rotated
	roleC
	roleD
	roleE
	roles
)

// chainingRoles are the roles of the five words of a chaining value.
var chainingRoles = [5]int{roleA, roleF, roleC, roleD, roleE}

// scalarRegisters are the registers of the compression function.
type scalarRegisters struct {
	state [roles]reg.GPPhysical // by their role at step 0
	temp  [2]reg.GPPhysical
	trace reg.GPPhysical // address of the block's trace
}

// at returns the register that has the given role at the start of step t.
func (r *scalarRegisters) at(role, t int) reg.GPPhysical {
	return r.state[((role-t)%roles+roles)%roles]
}

// load returns the moves of the trace's incoming chaining value to the
// registers, where compress expects it.
func (r *scalarRegisters) load() *stream {
	var out stream
	for n, role := range chainingRoles {
		out.add(x86.MOVL(mem(r.trace, traceIn+4*n), r.at(role, 0).As32()))
	}
	return &out
}

// store returns the moves that undo load.
func (r *scalarRegisters) store() *stream {
	var out stream
	for n, role := range chainingRoles {
		out.add(x86.MOVL(r.at(role, 0).As32(), mem(r.trace, traceIn+4*n)))
	}
	return &out
}

// compress returns the compression of a block whose word plus constant of step
// t is at sum(t). The chaining value stays in registers. The trace is filled,
// and so is the incoming value of the next.
func (r *scalarRegisters) compress(sum func(t int) operand.Mem) *stream {
	var out stream
	out.add(x86.RORXL(operand.U8(2), r.at(roleF, 0).As32(), r.at(roleR, 0).As32()))
	for t := range dvs.Steps {
		// The sums of E that need neither A nor B come first: from A on, the next
		// A is three instructions away by its rotation and its function.
		if t == 0 {
			out.add(x86.ADDL(sum(0), r.at(roleE, 0).As32()))
			out.append(r.function(0))
		}
		a, f, e, x := r.at(roleA, t).As32(), r.at(roleF, t).As32(), r.at(roleE, t).As32(), r.temp[0].As32()
		if n := tracedStep - t; n >= 0 && n < traceStates {
			out.add(x86.MOVL(a, mem(r.trace, traceState+4*n)))
		}
		out.add(x86.RORXL(operand.U8(27), a, x))
		out.add(x86.ADDL(f, e))
		out.add(x86.ADDL(x, e))
		if next := t + 1; next < dvs.Steps {
			out.add(x86.RORXL(operand.U8(2), a, f))
			out.add(x86.ADDL(sum(next), r.at(roleE, next).As32()))
			out.append(r.function(next))
		}
	}
	for n, role := range chainingRoles {
		v := r.at(role, dvs.Steps).As32()
		out.add(x86.ADDL(mem(r.trace, traceIn+4*n), v))
		out.add(x86.MOVL(v, mem(r.trace, traceSize+traceIn+4*n)))
	}
	out.append(r.turnBack())
	return &out
}

// function returns the Boolean function of step t, which replaces B in the
// register of roleF. Some of it goes to E at once.
func (r *scalarRegisters) function(t int) *stream {
	var out stream
	b, c, d, e := r.at(roleF, t).As32(), r.at(roleC, t).As32(), r.at(roleD, t).As32(), r.at(roleE, t).As32()
	x, y := r.temp[0].As32(), r.temp[1].As32()
	switch t / 20 {
	case 0: // (B & C) + (^B & D)
		out.add(x86.ANDNL(d, b, x))
		out.add(x86.ADDL(x, e))
		out.add(x86.ANDL(c, b))
	case 2: // (B & (C ^ D)) + (C & D)
		out.add(x86.MOVL(c, x))
		out.add(x86.XORL(d, x))
		out.add(x86.ANDNL(d, x, y))
		out.add(x86.ADDL(y, e))
		out.add(x86.ANDL(x, b))
	default: // B ^ C ^ D
		out.add(x86.XORL(c, b))
		out.add(x86.XORL(d, b))
	}
	return &out
}

// turnBack returns the moves of the chaining value from the registers of its
// roles after the last step to those at step 0, six registers being no divisor
// of eighty steps. The six form two rings of three; one of them has a register
// to spare.
func (r *scalarRegisters) turnBack() *stream {
	var out stream
	move := func(from, to reg.GPPhysical) { out.add(x86.MOVL(from.As32(), to.As32())) }
	s := &r.state
	move(s[4], s[0])
	move(s[2], s[4])
	x := r.temp[0]
	move(s[1], x)
	move(s[5], s[1])
	move(s[3], s[5])
	move(x, s[3])
	return &out
}
