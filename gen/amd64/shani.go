package amd64

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/gen/asm"
)

// A slot holds what the recheck of a block needs. The expanded message is
// mirrored, W[t] being the 32-bit word 79-t, because the SHA instructions hold
// the earliest word in the highest lane.
const (
	slotW     = 0   // 80 words
	slotState = 320 // A to D at the starts of the steps 52, 56, 60, 64 and 68
	slotIn    = 400 // A to D of the incoming chaining value
	slotInE   = 416 // its E in the highest lane, zero in the others
	slotMask  = 432 // vectors that the filter keeps
	slotSize  = 448

	firstState = asm.FirstState
)

var slotLayout = asm.Slot{
	W: slotW, State: slotState, In: slotIn, InE: slotInE, Mask: slotMask, Size: slotSize, Mirrored: true,
}

// wordOffset returns where the four words from 4*g on stand in a slot.
func wordOffset(g int) int { return slotLayout.Window(4*g, 4) }

// stateOffset returns where the state at the start of step t stands in a slot.
func stateOffset(t int) int { return slotLayout.StateAt(t) }

// schedule is a way to expand the message.
type schedule int

const (
	// scheduleSHA uses SHA1MSG1 and SHA1MSG2 throughout.
	scheduleSHA schedule = iota
	// scheduleWide uses them up to step 31, and from there on
	// W[t] = rotl2(W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32]), four words at a time,
	// with AVX instructions. It is for processors where SHA1MSG2 is slow: on
	// Sapphire Rapids it occupies its port for four cycles.
	scheduleWide
	// scheduleWideAVX512 is scheduleWide with the rotations and three-operand
	// sums of AVX-512.
	scheduleWideAVX512
)

// words returns how many vectors of message words are kept in registers.
func (s schedule) words() int {
	if s == scheduleSHA {
		return 4
	}
	return 5 // the older ones that the recurrence reaches back to are read from the slot
}

// shaRegisters are the registers of the compression function. E alternates
// between two registers.
type shaRegisters struct {
	abcd    reg.VecPhysical
	e       [2]reg.VecPhysical
	w       []reg.VecPhysical // ring of message words
	shuffle reg.VecPhysical   // reverses the bytes of a register
	temp    reg.VecPhysical
}

// compress returns the compression of the block at message, leaving what the
// recheck needs in slot.
func compress(r *shaRegisters, message, slot reg.Register, s schedule) *stream {
	var out stream
	at := func(offset int) operand.Mem { return mem(slot, offset) }
	w := r.word

	out.add(x86.MOVOU(r.abcd, at(slotIn)))
	out.add(x86.MOVOU(r.e[0], at(slotInE)))
	for g := range 20 {
		e, next := r.e[g%2], r.e[(g+1)%2]
		switch {
		case g < 4:
			out.add(x86.MOVOU(mem(message, 16*g), w(g)))
			out.add(x86.PSHUFB(r.shuffle, w(g)))
		case g >= 8 && s != scheduleSHA:
			out.append(r.wideWords(g, s, at))
		}
		out.add(x86.MOVOU(w(g), at(wordOffset(g))))
		if g == 0 {
			out.add(x86.PADDD(w(g), e))
		} else {
			out.add(x86.SHA1NEXTE(w(g), e))
		}
		out.add(x86.MOVOA(r.abcd, next))
		if t := 4 * g; t >= firstState && t <= 68 {
			out.add(x86.MOVOU(next, at(stateOffset(t))))
		}
		out.add(x86.SHA1RNDS4(roundFunction(g), e, r.abcd))

		if s == scheduleSHA {
			out.append(r.shaWords(g))
		} else if n := g + 1; n >= 4 && n < 8 {
			// The ring keeps old words, so the sum needs a register of its own.
			out.add(x86.MOVOA(r.word(n-4), r.word(n)))
			out.add(x86.SHA1MSG1(r.word(n-3), r.word(n)))
			out.add(x86.PXOR(r.word(n-2), r.word(n)))
			out.add(x86.SHA1MSG2(r.word(n-1), r.word(n)))
		}
	}
	out.add(x86.SHA1NEXTE(at(slotInE), r.e[0]))
	out.add(x86.PADDD(at(slotIn), r.abcd))
	return &out
}

// word returns the register of the four words of group g.
func (r *shaRegisters) word(g int) reg.VecPhysical { return r.w[g%len(r.w)] }

// shaWords returns what the words of group g contribute to those of the next
// three, in a ring of four.
func (r *shaRegisters) shaWords(g int) *stream {
	var out stream
	if n := g + 3; g >= 1 && n < 20 {
		out.add(x86.SHA1MSG1(r.word(g), r.word(n)))
	}
	if n := g + 2; g >= 2 && n < 20 {
		out.add(x86.PXOR(r.word(g), r.word(n)))
	}
	if n := g + 1; g >= 3 && n < 20 {
		out.add(x86.SHA1MSG2(r.word(g), r.word(n)))
	}
	return &out
}

// wideWords returns the words of group g >= 8 by the wide recurrence. The
// words of six steps before straddle two groups.
func (r *shaRegisters) wideWords(g int, s schedule, at func(offset int) operand.Mem) *stream {
	var out stream
	w := r.word
	out.add(x86.VPALIGNR(operand.U8(8), w(g-1), w(g-2), w(g)))
	if s == scheduleWideAVX512 {
		out.add(x86.VPTERNLOGD(operand.U8(0x96), at(wordOffset(g-7)), w(g-4), w(g)))
		out.add(x86.VPXORD(at(wordOffset(g-8)), w(g), w(g)))
		out.add(x86.VPROLD(operand.U8(2), w(g), w(g)))
		return &out
	}
	out.add(x86.VPXOR(at(wordOffset(g-7)), w(g-4), r.temp))
	out.add(x86.VPXOR(at(wordOffset(g-8)), w(g), w(g)))
	out.add(x86.VPXOR(r.temp, w(g), w(g)))
	out.add(x86.VPSRLD(operand.U8(30), w(g), r.temp))
	out.add(x86.VPSLLD(operand.U8(2), w(g), w(g)))
	out.add(x86.VPOR(r.temp, w(g), w(g)))
	return &out
}
