//go:build gc && !purego && !noasm

package sha1dc

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
)

// No block of padding alone survives the published conditions up to clearLength.
func TestClearLength(t *testing.T) {
	var (
		w  [steps]uint32
		st testStates
	)
	h := initial
	for length := uint64(0); length <= clearLength; length++ {
		var block [BlockSize]byte
		switch rest := length % BlockSize; {
		case rest == 0:
			block[0] = 0x80
		case rest < BlockSize-8:
			continue
		}
		binary.BigEndian.PutUint64(block[BlockSize-8:], length<<3)
		compressGeneric(&h, &block, &w, &st)
		if mask := filterGeneric(&w); mask != 0 {
			t.Fatalf("the last block of a message of %d bytes survives for %08x", length, mask)
		}
	}
}

// Beyond clearLength, blocks of padding alone survive too, the first after 8 MiB.
// If they are attacks, they must be found, in one block with the padding's first
// byte and in a block behind it.
func TestPaddingAttacked(t *testing.T) {
	for dv := range dvs.Count {
		setDM(t, dv, [steps]uint32{})
	}
	const shortest = 135_168 * BlockSize // whose block of padding survives
	rng := rand.New(rand.NewPCG(74, 75))
	lengths := []uint64{shortest}
	for len(lengths) < 1000 {
		length := shortest + rng.Uint64()>>(8+rng.IntN(32))&^(BlockSize-1)
		lengths = append(lengths, length, length+BlockSize-uint64(1+rng.IntN(padding-1)))
	}
	var attacked [2]int // without and with bytes of the message in the block before
	for n, length := range lengths {
		d := Digest{state: state{h: initial}, nx: int(length % BlockSize), len: length, ready: true}
		use(t, generic)
		want, digest := d.Err(), sum(&d)
		if attack, ok := want.(*CollisionError); ok && uint64(attack.Offset) >= length {
			attacked[min(d.nx, 1)]++
		} else if n == 0 {
			t.Errorf("%d bytes: error %v, want an attack in the padding", length, want)
		}
		for _, b := range kernels() {
			use(t, b)
			err := d.Err()
			if (err == nil) != (want == nil) || err != nil && *err.(*CollisionError) != *want.(*CollisionError) || sum(&d) != digest {
				t.Errorf("%v, %d bytes: %x, %v, want %x, %v", b, length, sum(&d), err, digest, want)
			}
		}
	}
	if most := len(lengths) / 2; min(attacked[0], attacked[1]) < most/50 {
		t.Errorf("of %d blocks of padding each, %d are attacks: the test sees little", most, attacked)
	}
}

// ends are the kernels that take the end of a message apart.
func ends() (out []backend) {
	for _, b := range kernels() {
		if b.addsEnds() {
			out = append(out, b)
		}
	}
	return out
}

// TestKernelEnd compares kernels on messages in two places with the same in one,
// with an attack in each place.
func TestKernelEnd(t *testing.T) {
	const dv = 9
	rng := rand.New(rand.NewPCG(70, 71))
	setDM(t, dv, [steps]uint32{})
	clean := opposing(dv)
	attack := craft.Bytes(craft.Passing(dvs.Published(), dv, rng))
	const most = 9
	var message []byte
	for range most {
		message = append(message, craft.Bytes(clean.Block(rng))...)
	}
	for _, b := range ends() {
		exercised[b] = true
		for blocks := 1; blocks <= most; blocks++ {
			for at := range blocks + 1 { // blocks for no attack
				p := append([]byte{}, message[:blocks*BlockSize]...)
				if at < blocks {
					copy(p[at*BlockSize:], attack)
				}
				values := chainingValues(initial, p)
				for m := range min(blocks, 4) + 1 {
					for clear := range 2 {
						n := blocks - m
						end := append([]byte{0}, p[n*BlockSize:]...)
						want := at
						if clear == 1 && at == blocks-1 {
							want = blocks
						}
						h := initial
						done := b.kernelEnd(&h, &append(p[:n*BlockSize:n*BlockSize], 0)[0], n, &append(end, 0)[1], m, clear, &messageDifferences)
						if done != want || h != values[done] {
							t.Errorf("%v, %d blocks and %d, clear %d, attack in %d: %d added, %08x", b, n, m, clear, at, done, h)
						}
					}
				}
			}
		}
		h := initial
		if done := b.kernelEnd(&h, nil, 0, nil, 0, 0, &messageDifferences); done != 0 || h != initial {
			t.Errorf("%v: %d of no blocks added, %08x", b, done, h)
		}
	}
}

// TestLastBlocks makes attacks of all blocks that survive, and hashes messages of
// every length modulo the size of a block: a last block that may survive must be
// looked at.
func TestLastBlocks(t *testing.T) {
	for dv := range dvs.Count {
		setDM(t, dv, [steps]uint32{})
	}
	c := Config{Mode: DetectOnly}
	rng := rand.New(rand.NewPCG(72, 73))
	last := 0
	messages := 200 * BlockSize
	if testing.Short() {
		messages /= 4
	}
	for n := range messages {
		message := make([]byte, n%BlockSize+BlockSize*rng.IntN(3))
		for n := range message {
			message[n] = byte(rng.Uint32())
		}
		use(t, generic)
		digest, err := c.Sum(message)
		if attack, ok := err.(*CollisionError); ok && attack.Offset+BlockSize > int64(len(message)) {
			last++
		}
		for _, b := range ends() {
			if !b.suits(host) && n%16 != 0 {
				continue
			}
			use(t, b)
			got, gotErr := c.Sum(message)
			if got != digest || (gotErr == nil) != (err == nil) || err != nil && *gotErr.(*CollisionError) != *err.(*CollisionError) {
				t.Fatalf("%v, %d bytes: %x, %v, want %x, %v", b, len(message), got, gotErr, digest, err)
			}
			d := c.New()
			d.Write(message)
			if got := sum(d); got != digest || (d.Err() == nil) != (err == nil) {
				t.Fatalf("%v, %d bytes written: %x, %v, want %x, %v", b, len(message), got, d.Err(), digest, err)
			}
		}
	}
	if last < messages/100 {
		t.Errorf("%d of %d last blocks survive: the test sees nothing", last, messages)
	}
}

// A call with no blocks to recheck must read none.
func TestRecheckNothing(t *testing.T) {
	if host&recheckNeeds != recheckNeeds {
		t.Skip("the processor lacks the SHA extensions")
	}
	slot := make([]byte, slotSize)
	for n := range slot {
		slot[n] = 0xff
	}
	if recheckSlots(&slot[0], 0, &messageDifferences) {
		t.Error("a hit in no blocks")
	}
}
