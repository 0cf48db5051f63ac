package amd64

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// The roles of the registers in a step, in the order in which a register takes
// them: A becomes B, which becomes the Boolean function of the step in place
// and is free then for the next rotated B.
const (
	laneA = iota
	laneB
	laneFree
	laneC
	laneD
	laneE
	laneRoles
)

// chainingLanes are the roles of the five words of a chaining value.
var chainingLanes = [5]int{laneA, laneB, laneC, laneD, laneE}

// laneFunctions are the Boolean functions of the four rounds, as immediates of
// VPTERNLOGD.
var laneFunctions = [4]operand.Constant{operand.U8(0xca), operand.U8(0x96), operand.U8(0xe8), operand.U8(0x96)}

// manyAVX512 is the kernel for 16 messages.
type manyAVX512 struct {
	*manyEmitter
	plan      *plan.Plan
	constants operand.Mem // of the four rounds
	masks     operand.Mem // vectors that each group dismisses
	bits      operand.Mem // the 32 powers of two
	swap      operand.Mem // reverses the bytes of every word

	state     [laneRoles]reg.VecPhysical // by their role at step 0
	ring      [16]reg.VecPhysical        // the last 16 words
	temp      [4]reg.VecPhysical         // of the transposition; two of them of the steps
	constant  reg.VecPhysical            // of the round
	dismissed [2]reg.VecPhysical
	turned, x reg.VecPhysical         // of the filter
	bit       map[int]reg.VecPhysical // powers of two in registers
}

func emitManyAVX512(m *manyEmitter, p *plan.Plan) error {
	k := &manyAVX512{
		manyEmitter: m, plan: p,
		constants: m.StaticGlobal("round_constants"),
		state:     [laneRoles]reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5},
		ring: [16]reg.VecPhysical{reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
			reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31},
		temp:      [4]reg.VecPhysical{reg.Z6, reg.Z7, reg.Z11, reg.Z12},
		constant:  reg.Z8,
		dismissed: [2]reg.VecPhysical{reg.Z9, reg.Z10},
		x:         reg.Z11, turned: reg.Z12,
		bit: map[int]reg.VecPhysical{4: reg.Z13, 6: reg.Z14, 29: reg.Z15},
	}
	m.DataAttributes(dataAttributes)
	for _, c := range roundConstants {
		m.AppendDatum(operand.U32(c))
	}
	k.masks = groupMasks(m.Context, p)
	k.bits = bitTable(m.Context)
	k.swap = m.StaticGlobal("byte_swap")
	m.DataAttributes(dataAttributes)
	for range 4 {
		m.AppendDatum(operand.U64(0x0405060700010203))
		m.AppendDatum(operand.U64(0x0c0d0e0f08090a0b))
	}

	m.begin()
	k.firstWords()
	m.checkLast()
	m.emit(k.block())
	m.VPTESTMD(k.dismissed[0], k.dismissed[0], reg.K1)
	m.KMOVW(reg.K1, m.survived.As32())
	m.end()

	m.emit(k.same(m.beginSame()))
	m.endSame()

	m.beginFilter()
	k.loadBits()
	m.emit(k.filter())
	m.endFilter()
	return m.err()
}

// at returns the register that has the given role at the start of step t.
func (k *manyAVX512) at(role, t int) reg.VecPhysical {
	return k.state[((role-t)%laneRoles+laneRoles)%laneRoles]
}

// firstWords emits the loading of the blocks: four lanes fill one register
// with a quarter of each of their blocks, and four such registers are
// transposed in all their quarters at once.
func (k *manyAVX512) firstWords() {
	m := k.manyEmitter
	bases := [4]reg.Register{reg.R8, reg.R9, reg.R10, reg.R11}
	for n := range 4 {
		for l, base := range bases {
			m.message(4*l+n, base)
		}
		for q := range 4 {
			w := k.ring[4*q+n]
			m.VMOVDQU32(m.quarter(bases[0], q), w.AsX())
			for l := 1; l < 4; l++ {
				m.VINSERTI32X4(operand.U8(l), m.quarter(bases[l], q), w, w)
			}
		}
	}
	m.VMOVDQU32(k.swap, k.constant)
	a, b, c, d := k.temp[0], k.temp[1], k.temp[2], k.temp[3]
	for q := range 4 {
		w := k.ring[4*q : 4*q+4]
		for _, w := range w {
			m.VPSHUFB(k.constant, w, w)
		}
		m.VPUNPCKLDQ(w[1], w[0], a)
		m.VPUNPCKHDQ(w[1], w[0], b)
		m.VPUNPCKLDQ(w[3], w[2], c)
		m.VPUNPCKHDQ(w[3], w[2], d)
		m.VPUNPCKLQDQ(c, a, w[0])
		m.VPUNPCKHQDQ(c, a, w[1])
		m.VPUNPCKLQDQ(d, b, w[2])
		m.VPUNPCKHQDQ(d, b, w[3])
		for n, w := range w {
			m.VMOVDQU32(w, m.word(4*q+n))
		}
	}
	k.loadBits()
}

// loadBits emits the loading of the powers of two that stay in registers.
func (k *manyAVX512) loadBits() {
	for bit := range 32 {
		if r, ok := k.bit[bit]; ok {
			k.VPBROADCASTD(k.bits.Offset(4*bit), r)
		}
	}
}

