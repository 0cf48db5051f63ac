package amd64

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// manyAVX2 is the kernel for 8 messages.
type manyAVX2 struct {
	*manyEmitter
	plan      *plan.Plan
	constants operand.Mem // of the four rounds, 32 bytes each
	swap      operand.Mem // reverses the bytes of every word
	masks     operand.Mem // vectors that each group dismisses
	bits      bitVectors

	state           [5]reg.VecPhysical // A to E at steps that are multiples of five
	temp            [3]reg.VecPhysical
	ring            [4]reg.VecPhysical // the last words
	dismissed       reg.VecPhysical
	x, tested, mask reg.VecPhysical // of the filter
}

func emitManyAVX2(m *manyEmitter, p *plan.Plan) error {
	k := &manyAVX2{
		manyEmitter: m, plan: p,
		state:     [5]reg.VecPhysical(ymm[0:5]),
		temp:      [3]reg.VecPhysical(ymm[5:8]),
		dismissed: ymm[8], x: ymm[9], tested: ymm[10], mask: ymm[11],
		ring: [4]reg.VecPhysical(ymm[12:16]),
	}
	x := newExpansion(m.Context, avx2, reg.RDI, reg.RSI)
	k.constants, k.swap = x.constants, x.swap
	k.masks = groupMasks(m.Context, p)
	k.bits = newBitVectors(m.Context, p)
	for _, t := range bitTests(p) {
		if t.bit == 31 {
			return fmt.Errorf("plan %s: group %d tests bit 31, which VPSIGND would negate", p.Name, t.group)
		}
	}

	m.begin()
	k.firstWords()
	m.checkLast()
	m.emit(k.block())
	m.VPXOR(k.x, k.x, k.x)
	m.VPCMPEQD(k.dismissed, k.x, k.x)
	m.VMOVMSKPS(k.x, m.survived.As32())
	m.XORL(operand.U32(1<<m.kernel.lanes-1), m.survived.As32())
	m.end()

	m.emit(k.same(m.beginSame()))
	m.endSame()

	m.beginFilter()
	m.emit(k.filter())
	m.endFilter()
	return m.err()
}

// at returns the register of A (n = 0) to E (n = 4) at the start of step t.
func (k *manyAVX2) at(n, t int) reg.VecPhysical { return k.state[((n-t)%5+5)%5] }

// firstWords emits the loading of the blocks: two lanes fill one register with
// a quarter of each of their blocks, and four such registers are transposed in
// both halves at once.
func (k *manyAVX2) firstWords() {
	m := k.manyEmitter
	a, b := ymm[0:8], ymm[8:12]
	for half := range 2 {
		for n := range 4 {
			m.message(n, reg.R8)
			m.message(n+4, reg.R9)
			for q := range 2 {
				w := a[4*q+n]
				m.VMOVDQU(m.quarter(reg.R8, 2*half+q), w.AsX())
				m.VINSERTI128(operand.U8(1), m.quarter(reg.R9, 2*half+q), w, w)
				m.VPSHUFB(k.swap, w, w)
			}
		}
		for q := range 2 {
			w := a[4*q : 4*q+4]
			m.VPUNPCKLDQ(w[1], w[0], b[0])
			m.VPUNPCKHDQ(w[1], w[0], b[1])
			m.VPUNPCKLDQ(w[3], w[2], b[2])
			m.VPUNPCKHDQ(w[3], w[2], b[3])
			for n := range 2 {
				m.VPUNPCKLQDQ(b[n+2], b[n], k.ring[2*n])
				m.VPUNPCKHQDQ(b[n+2], b[n], k.ring[2*n+1])
			}
			for n, w := range k.ring {
				m.VMOVDQU(w, m.word(8*half+4*q+n))
			}
		}
	}
}

