package amd64

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
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

	firstState = 52
)

// wordOffset returns where the four words from 4*g on stand in a slot.
func wordOffset(g int) int { return slotW + 16*(19-g) }

// stateOffset returns where the state at the start of step t stands in a slot.
func stateOffset(t int) int { return slotState + 4*(t-firstState) }

// schedule is a way to expand the message.
type schedule int

const (
	// scheduleSHA uses SHA1MSG1 and SHA1MSG2 throughout.
	scheduleSHA schedule = iota
	// scheduleWide uses them up to step 31, and from there on
	// W[t] = rotl2(W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32]), four words at a time,
	// with AVX-512 instructions.
	scheduleWide
)

// shaRegisters are the registers of the compression function. E alternates
// between two registers.
type shaRegisters struct {
	abcd    reg.VecPhysical
	e       [2]reg.VecPhysical
	w       []reg.VecPhysical // ring of message words: 4, or 9 for scheduleWide
	shuffle reg.VecPhysical   // reverses the bytes of a register
}

// compress returns the compression of the block at message, leaving what the
// recheck needs in slot.
func compress(r shaRegisters, message, slot reg.Register, s schedule) *stream {
	var out stream
	at := func(offset int) operand.Mem { return mem(slot, offset) }
	w := func(g int) reg.VecPhysical { return r.w[g%len(r.w)] }

	out.add(x86.MOVOU(r.abcd, at(slotIn)))
	out.add(x86.MOVOU(r.e[0], at(slotInE)))
	for g := range 20 {
		e, next := r.e[g%2], r.e[(g+1)%2]
		switch {
		case g < 4:
			out.add(x86.MOVOU(mem(message, 16*g), w(g)))
			out.add(x86.PSHUFB(r.shuffle, w(g)))
		case g >= 8 && s == scheduleWide:
			out.add(x86.VPALIGNR(operand.U8(8), w(g-1), w(g-2), w(g)))
			out.add(x86.VPTERNLOGD(operand.U8(0x96), w(g-4), w(g-7), w(g)))
			out.add(x86.VPXORD(w(g-8), w(g), w(g)))
			out.add(x86.VPROLD(operand.U8(2), w(g), w(g)))
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

		// The words of group n are complete when group n-1 has begun.
		last := 19
		if s == scheduleWide {
			last = 7
		}
		if n := g + 1; n >= 4 && n <= last {
			if len(r.w) > 4 {
				// The ring keeps old words, so the sum needs a register of its own.
				out.add(x86.VMOVDQA(w(n-4), w(n)))
				out.add(x86.SHA1MSG1(w(n-3), w(n)))
				out.add(x86.PXOR(w(n-2), w(n)))
				out.add(x86.SHA1MSG2(w(n-1), w(n)))
			}
		}
		if len(r.w) == 4 {
			if n := g + 3; n >= 4 && n <= last && g >= 1 {
				out.add(x86.SHA1MSG1(w(g), w(n)))
			}
			if n := g + 2; n >= 4 && n <= last && g >= 2 {
				out.add(x86.PXOR(w(g), w(n)))
			}
			if n := g + 1; n >= 4 && n <= last && g >= 3 {
				out.add(x86.SHA1MSG2(w(g), w(n)))
			}
		}
	}
	out.add(x86.SHA1NEXTE(at(slotInE), r.e[0]))
	out.add(x86.PADDD(at(slotIn), r.abcd))
	return &out
}