// block returns the steps and the filter.
func (k *manyAVX512) block() *stream {
	out := k.load()
	out.append(k.beforeTests())
	var steps []*stream
	for t := range dvs.Steps {
		steps = append(steps, k.step(t))
	}
	tests := bitTests(k.plan)
	out.append(spreadTests(steps, tests, k.tests(tests)))
	out.append(k.store())
	out.append(k.fold())
	return out
}

// filter returns the filter alone.
func (k *manyAVX512) filter() *stream {
	out := k.beforeTests()
	for _, t := range k.tests(bitTests(k.plan)) {
		out.append(t)
	}
	out.append(k.fold())
	return out
}

// beforeTests dismisses all vectors in idle lanes.
func (k *manyAVX512) beforeTests() *stream {
	var out stream
	d := k.dismissed
	out.add(x86.VMOVDQU32(k.idle(), d[0]))
	out.add(x86.VPXORD(d[1], d[1], d[1]))
	return &out
}

// step returns step t and the word that it adds.
func (k *manyAVX512) step(t int) *stream {
	var out stream
	w := k.ring[t%16]
	if t >= 16 {
		out.add(x86.VPTERNLOGD(operand.U8(0x96), k.ring[(t-14)%16], k.ring[(t-8)%16], w))
		out.add(x86.VPXORD(k.ring[(t-3)%16], w, w))
		out.add(x86.VPROLD(operand.U8(1), w, w))
		out.add(x86.VMOVDQU32(w, k.word(t)))
	}
	if t%20 == 0 {
		out.add(x86.VPBROADCASTD(k.constants.Offset(4*(t/20)), k.constant))
	}
	if row, kept := k.traced(t); kept {
		out.add(x86.VMOVDQU32(k.at(laneA, t), row))
	}
	e := k.at(laneE, t)
	out.add(x86.VPADDD(k.constant, w, k.temp[0]))
	out.add(x86.VPADDD(k.temp[0], e, e))
	out.append(k.round(t))
	return &out
}

// round returns step t without the word that it adds.
func (k *manyAVX512) round(t int) *stream {
	var out stream
	a, b, c, d, e := k.at(laneA, t), k.at(laneB, t), k.at(laneC, t), k.at(laneD, t), k.at(laneE, t)
	turned := k.temp[1]
	out.add(x86.VPROLD(operand.U8(30), b, k.at(laneFree, t)))
	out.add(x86.VPTERNLOGD(laneFunctions[t/20], d, c, b))
	out.add(x86.VPROLD(operand.U8(5), a, turned))
	out.add(x86.VPADDD(b, e, e))
	out.add(x86.VPADDD(turned, e, e))
	return &out
}

// load returns the loading of the chaining values.
func (k *manyAVX512) load() *stream {
	var out stream
	for n, role := range chainingLanes {
		out.add(x86.VMOVDQU32(k.value(n), k.at(role, 0)))
	}
	return &out
}

// store returns the addition of the state to the chaining values.
func (k *manyAVX512) store() *stream {
	var out stream
	for n, role := range chainingLanes {
		r := k.at(role, dvs.Steps)
		out.add(x86.VPADDD(k.value(n), r, r))
		out.add(x86.VMOVDQU32(r, k.value(n)))
	}
	return &out
}

// same returns the steps of a block that is the same in all lanes, with the sums
// of its words and the constants at sums.
func (k *manyAVX512) same(sums reg.Register) *stream {
	out := k.load()
	for t := range dvs.Steps {
		e := k.at(laneE, t)
		out.add(x86.VPADDD_BCST(mem(sums, 4*t), e, e))
		out.append(k.round(t))
	}
	out.append(k.store())
	return out
}

// tests returns the instructions of each test.
func (k *manyAVX512) tests(tests []bitTest) []*stream {
	var out []*stream
	for n, t := range tests {
		var s stream
		if t.right != 0 && (n == 0 || !tests[n-1].sameSecond(t)) {
			s.add(x86.VPRORD(operand.U8(t.right&31), k.word(t.j), k.turned))
		}
		if n == 0 || !tests[n-1].sameWords(t) {
			second := k.turned
			if t.right == 0 {
				second = k.x
				s.add(x86.VMOVDQU32(k.word(t.j), second))
			}
			s.add(x86.VPXORD(k.word(t.i), second, k.x))
		}
		mask := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}[n%7]
		bit, kept := k.bit[t.bit]
		switch {
		case kept && t.c == 0:
			s.add(x86.VPTESTMD(bit, k.x, mask))
		case kept:
			s.add(x86.VPTESTNMD(bit, k.x, mask))
		case t.c == 0:
			s.add(x86.VPTESTMD_BCST(k.bits.Offset(4*t.bit), k.x, mask))
		default:
			s.add(x86.VPTESTNMD_BCST(k.bits.Offset(4*t.bit), k.x, mask))
		}
		d := k.dismissed[n%2]
		s.add(x86.VPORD_BCST(k.masks.Offset(4*t.group), d, mask, d))
		out = append(out, &s)
	}
	return out
}

// fold stores the vectors that no test dismisses.
func (k *manyAVX512) fold() *stream {
	var out stream
	d := k.dismissed
	out.add(x86.VPTERNLOGD(operand.U8(0x03), d[1], d[1], d[0]))
	out.add(x86.VMOVDQU32(d[0], k.kept()))
	return &out
}