// block returns the steps and the filter.
func (k *manyAVX2) block() *stream {
	out := k.load()
	out.add(x86.VMOVDQU(k.idle(), k.dismissed))
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

// load returns the loading of the chaining values.
func (k *manyAVX2) load() *stream {
	var out stream
	for n := range 5 {
		out.add(x86.VMOVDQU(k.value(n), k.at(n, 0)))
	}
	return &out
}

// store returns the addition of the state to the chaining values.
func (k *manyAVX2) store() *stream {
	var out stream
	for n := range 5 {
		r := k.at(n, dvs.Steps)
		out.add(x86.VPADDD(k.value(n), r, r))
		out.add(x86.VMOVDQU(r, k.value(n)))
	}
	return &out
}

// same returns the steps of a block that is the same in all lanes, with the sums
// of its words and the constants at sums.
func (k *manyAVX2) same(sums reg.Register) *stream {
	out := k.load()
	for t := range dvs.Steps {
		e, z := k.at(4, t), k.temp[2]
		out.add(x86.VPBROADCASTD(mem(sums, 4*t), z))
		out.add(x86.VPADDD(z, e, e))
		out.append(k.round(t))
	}
	out.append(k.store())
	return out
}

// step returns step t and the word that it adds.
func (k *manyAVX2) step(t int) *stream {
	var out stream
	z := k.temp[2]
	if t < 16 {
		out.add(x86.VMOVDQU(k.word(t), z))
		out.add(x86.VPADDD(k.constants.Offset(32*(t/20)), z, z))
	} else {
		w := k.ring[t%4]
		out.add(x86.VMOVDQU(k.word(t-16), w))
		out.add(x86.VPXOR(k.word(t-14), w, w))
		out.add(x86.VPXOR(k.word(t-8), w, w))
		out.add(x86.VPXOR(k.ring[(t-3)%4], w, w))
		avx2.rotate(&out, 1, w, z)
		out.add(x86.VMOVDQU(w, k.word(t)))
		out.add(x86.VPADDD(k.constants.Offset(32*(t/20)), w, z))
	}
	if row, kept := k.traced(t); kept {
		out.add(x86.VMOVDQU(k.at(0, t), row))
	}
	e := k.at(4, t)
	out.add(x86.VPADDD(z, e, e))
	out.append(k.round(t))
	return &out
}

// round returns step t without the word that it adds.
func (k *manyAVX2) round(t int) *stream {
	var out stream
	a, b, c, d, e := k.at(0, t), k.at(1, t), k.at(2, t), k.at(3, t), k.at(4, t)
	x, y, z := k.temp[0], k.temp[1], k.temp[2]
	switch t / 20 {
	case 0: // (B & (C ^ D)) ^ D
		out.add(x86.VPXOR(d, c, x))
		out.add(x86.VPAND(b, x, x))
		out.add(x86.VPXOR(d, x, x))
	case 2: // (B & (C ^ D)) + (C & D)
		out.add(x86.VPXOR(d, c, x))
		out.add(x86.VPAND(d, c, y))
		out.add(x86.VPAND(b, x, x))
		out.add(x86.VPADDD(y, e, e))
	default: // B ^ C ^ D
		out.add(x86.VPXOR(d, c, x))
		out.add(x86.VPXOR(b, x, x))
	}
	out.add(x86.VPADDD(x, e, e))
	out.add(x86.VPSLLD(operand.U8(5), a, x))
	out.add(x86.VPSRLD(operand.U8(27), a, y))
	out.add(x86.VPADDD(x, e, e))
	out.add(x86.VPADDD(y, e, e))
	avx2.rotate(&out, 30, b, z)
	return &out
}

// filter returns the filter alone.
func (k *manyAVX2) filter() *stream {
	var out stream
	out.add(x86.VMOVDQU(k.idle(), k.dismissed))
	for _, t := range k.tests(bitTests(k.plan)) {
		out.append(t)
	}
	out.append(k.fold())
	return &out
}

// tests returns the instructions of each test.
func (k *manyAVX2) tests(tests []bitTest) []*stream {
	var out []*stream
	for n, t := range tests {
		var s stream
		if g := &k.plan.Groups[t.group]; n == 0 || !tests[n-1].sameWords(t) {
			xorAligned(&s, k.word(t.i), k.word(t.j), g.A, g.B, k.x)
		}
		// The sign of the tested bit, zero or one, times the mask.
		if t.c == 0 {
			s.add(x86.VPAND(k.bits.at(t.bit), k.x, k.tested))
		} else {
			s.add(x86.VPANDN(k.bits.at(t.bit), k.x, k.tested))
		}
		s.add(x86.VPBROADCASTD(k.masks.Offset(4*t.group), k.mask))
		s.add(x86.VPSIGND(k.tested, k.mask, k.mask))
		s.add(x86.VPOR(k.mask, k.dismissed, k.dismissed))
		out = append(out, &s)
	}
	return out
}

// fold stores the vectors that no test dismisses.
func (k *manyAVX2) fold() *stream {
	var out stream
	out.add(x86.VPCMPEQD(k.x, k.x, k.x))
	out.add(x86.VPXOR(k.x, k.dismissed, k.dismissed))
	out.add(x86.VMOVDQU(k.dismissed, k.kept()))
	return &out
}
