package corpus

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
)

// member returns a block of a family, and what it takes of each free block.
func member(f Family, rng *rand.Rand) (Block, Form) {
	b := f.Base
	var chosen Form
	for n, free := range f.Free {
		if rng.IntN(2) == 1 {
			chosen[n/64] |= 1 << (n % 64)
			for w := range b {
				b[w] ^= free[w]
			}
		}
	}
	chosen[constantWord] = 1
	return b, chosen
}

// A form's value is what the block gives, and broken conditions are those that
// do not hold.
func TestForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	families := append(Alike(), Contradicted()...)
	for _, s := range Mix() {
		families = append(families, s.Family)
	}
	edges := dvs.Published().Candidates()
	for _, f := range families {
		forms := f.Forms()
		for range 20 {
			b, chosen := member(f, rng)
			w := dvs.Expand(b)
			for _, e := range edges {
				form := forms.Broken(e.Edge)
				value := 0
				for n := range form {
					value += bits.OnesCount64(form[n] & chosen[n])
				}
				if (value%2 == 1) == e.Holds(&w) {
					t.Fatalf("%s, block %08x: %v holds %v, its form has the value %d", f.Name, b, e.Edge, e.Holds(&w), value%2)
				}
			}
		}
	}
}

// What the families hold, written out otherwise.
func TestFamilies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		family Family
		size   int
		holds  func(b *Block, n int) bool // for each word n
	}{
		{Random(), 512, func(b *Block, n int) bool { return true }},
		{RepeatedWord(), 32, func(b *Block, n int) bool { return b[n] == b[0] }},
		{Counters("", 0), 28, func(b *Block, n int) bool { return b[n] == b[0]+uint32(n) && b[0]%16 == 0 }},
		{Counters("", 5), 27, func(b *Block, n int) bool { return b[n] == b[0]+uint32(n) && b[0]%32 == 5 }},
		{reversed(Counters("", 0)), 28, func(b *Block, n int) bool {
			return bits.ReverseBytes32(b[n]) == bits.ReverseBytes32(b[0])+uint32(n)
		}},
		{Small("", 8), 128, func(b *Block, n int) bool { return b[n] < 1<<8 }},
		{Small("", 16), 256, func(b *Block, n int) bool { return b[n] < 1<<16 }},
		{Alike()[0], 448, func(b *Block, n int) bool { return b[n]&0x80808080 == 0 }},
		{Alike()[1], 320, func(b *Block, n int) bool { return b[n]&0xe0e0e0e0 == 0x60606060 }},
		{Alike()[2], 256, func(b *Block, n int) bool { return b[n]&0xf0f0f0f0 == 0x30303030 }},
		{Alike()[3], 192, func(b *Block, n int) bool { return b[n]&0xf8f8f8f8 == 0x30303030 }},
		{Alike()[4], 64, func(b *Block, n int) bool { return b[n]&0xffffff == 0 && (n%2 == 0 || b[n] == 0) }},
		{Alike()[5], 64, func(b *Block, n int) bool { return b[n] == b[n%2] }},
		{Alike()[6], 64, func(b *Block, n int) bool { return n < 2 || b[n] == 0 }},
		{Alike()[7], 64, func(b *Block, n int) bool { return n >= 14 || b[n] == 0 }},
	} {
		if len(c.family.Free) != c.size {
			t.Errorf("%s: %d free blocks, want %d", c.family.Name, len(c.family.Free), c.size)
		}
		for range 100 {
			b, _ := member(c.family, rng)
			for n := range b {
				if !c.holds(&b, n) {
					t.Fatalf("%s: %08x is none of it", c.family.Name, b)
				}
			}
		}
	}
	whole := 0
	for _, s := range Mix() {
		whole += s.Parts
	}
	if whole != Whole {
		t.Errorf("the mix has %d parts, want %d", whole, Whole)
	}
}
