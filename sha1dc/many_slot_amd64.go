//go:build gc && !purego && !noasm

package sha1dc

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// A manySlot is a block that survived the filter of a kernel for many messages,
// and the beginning of the next slot, where its outgoing chaining value is.
type manySlot []byte

// slot returns slot n.
func (a *manyArea) slot(n int) manySlot { return a.slots[n*manySlotSize:] }

// word returns the word at an offset.
func (s manySlot) word(offset int) uint32 { return binary.LittleEndian.Uint32(s[offset:]) }

// clear leaves no vector to recheck.
func (s manySlot) clear() { binary.LittleEndian.PutUint32(s[manySlotMask:], 0) }

// attacked reports whether one of n blocks in slots, from the given one on, is
// an attack.
func (k manyKernel) attacked(a *manyArea, first, n int) bool {
	if n == 0 {
		return false
	}
	if k.shani {
		return recheckSHANI(&a.slot(first)[0], n, &messageDifferences)
	}
	var waiting twins
	for i := range n {
		if a.slot(first + i).attacked(&waiting) {
			return true
		}
	}
	return waiting.attacked()
}

// twins are twins that wait to be rechecked without SHA instructions.
type twins [twinsSize]byte

// attacked rechecks them.
func (t *twins) attacked() bool {
	return binary.LittleEndian.Uint64(t[twinsCount:]) != 0 && recheckTwins(&t[0]) != 0
}

// attacked adds the twins of the block to those that wait, and reports whether
// one of them is known to be an attack.
func (s manySlot) attacked(waiting *twins) bool {
	trace := s.trace()
	w := (*uint32)(unsafe.Pointer(&s[manySlotW+4*(steps-1)]))
	return addTwins(&waiting[0], w, -4, &trace[0], s.word(manySlotMask), 0, &messageDifferences) != 0
}

// out returns the outgoing chaining value.
func (s manySlot) out() [5]uint32 {
	return [5]uint32{s.word(manySlotOut + 12), s.word(manySlotOut + 8), s.word(manySlotOut + 4), s.word(manySlotOut), s.word(manySlotOutE)}
}

// stateAt returns the state at the start of step t, a multiple of four from 52 to
// 68. Its E, which is right from 56 on, is the A of four steps before, rotated.
func (s manySlot) stateAt(t int) [5]uint32 {
	at := manySlotState + 4*(t-52)
	return [5]uint32{s.word(at + 12), s.word(at + 8), s.word(at + 4), s.word(at), bits.RotateLeft32(s.word(at-4), 30)}
}

// trace returns what addTwins needs of the block beside its words.
func (s manySlot) trace() (trace [traceSize]byte) {
	for t := 51; t <= 65; t++ {
		// The states are of every fourth step, so that their words are the As of
		// consecutive steps. A becomes B, which is rotated when it becomes C and
		// then D.
		a := s.word(manySlotState + 12 + 4*(t-52))
		if -t&3 >= 2 {
			a = bits.RotateLeft32(a, 2)
		}
		binary.LittleEndian.PutUint32(trace[traceState+4*(65-t):], a)
	}
	for n, w := range s.out() {
		binary.LittleEndian.PutUint32(trace[traceOut+4*n:], w)
	}
	return trace
}

// expand returns what attacked needs of the block.
func (s manySlot) expand() (w [steps]uint32, st testStates, out [5]uint32) {
	for t := range w {
		w[t] = s.word(manySlotW + 4*(steps-1-t))
	}
	for n := range st {
		st[n] = s.stateAt(56 + 4*n)
	}
	return w, st, s.out()
}
