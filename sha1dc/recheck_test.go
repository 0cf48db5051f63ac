//go:build gc && !purego && !noasm && (amd64 || arm64)

package sha1dc

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/reference"
)

// slots is the memory that recheckSlots reads.
type slots []byte

// newSlots returns room for n blocks and the value after the last, filled with
// what must not matter, and no vectors to recheck.
func newSlots(n int, rng *rand.Rand) slots {
	const alignment = 64
	all := make(slots, (n+1)*slotSize+alignment)
	for n := range all {
		all[n] = byte(rng.Uint32())
	}
	skip := -int(uintptr(unsafe.Pointer(&all[0]))) & (alignment - 1)
	s := all[skip:]
	for slot := range n {
		s.put(slot, slotMask, 0)
	}
	return s
}

func (s slots) put(slot, offset int, words ...uint32) {
	for n, w := range words {
		binary.LittleEndian.PutUint32(s[slot*slotSize+offset+4*n:], w)
	}
}

// vector stores four words in the order of the lanes.
func (s slots) vector(slot, offset int, words ...uint32) {
	for n, w := range words {
		if slotLane != 0 {
			n = slotLane - n
		}
		s.put(slot, offset+4*n, w)
	}
}

// slotWord returns where W[t] stands in a slot.
func slotWord(t int) int {
	if slotLane == 0 {
		return slotW + 4*t
	}
	return slotW + 4*(steps-1-t)
}

// value stores an incoming chaining value.
func (s slots) value(slot int, h [5]uint32) {
	s.vector(slot, slotIn, h[0], h[1], h[2], h[3])
	s.vector(slot, slotInE, h[4], 0, 0, 0)
}

// rechecked is a block, where it starts from, and what it is rechecked for.
type rechecked struct {
	in, out [5]uint32
	w       [steps]uint32
	mask    uint32
}

// randomBlock returns a block with its true outgoing value.
func randomBlock(rng *rand.Rand) rechecked {
	var (
		b rechecked
		m [16]uint32
	)
	for n := range m {
		m[n] = rng.Uint32()
	}
	for n := range b.in {
		b.in[n] = rng.Uint32()
	}
	b.w = dvs.Expand(m)
	b.out = reference.Compress(b.in, &b.w)
	return b
}

// twinOut returns where the twin of b ends, with the given vector.
func (b *rechecked) twin(dv int) (in, out [5]uint32) {
	d := dvs.All()[dv]
	dm := d.DM()
	step, _ := d.ZeroRange()
	return reference.Twin(b.in, &b.w, &dm, step)
}

// recheck hands the blocks to recheckSlots.
func recheck(rng *rand.Rand, blocks ...rechecked) bool {
	s := newSlots(len(blocks), rng)
	for n, b := range blocks {
		for t, w := range b.w {
			s.put(n, slotWord(t), w)
		}
		state := reference.State(b.in)
		for t, w := range b.w {
			if t >= slotFirstState && t%4 == 0 && t <= 68 {
				s.vector(n, slotState+4*(t-slotFirstState), state[0], state[1], state[2], state[3])
			}
			state = state.Step(t, w)
		}
		s.put(n, slotMask, b.mask)
		s.value(n+1, b.out) // a block's outgoing value is the next one's incoming
	}
	return recheckSlots(&s[0], len(blocks), &messageDifferences)
}

// TestRecheck hands over each vector's twin: choose the block and where it
// starts, find the twin the slow way, and claim that the block ends there too.
func TestRecheck(t *testing.T) {
	if host&recheckNeeds != recheckNeeds {
		t.Skip("needs a processor with the SHA instructions")
	}
	rng := rand.New(rand.NewPCG(60, 61))
	all := dvs.All()
	for dv, d := range all {
		b := randomBlock(rng)
		twinIn, twinOut := b.twin(dv)
		clean := b
		for _, mask := range []uint32{1 << dv, 1<<dv | rng.Uint32(), 1<<dv | 1<<rng.IntN(32), ^uint32(0)} {
			b.mask = mask
			b.out = twinOut
			if !recheck(rng, b) {
				t.Errorf("%v, mask %08x: twin refused", d, mask)
			}
			b.mask &^= 1 << dv
			if recheck(rng, b) {
				t.Errorf("%v, mask %08x: accepted for a vector not asked for", d, b.mask)
			}
			clean.mask = mask
			if recheck(rng, clean) {
				t.Errorf("%v, mask %08x: block accepted that ends elsewhere", d, mask)
			}
		}
		b.mask = 1 << dv
		for bit := range 160 {
			b.out = twinOut
			b.out[bit/32] ^= 1 << (bit % 32)
			if recheck(rng, b) {
				t.Errorf("%v: accepted with bit %d of the outgoing value flipped", d, bit)
			}
		}
		// A block that starts where its twin starts is an attack on reduced
		// rounds only.
		same := rechecked{in: twinIn, w: b.w, mask: 1 << dv}
		same.out = reference.Compress(same.in, &same.w)
		if recheck(rng, same) {
			t.Errorf("%v: equal incoming value accepted", d)
		}
	}
}

