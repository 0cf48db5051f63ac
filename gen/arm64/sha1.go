package arm64

import "github.com/sha1dc/go/gen/asm"

// A slot holds what the recheck of a block needs. Vectors are in natural order:
// W[t] is the word t, and A and E are in lane 0.
const (
	slotW     = 0   // 80 words
	slotState = 320 // A to D at the starts of the steps 52, 56, 60, 64 and 68; only A of the first
	slotIn    = 400 // A to D of the incoming chaining value
	slotInE   = 416 // its E in lane 0, zero in the others
	slotMask  = 432 // vectors that the filter keeps
	slotSize  = 448
)

var slotLayout = asm.Slot{W: slotW, State: slotState, In: slotIn, InE: slotInE, Mask: slotMask, Size: slotSize}

// roundConstants are the constants of the four rounds of twenty steps.
var roundConstants = [4]uint32{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6}

// copying says in front of which groups of four steps A to D are copied. SHA1H
// makes the next E of the A from before the rounds, which overwrite it. In front
// of them it becomes ready at the same time and goes to the same pipe, where the
// older instruction goes first: four steps wait a cycle. With a copy it can stand
// behind, which pays where vector pipes are to spare.
type copying func(g int) bool

func nowhere(g int) bool    { return false }
func everywhere(g int) bool { return true }

// whereKept is for states that are stored: copies are stored in pairs.
func whereKept(g int) bool { return 4*g > asm.FirstState && 4*g <= lastState }

const lastState = 68

// sometimes balances what copies cost and what they save where vector pipes are
// almost full.
func sometimes(g int) bool { return g%3 != 0 || whereKept(g) }

// rounds is the registers of a chain of rounds. E alternates between two.
type rounds struct {
	copied copying
	abcd   V
	e      [2]V
	wk     V    // words plus constant
	k      [4]V // constants, the same for all chains
	before [2]V // copies of A to D, in turn
}

// steps4 does the four steps of group g on the words in w, which may be wk.
func (r *rounds) steps4(g int, w V) *stream {
	var out stream
	out.vadd(r.k[g/5], w, r.wk)
	next := r.e[(g+1)%2]
	if r.copied(g) {
		before := r.before[g%2]
		out.vmov(r.abcd, before)
		out.sha1Rounds(g/5, r.wk, r.e[g%2], r.abcd)
		out.sha1h(before, next)
	} else {
		out.sha1h(r.abcd, next)
		out.sha1Rounds(g/5, r.wk, r.e[g%2], r.abcd)
	}
	return &out
}

// compression is the registers of the compression function.
type compression struct {
	rounds
	w             [4]V // ring of message words
	message, slot R
}

// compress returns the compression of the block at message, leaving what the
// recheck needs in slot.
func (r *compression) compress() *stream {
	var out stream
	word := func(g int) V { return r.w[g%4] }
	for g := 0; g < 4; g += 2 {
		out.loadVV(r.message, 16*g, word(g), word(g+1))
	}
	for g := range 4 {
		out.vrev32(word(g), word(g))
	}
	out.storeVV(r.abcd, r.e[0], r.slot, slotIn)
	for g := range 20 {
		// The ring keeps four groups of words: a pair is stored before the next
		// words take the place of the first of them.
		if g%2 == 0 {
			out.storeVV(word(g), word(g+1), r.slot, slotW+16*g)
		}
		// A recheck needs the state at some steps, but of the first no more than A.
		if t := 4 * g; t == asm.FirstState {
			out.storeS(r.abcd, r.slot, slotLayout.StateAt(t))
		} else if whereKept(g) && !r.copied(g) {
			out.storeV(r.abcd, r.slot, slotLayout.StateAt(t))
		}
		out.append(r.steps4(g, word(g)))
		if whereKept(g) && r.copied(g) && g%2 == 1 {
			out.storeVV(r.before[0], r.before[1], r.slot, slotLayout.StateAt(4*(g-1)))
		}
		if g < 16 {
			out.sha1su0(word(g+2), word(g+1), word(g))
			out.sha1su1(word(g+3), word(g))
		}
	}
	in := r.w
	out.loadVV(r.slot, slotIn, in[0], in[1])
	out.vadd(in[0], r.abcd, r.abcd)
	out.vadd(in[1], r.e[0], r.e[0])
	return &out
}
