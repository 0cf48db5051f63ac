//go:build gc && !purego && !noasm

package sha1dc

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/reference"
)

// add adds the twins of a block, with its words stride apart.
func (t *twins) add(b *rechecked, stride, left int) (hit int) {
	var trace [traceSize]byte
	words := func(offset int, w []uint32) {
		for n, w := range w {
			for i := range 4 {
				trace[offset+4*n+i] = byte(w >> (8 * i))
			}
		}
	}
	state := reference.State(b.in)
	for step, w := range b.w {
		if step >= 51 && step <= 65 {
			words(traceState+4*(65-step), state[:1])
		}
		state = state.Step(step, w)
	}
	words(traceOut, b.out[:])
	spread := make([]uint32, stride*(steps-1)+1)
	for step, w := range b.w {
		spread[stride*step] = w
	}
	return addTwins(&t[0], &spread[0], 4*stride, &trace[0], b.mask, left, &messageDifferences)
}

// TestTwins hands over each vector's twin in every lane, beside others, and
// blocks that end one bit elsewhere.
func TestTwins(t *testing.T) {
	if needs := needBMI | avx | avx2; host&needs != needs {
		t.Skip("needs a processor with AVX2, BMI1 and BMI2")
	}
	rng := rand.New(rand.NewPCG(66, 67))
	attack := func(dv int) (b rechecked) {
		b = randomBlock(rng)
		_, b.out = b.twin(dv)
		b.mask = 1 << dv
		return b
	}
	clean := func() (b rechecked) {
		b = randomBlock(rng)
		b.mask = 1 << rng.IntN(dvs.Count)
		return b
	}
	const together = 8
	for dv, d := range dvs.All() {
		for count := 1; count <= together; count++ {
			for lane := range count {
				what := fmt.Sprintf("%v in lane %d of %d", d, lane, count)
				var waiting twins
				for n := range count {
					b := clean()
					if n == lane {
						b = attack(dv)
					}
					if n > lane && rng.IntN(4) == 0 {
						b = attack(rng.IntN(dvs.Count))
					}
					if hit := waiting.add(&b, 1+rng.IntN(8), n); hit != 0 {
						t.Fatalf("%s: attack in lane %d before all lanes are in use", what, hit-1)
					}
				}
				if hit := recheckTwins(&waiting[0]); hit != lane+1 {
					t.Errorf("%s: found in lane %d", what, hit-1)
				}
				if waiting.attacked() {
					t.Errorf("%s: a twin waits after the recheck", what)
				}
			}
		}
		// A bit off, in a block of its own and in each of eight lanes.
		for bit := 0; bit < 160; bit++ {
			off := attack(dv)
			off.out[bit/32] ^= 1 << (bit % 32)
			for _, count := range []int{1, together} {
				var waiting twins
				for range count {
					waiting.add(&off, 1, 0)
				}
				if hit := recheckTwins(&waiting[0]); hit != 0 {
					t.Errorf("%v: attack in lane %d of %d with bit %d of the outgoing value flipped", d, hit-1, count, bit)
				}
			}
		}
	}
}

// More twins than there are lanes are rechecked as lanes fill, in the order in
// which they come, and the lane tells which block is the attack.
func TestTwinsOverflow(t *testing.T) {
	if needs := needBMI | avx | avx2; host&needs != needs {
		t.Skip("needs a processor with AVX2, BMI1 and BMI2")
	}
	rng := rand.New(rand.NewPCG(68, 69))
	for range 2000 {
		var waiting twins
		at, dv := rng.IntN(12), rng.IntN(dvs.Count)
		hit, twins := 0, 0
		lane := -1
		for n := 0; n < 12 && hit == 0; n++ {
			b := randomBlock(rng)
			b.mask = rng.Uint32() & rng.Uint32()
			if rng.IntN(2) == 0 {
				b.mask = 0
			}
			if n == at {
				_, b.out = b.twin(dv)
				b.mask |= 1 << dv
			}
			for i := range dvs.Count {
				if b.mask>>i&1 != 0 {
					if n == at && i == dv {
						lane = twins % 8
					}
					twins++
				}
			}
			hit = waiting.add(&b, 8, 100-n)
		}
		if hit == 0 {
			hit = recheckTwins(&waiting[0])
		}
		if hit != lane+1 {
			t.Fatalf("attack with vector %d in block %d, lane %d: found in lane %d", dv, at, lane, hit-1)
		}
	}
}
