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
	for i := range n {
		if a.slot(first + i).attacked() {
			return true
		}
	}
	return false
}

// attacked reports whether the block is an attack, without SHA instructions.
func (s manySlot) attacked() bool {
	mask := s.word(manySlotMask)
	if traced := mask & scalarTraced; traced != 0 {
		trace := s.trace()
		w := (*uint32)(unsafe.Pointer(&s[manySlotW+4*(steps-1)]))
		if recheckScalar(&trace[0], w, -4, traced, &messageDifferences) {
			return true
		}
	}
	if rest := mask &^ scalarTraced; rest != 0 {
		w, st, out := s.expand()
		_, ok := attacked(rest, &w, &st, nil, &out, false)
		return ok
	}
	return false
}

// out returns the outgoing chaining value.
func (s manySlot) out() [5]uint32 {
	return [5]uint32{s.word(manySlotOut + 12), s.word(manySlotOut + 8), s.word(manySlotOut + 4), s.word(manySlotOut), s.word(manySlotOutE)}
}

// stateAt returns the state at the start of step t, which is 56, 60, 64 or 68.
// Its E is the A of four steps before, rotated.
func (s manySlot) stateAt(t int) [5]uint32 {
	at := manySlotState + 4*(t-52)
	return [5]uint32{s.word(at + 12), s.word(at + 8), s.word(at + 4), s.word(at), bits.RotateLeft32(s.word(at-4), 30)}
}

// trace returns what recheckScalar needs of the block.
func (s manySlot) trace() (trace [scalarSize]byte) {
	for n, w := range s.stateAt(60) {
		if n >= 2 {
			w = bits.RotateLeft32(w, 2)
		}
		binary.LittleEndian.PutUint32(trace[scalarState+4*n:], w)
	}
	for n, w := range s.out() {
		binary.LittleEndian.PutUint32(trace[scalarOut+4*n:], w)
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
