package corpus

import (
	"math/bits"

	"github.com/sha1dc/go/internal/dvs"
)

// Family is an affine space of blocks: Base, xored with the sum of any of Free.
// The expanded message is linear in the block, so what conditions say of a
// family is linear algebra, however many blocks it has.
type Family struct {
	Name string
	Base Block
	Free []Block
}

// Form is an affine function of a family's blocks to bits: bit n tells whether
// it changes with Free[n], the last whether it is 1 for Base.
type Form [9]uint64

const constantWord = len(Form{}) - 1

// Add adds g to f.
func (f *Form) Add(g *Form) {
	for n := range f {
		f[n] ^= g[n]
	}
}

// Lead returns the first free block that f depends on, or -1.
func (f *Form) Lead() int {
	for n, w := range f[:constantWord] {
		if w != 0 {
			return 64*n + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// Has reports whether f depends on free block n.
func (f *Form) Has(n int) bool { return f[n/64]>>(n%64)&1 != 0 }

// Constant returns the value of f for the base.
func (f *Form) Constant() uint32 { return uint32(f[constantWord]) }

// Forms holds the bits of the expanded message as forms on a family.
type Forms [dvs.Steps][32]Form

// Forms returns the bits of the expanded message on f.
func (f *Family) Forms() *Forms {
	out := &Forms{}
	set := func(block Block, word int, bit uint64) {
		for t, w := range dvs.Expand(block) {
			for ; w != 0; w &= w - 1 {
				out[t][bits.TrailingZeros32(w)][word] |= bit
			}
		}
	}
	for n, b := range f.Free {
		set(b, n/64, 1<<(n%64))
	}
	set(f.Base, constantWord, 1)
	return out
}

// Broken returns the form that is 1 for the blocks that break e.
func (f *Forms) Broken(e dvs.Edge) Form {
	out := f[e.I][e.A]
	out.Add(&f[e.J][e.B])
	out[constantWord] ^= uint64(e.C)
	return out
}

// Share is a family's part in a mix of data.
type Share struct {
	Family Family
	Parts  int // of Whole
}

// Whole is what the parts of a mix add up to.
const Whole = 16

// Mix returns the data that plans without a limit are made for. Random blocks
// stand for compressed and encrypted data and, since conditions are exactly as
// independent there, for most text (Alike lists what was compared).
func Mix() []Share {
	return []Share{
		{Random(), 11},
		{RepeatedWord(), 1},
		{Counters("big-endian counters", 0), 1},
		{reversed(Counters("little-endian counters", 0)), 1},
		{Contradicted()[0], 1},
		{Contradicted()[1], 1},
	}
}

// Contradicted returns the families on which a plan must contradict itself for
// the vectors for which all conditions do, so that it dismisses them whatever
// the block.
func Contradicted() []Family {
	return []Family{Small("8-bit big-endian numbers", 8), Small("16-bit big-endian numbers", 16)}
}

// Alike returns families of text and records.
func Alike() []Family {
	ascii := Family{Name: "ASCII text", Free: freeBits(func(_, bit int) bool { return bit < 7 })}
	letters := Family{Name: "lower-case letters", Base: filled(0x60606060), Free: freeBits(func(_, bit int) bool { return bit < 5 })}
	digits := Family{Name: "digits", Base: filled(0x30303030), Free: freeBits(func(_, bit int) bool { return bit < 4 })}
	octal := Family{Name: "octal digits", Base: filled(0x30303030), Free: freeBits(func(_, bit int) bool { return bit < 3 })}
	little := Family{Name: "bytes in little-endian words", Free: freeBits(func(at, _ int) bool { return at%8 == 0 })}
	var pairs Family
	pairs.Name = "8 bytes repeated"
	for bit := range 64 {
		var b Block
		for n := bit / 32; n < len(b); n += 2 {
			b[n] = 1 << (bit % 32)
		}
		pairs.Free = append(pairs.Free, b)
	}
	head := Family{Name: "8 bytes, then zeros", Free: freeBits(func(at, _ int) bool { return at < 8 })}
	tail := Family{Name: "zeros, then 8 bytes", Free: freeBits(func(at, _ int) bool { return at >= 56 })}
	return []Family{ascii, letters, digits, octal, little, pairs, head, tail}
}

// Random returns the family of all blocks.
func Random() Family {
	return Family{Name: "random", Free: freeBits(func(int, int) bool { return true })}
}

// RepeatedWord returns the blocks of one word sixteen times.
func RepeatedWord() Family {
	f := Family{Name: "repeated word"}
	for bit := range 32 {
		f.Free = append(f.Free, filled(1<<bit))
	}
	return f
}

// Counters returns the blocks of sixteen consecutive numbers in big-endian
// words, the first of them low above a multiple of sixteen. Where a carry
// leaves the lowest four bits, it goes one bit further.
func Counters(name string, low uint32) Family {
	f := Family{Name: name}
	carry := 4
	for n := range uint32(len(f.Base)) {
		f.Base[n] = low + n
	}
	if low != 0 {
		carry++
	}
	for bit := carry; bit < 32; bit++ {
		f.Free = append(f.Free, filled(1<<bit))
	}
	return f
}

// Small returns the blocks of big-endian words of so many bits.
func Small(name string, size int) Family {
	return Family{Name: name, Free: freeBits(func(at, bit int) bool { return 8*(3-at%4)+bit < size })}
}

// reversed returns the family with the bytes of every word in reverse order.
func reversed(f Family) Family {
	f.Base = reverse(f.Base)
	for n, b := range f.Free {
		f.Free[n] = reverse(b)
	}
	return f
}

func reverse(b Block) Block {
	for n := range b {
		b[n] = bits.ReverseBytes32(b[n])
	}
	return b
}

// freeBits returns a block of one bit for each bit of each byte of the message
// that free accepts.
func freeBits(free func(at, bit int) bool) []Block {
	var out []Block
	for at := range 64 {
		for bit := range 8 {
			if free(at, bit) {
				var b Block
				b[at/4] = 1 << (24 - 8*(at%4) + bit)
				out = append(out, b)
			}
		}
	}
	return out
}
