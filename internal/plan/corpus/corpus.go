// Package corpus makes the message blocks that people hash most. They are not
// random: a filter that tests only some of the conditions could let all of them
// through, and pay for a recheck each time.
package corpus

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"math/rand/v2"
)

// Block is the sixteen words of a message block.
type Block = [16]uint32

// Corpus is a named sequence of blocks, the same every time.
type Corpus struct {
	Name   string
	Blocks iter.Seq[Block]
}

// Lengths is the number of block counts for which Systematic has the padding.
const Lengths = 20_000

// Systematic returns the families that are small enough to be listed in full.
func Systematic() []Corpus {
	return []Corpus{
		{"padding of whole blocks", paddingOnly},
		{"padding after zeros", paddingTail},
		{"constant", constant},
		{"repeated byte", repeatedByte},
		{"one bit", oneBit},
		{"repeated bit pair", repeatedSparse},
		{"one byte", oneByte},
		{"byte ramp", ramp},
	}
}

// Sampled returns families that stand for data without end, by a fixed sample
// of blocks of each. Plans are not made with them: they show how plans do on
// data other than that of Mix.
func Sampled(blocks int) []Corpus {
	return []Corpus{
		{"random", sample(blocks, randomBlock)},
		{"repeated word", sample(blocks, repeatedWord)},
		{"ASCII text", sample(blocks, text)},
		{"hexadecimal digits", sample(blocks, hexDigits)},
		{"counters", sample(blocks, counters)},
		{"sparse", sample(blocks, sparse)},
		{"records", sample(blocks, records)},
		{"short messages", sample(blocks, short)},
		{"tar headers", sample(blocks, tarHeader)},
		{"git trees", sample(blocks, gitTree)},
		{"git commits", sample(blocks, gitCommit)},
		{"PDF cross-references", sample(blocks, crossReferences)},
	}
}

// setLength writes the message length in bytes into the last two words.
func setLength(b *Block, bytes uint64) {
	b[14], b[15] = uint32(bytes>>29), uint32(bytes<<3)
}

// paddingOnly has the last block of messages of whole blocks.
func paddingOnly(yield func(Block) bool) {
	for n := range uint64(Lengths) {
		b := Block{0: 1 << 31}
		setLength(&b, 64*n)
		if !yield(b) {
			return
		}
	}
}

// paddingTail has the last block of messages that end in the last eight bytes
// of the block before, so that only zeros and the length are left.
func paddingTail(yield func(Block) bool) {
	for n := range uint64(Lengths) {
		for rest := range uint64(8) {
			var b Block
			setLength(&b, 64*n+56+rest)
			if !yield(b) {
				return
			}
		}
	}
}

// filled returns the block of one repeated word.
func filled(w uint32) Block {
	var b Block
	for n := range b {
		b[n] = w
	}
	return b
}

func constant(yield func(Block) bool) {
	_ = yield(filled(0)) && yield(filled(^uint32(0)))
}

func repeatedByte(yield func(Block) bool) {
	for v := range uint32(256) {
		if !yield(filled(v * 0x01010101)) {
			return
		}
	}
}

// repeatedSparse has words with one or two bits of either kind.
func repeatedSparse(yield func(Block) bool) {
	for a := range 32 {
		for b := range a + 1 {
			w := uint32(1)<<a | 1<<b
			if !yield(filled(w)) || !yield(filled(^w)) {
				return
			}
		}
	}
}

func oneBit(yield func(Block) bool) {
	for bit := range 512 {
		for _, fill := range []uint32{0, ^uint32(0)} {
			b := filled(fill)
			b[bit/32] ^= 1 << (bit % 32)
			if !yield(b) {
				return
			}
		}
	}
}

func oneByte(yield func(Block) bool) {
	for at := range 64 {
		for v := range uint32(256) {
			var b Block
			b[at/4] = v << (24 - 8*(at%4))
			if !yield(b) {
				return
			}
		}
	}
}

func ramp(yield func(Block) bool) {
	for first := range 256 {
		for _, step := range []int{1, -1, 4, 64} {
			var p [64]byte
			for n := range p {
				p[n] = byte(first + step*n)
			}
			if !yield(words(&p)) {
				return
			}
		}
	}
}

func words(p *[64]byte) Block {
	var b Block
	for n := range b {
		b[n] = binary.BigEndian.Uint32(p[4*n:])
	}
	return b
}

func sample(blocks int, one func(*rand.Rand) Block) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		rng := rand.New(rand.NewPCG(0, 0))
		for range blocks {
			if !yield(one(rng)) {
				return
			}
		}
	}
}

func randomBlock(rng *rand.Rand) Block {
	var b Block
	for n := range b {
		b[n] = rng.Uint32()
	}
	return b
}

func repeatedWord(rng *rand.Rand) Block { return filled(rng.Uint32()) }

const letters = "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummmwwwffggyyppbbvk"

// text has lower-case words with the frequencies of English, some capitals,
// digits, punctuation and line ends.
func text(rng *rand.Rand) Block {
	var p [64]byte
	for n := range p {
		switch r := rng.IntN(100); {
		case r < 17:
			p[n] = ' '
		case r < 19:
			p[n] = "\n\n.,;:-'\"()="[rng.IntN(12)]
		case r < 22:
			p[n] = byte('A' + rng.IntN(26))
		case r < 24:
			p[n] = byte('0' + rng.IntN(10))
		default:
			p[n] = letters[rng.IntN(len(letters))]
		}
	}
	return words(&p)
}

func hexDigits(rng *rand.Rand) Block {
	var p [64]byte
	for n := range p {
		p[n] = "0123456789abcdef"[rng.IntN(16)]
	}
	return words(&p)
}

// counters has sixteen consecutive words, in either byte order.
func counters(rng *rand.Rand) Block {
	var b Block
	first := rng.Uint32() >> rng.IntN(32)
	little := rng.IntN(2) == 1
	for n := range b {
		b[n] = first + uint32(n)
		if little {
			b[n] = bits.ReverseBytes32(b[n])
		}
	}
	return b
}

// sparse has zeros but for one to four bytes.
func sparse(rng *rand.Rand) Block {
	var p [64]byte
	for range 1 + rng.IntN(4) {
		p[rng.IntN(64)] = byte(1 + rng.IntN(255))
	}
	return words(&p)
}

// records has small little-endian numbers in fields of eight bytes, as tables
// in executables and databases do.
func records(rng *rand.Rand) Block {
	var p [64]byte
	for n := 0; n < 64; n += 8 {
		binary.LittleEndian.PutUint64(p[n:], rng.Uint64()>>(40+rng.IntN(24)))
	}
	return words(&p)
}

// short has a whole message of up to 55 bytes of text, with its padding.
func short(rng *rand.Rand) Block {
	var p [64]byte
	full := text(rng)
	for n, w := range full {
		binary.BigEndian.PutUint32(p[4*n:], w)
	}
	length := rng.IntN(56)
	clear(p[length:])
	p[length] = 0x80
	binary.BigEndian.PutUint64(p[56:], uint64(8*length))
	return words(&p)
}
