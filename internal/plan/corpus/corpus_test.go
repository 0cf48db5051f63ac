package corpus

import (
	"encoding/binary"
	"slices"
	"testing"
)

// last returns the last block of a message of zeros with its padding (FIPS
// 180-4, section 5.1.1), written out byte by byte.
func last(length int) Block {
	m := make([]byte, length, length+128)
	m = append(m, 0x80)
	for len(m)%64 != 56 {
		m = append(m, 0)
	}
	m = binary.BigEndian.AppendUint64(m, uint64(length)*8)
	return words((*[64]byte)(m[len(m)-64:]))
}

func TestPadding(t *testing.T) {
	n := 0
	for b := range paddingOnly {
		if n%997 == 0 && b != last(64*n) {
			t.Errorf("%d blocks: %08x, want %08x", n, b, last(64*n))
		}
		n++
	}
	if n != Lengths {
		t.Errorf("%d paddings of whole blocks, want %d", n, Lengths)
	}
	n = 0
	for b := range paddingTail {
		if length := 64*(n/8) + 56 + n%8; n%7001 == 0 && b != last(length) {
			t.Errorf("%d bytes: %08x, want %08x", length, b, last(length))
		}
		n++
	}
	if n != 8*Lengths {
		t.Errorf("%d paddings after zeros, want %d", n, 8*Lengths)
	}
}

// Every corpus is the same each time, may be left early, and has blocks that
// differ.
func TestCorpora(t *testing.T) {
	names := make(map[string]bool)
	for _, c := range slices.Concat(Systematic(), Sampled(500)) {
		if names[c.Name] {
			t.Errorf("two corpora are named %q", c.Name)
		}
		names[c.Name] = true
		var first []Block
		for b := range c.Blocks {
			first = append(first, b)
			if len(first) == 400 {
				break
			}
		}
		n := 0
		for b := range c.Blocks {
			if b != first[n] {
				t.Fatalf("%s: block %d differs the second time", c.Name, n)
			}
			if n++; n == len(first) {
				break
			}
		}
		distinct := make(map[Block]bool)
		for _, b := range first {
			distinct[b] = true
		}
		if len(distinct) < len(first)/3 || len(distinct) < 2 {
			t.Errorf("%s: %d of %d blocks are distinct", c.Name, len(distinct), len(first))
		}
	}
}