// A recheck compares all of the state at the test step: a value that leads back
// to that state but for one bit is none of the twin's.
func TestRecheckState(t *testing.T) {
	if host&recheckNeeds != recheckNeeds {
		t.Skip("needs a processor with the SHA instructions")
	}
	rng := rand.New(rand.NewPCG(64, 65))
	for dv, d := range dvs.All() {
		b := randomBlock(rng)
		b.mask = 1 << dv
		dm, step := d.DM(), d.TestStep()
		shared := reference.State(b.in)
		for t, w := range b.w[:step] {
			shared = shared.Step(t, w)
		}
		end := shared
		for t := step; t < steps; t++ {
			end = end.Step(t, b.w[t]^dm[t])
		}
		for bit := -1; bit < 160; bit++ {
			back := shared
			if bit >= 0 {
				back[bit/32] ^= 1 << (bit % 32)
			}
			for t := step - 1; t >= 0; t-- {
				back = back.StepBack(t, b.w[t]^dm[t])
			}
			for n := range b.out {
				b.out[n] = back[n] + end[n]
			}
			if got := recheck(rng, b); got != (bit < 0) {
				t.Errorf("%v, bit %d of the state flipped: attack %v", d, bit, got)
			}
		}
	}
}

// TestRecheckTogether rechecks several blocks at once, as pairs of any vectors
// and in any number, with at most one attack.
func TestRecheckTogether(t *testing.T) {
	if host&recheckNeeds != recheckNeeds {
		t.Skip("needs a processor with the SHA instructions")
	}
	rng := rand.New(rand.NewPCG(62, 63))
	attack := func(dv int) rechecked {
		b := randomBlock(rng)
		_, b.out = b.twin(dv)
		b.mask = 1 << dv
		return b
	}
	check := func(want bool, what string, blocks ...rechecked) {
		t.Helper()
		if got := recheck(rng, blocks...); got != want {
			t.Errorf("%s: attack %v, want %v", what, got, want)
		}
	}
	idle := randomBlock(rng)
	for first := range dvs.Count {
		for second := range dvs.Count {
			what := fmt.Sprintf("vectors %d and %d", first, second)
			a, b := attack(first), attack(second)
			missA, missB := randomBlock(rng), randomBlock(rng)
			missA.mask, missB.mask = a.mask, b.mask
			check(true, what+", first hits", a, missB)
			check(true, what+", second hits", missA, b)
			check(true, what+", second hits, apart", missA, idle, b, idle)
			check(true, what+", both hit", a, b)
			check(false, what+", none hits", missA, missB)
			if first != second {
				// In one block, with the lower and the higher bit to hit.
				a.mask |= b.mask
				check(true, what+" in one block", a)
				a.mask &= b.mask
				check(false, what+", the wrong one", a)
			}
		}
	}
	for n := 1; n <= chunkBlocks; n++ {
		for range 50 {
			blocks := make([]rechecked, n)
			for i := range blocks {
				blocks[i] = randomBlock(rng)
				switch rng.IntN(4) {
				case 0:
					blocks[i].mask = 1 << rng.IntN(32)
				case 1:
					blocks[i].mask = rng.Uint32() & rng.Uint32() & rng.Uint32()
				case 2:
					blocks[i].mask = ^uint32(0)
				}
			}
			check(false, fmt.Sprintf("%d blocks", n), blocks...)
			at, dv := rng.IntN(n), rng.IntN(32)
			mask := blocks[at].mask
			blocks[at] = attack(dv)
			blocks[at].mask = mask
			check(mask>>dv&1 != 0, fmt.Sprintf("vector %d in block %d of %d, mask %08x", dv, at, n, mask), blocks...)
			blocks[at].mask |= 1 << dv
			check(true, fmt.Sprintf("vector %d in block %d of %d", dv, at, n), blocks...)
		}
	}
}
