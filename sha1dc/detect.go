package sha1dc

import (
	"encoding/binary"
	"math/bits"
)

// steps is the number of steps of the compression function.
const steps = 80

// The constants of the four rounds of twenty steps (FIPS 180-4, section 4.2.1).
const (
	k0 = 0x5a827999
	k1 = 0x6ed9eba1
	k2 = 0x8f1bbcdc
	k3 = 0xca62c1d6
)

// initial is the chaining value before the first block (FIPS 180-4, section
// 5.3.1).
var initial = [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}

// disturbanceVector is what the recheck must know of a disturbance vector.
type disturbanceVector struct {
	dv        DV
	testStep  int // both messages share the state at the start of this step
	testState int // its index in testStates
}

// state is the hash of a message up to a block boundary. Until the first
// attack both digests come from h; from there on two chains run.
type state struct {
	h      [5]uint32 // the mitigated chain, on which attacks are looked for
	plain  [5]uint32 // the chain of plain SHA-1, if found
	found  bool
	dv     uint8  // of the first attack: mask bit of the disturbance vector
	offset uint64 // of the first attack: where its block starts
}

// digest returns the digest that a mode asks for.
func (s *state) digest(m Mode) (sum [Size]byte) {
	s.put(&sum, m)
	return sum
}

// put sets sum to the digest that a mode asks for. Where the digest is a
// result, this spares a copy that would have to wait for these stores.
func (s *state) put(sum *[Size]byte, m Mode) {
	h := &s.h
	if m == DetectOnly && s.found {
		h = &s.plain
	}
	putValue(sum, h)
}

// putValue sets sum to the digest that is the chaining value h.
func putValue(sum *[Size]byte, h *[5]uint32) {
	binary.BigEndian.PutUint64(sum[0:], uint64(h[0])<<32|uint64(h[1]))
	binary.BigEndian.PutUint64(sum[8:], uint64(h[2])<<32|uint64(h[3]))
	binary.BigEndian.PutUint32(sum[16:], h[4])
}

// blocks adds whole blocks that start at byte offset of the message.
func (s *state) blocks(c Config, p []byte, offset uint64) {
	if s.found {
		s.plainBlocks(p)
	}
	for len(p) >= BlockSize {
		chunk := len(p)
		if active != generic && !c.ReducedRounds && !c.DisableUBC {
			n := active.add(&s.h, p)
			if p = p[n:]; len(p) == 0 {
				return
			}
			offset += uint64(n)
			chunk = min(len(p), chunkBlocks*BlockSize)
		}
		s.chunk(c, p, chunk, offset)
		p, offset = p[chunk:], offset+uint64(chunk)
	}
}

// chunk adds the first n bytes of the blocks p, as the published conditions and
// c say. If it finds the first attack, it starts the plain chain and adds all
// of p to that.
func (s *state) chunk(c Config, p []byte, n int, offset uint64) {
	var (
		w  [steps]uint32
		st testStates
	)
	for end := len(p) - n; len(p) > end; {
		in := s.h
		compressGeneric(&s.h, (*[BlockSize]byte)(p), &w, &st)
		p = p[BlockSize:]
		if mask := c.candidates(&w); mask != 0 {
			if dv, ok := attacked(mask, &w, &st, &in, &s.h, c.ReducedRounds); ok {
				if !s.found {
					s.found, s.dv, s.offset = true, uint8(dv), offset
					s.plain = s.h
					s.plainBlocks(p)
				}
				compressExpanded(&s.h, &w)
				compressExpanded(&s.h, &w)
			}
		}
		offset += BlockSize
	}
}

// plainBlocks adds whole blocks to the plain chain.
func (s *state) plainBlocks(p []byte) {
	var (
		w  [steps]uint32
		st testStates
	)
	for len(p) >= BlockSize {
		p = p[active.add(&s.plain, p):]
		for n := 0; n < chunkBlocks && len(p) >= BlockSize; n++ {
			compressGeneric(&s.plain, (*[BlockSize]byte)(p), &w, &st)
			p = p[BlockSize:]
		}
	}
}

// candidates returns the mask of the vectors to recheck.
func (c Config) candidates(w *[steps]uint32) uint32 {
	if c.DisableUBC {
		return 1<<len(disturbanceVectors) - 1
	}
	return filterGeneric(w)
}

// attacked rechecks the vectors in mask, lowest bit first, and returns the
// first with which the block is an attack. in and out are the block's chaining
// values.
func attacked(mask uint32, w *[steps]uint32, st *testStates, in, out *[5]uint32, reduced bool) (dv int, ok bool) {
	for ; mask != 0; mask &= mask - 1 {
		dv = bits.TrailingZeros32(mask)
		twinIn, twinOut := twin(dv, w, st)
		if twinOut == *out || reduced && twinIn == *in {
			return dv, true
		}
	}
	return 0, false
}

// twin returns the chaining values before and after the twin block that the
// vector with mask bit dv pairs with the block w. The two blocks collide if the
// twin's outgoing value equals the block's own.
func twin(dv int, w *[steps]uint32, states *testStates) (in, out [5]uint32) {
	v, dm := &disturbanceVectors[dv], &messageDifferences[dv]
	st := &states[v.testState]
	a, b, c, d, e := st[0], st[1], st[2], st[3], st[4]
	for t := v.testStep - 1; t >= 0; t-- {
		a, b, c, d, e = b, bits.RotateLeft32(c, 2), d, e,
			a-bits.RotateLeft32(b, 5)-roundFunc(t, bits.RotateLeft32(c, 2), d, e)-(w[t]^dm[t])
	}
	in = [5]uint32{a, b, c, d, e}

	a, b, c, d, e = st[0], st[1], st[2], st[3], st[4]
	for t := v.testStep; t < steps; t++ {
		a, b, c, d, e = e+(w[t]^dm[t])+roundFunc(t, b, c, d)+bits.RotateLeft32(a, 5),
			a, bits.RotateLeft32(b, 30), c, d
	}
	out = [5]uint32{in[0] + a, in[1] + b, in[2] + c, in[3] + d, in[4] + e}
	return in, out
}

// compressExpanded applies the compression function to h and a block already
// expanded.
func compressExpanded(h *[5]uint32, w *[steps]uint32) {
	a, b, c, d, e := h[0], h[1], h[2], h[3], h[4]
	for t := range steps {
		a, b, c, d, e = e+w[t]+roundFunc(t, b, c, d)+bits.RotateLeft32(a, 5),
			a, bits.RotateLeft32(b, 30), c, d
	}
	h[0] += a
	h[1] += b
	h[2] += c
	h[3] += d
	h[4] += e
}

// roundFunc returns the Boolean function of step t plus its constant.
func roundFunc(t int, b, c, d uint32) uint32 {
	switch t / 20 {
	case 0:
		return ((c^d)&b ^ d) + k0
	case 1:
		return (b ^ c ^ d) + k1
	case 2:
		return ((b|c)&d | b&c) + k2
	}
	return (b ^ c ^ d) + k3
}
