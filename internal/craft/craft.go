// Package craft makes message blocks that meet chosen bit conditions. The
// expanded message is linear in the block over GF(2), so conditions are linear
// equations in its 512 bits: solve them and fill the free bits at random. Tests
// use it to reach blocks that random data almost never holds.
package craft

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/sha1dc/go/internal/dvs"
)

// form is a sum over GF(2) of bits of the block, bit b of word i being bit
// 32*i+b, plus the constant one if that is set.
type form struct {
	sum [8]uint64
	one bool
}

func (f *form) add(g *form) {
	for n := range f.sum {
		f.sum[n] ^= g.sum[n]
	}
	f.one = f.one != g.one
}

// leading returns the highest bit of the block in f, or -1.
func (f *form) leading() int {
	for n := len(f.sum) - 1; n >= 0; n-- {
		if f.sum[n] != 0 {
			return 64*n + 63 - bits.LeadingZeros64(f.sum[n])
		}
	}
	return -1
}

// forms returns each bit of the expanded message as a form.
var forms = sync.OnceValue(func() *[dvs.Steps][32]form {
	var out [dvs.Steps][32]form
	for bit := range 512 {
		var block [16]uint32
		block[bit/32] = 1 << (bit % 32)
		for t, w := range dvs.Expand(block) {
			for ; w != 0; w &= w - 1 {
				out[t][bits.TrailingZeros32(w)].sum[bit/64] |= 1 << (bit % 64)
			}
		}
	}
	return &out
})

// System is a set of linear conditions on a block. The zero value has none.
type System struct {
	rows [512]*form // by leading bit, which is pivot of its row
	rank int
}

// Add adds conditions to the system. It fails on the first that contradicts
// those before it, which then is not added.
func (s *System) Add(edges ...dvs.Edge) error {
	f := forms()
	for _, e := range edges {
		row := f[e.I][e.A]
		row.add(&f[e.J][e.B])
		row.one = e.C == 1
		if !s.insert(&row) {
			return fmt.Errorf("no block meets %v beside the conditions before it", e)
		}
	}
	return nil
}

func (s *System) insert(row *form) bool {
	for {
		p := row.leading()
		if p < 0 {
			return !row.one
		}
		if s.rows[p] == nil {
			s.rows[p] = row
			s.rank++
			return true
		}
		row.add(s.rows[p])
	}
}

// Rank returns the number of independent conditions.
func (s *System) Rank() int { return s.rank }

// Block returns a random block that meets all conditions.
func (s *System) Block(rng *rand.Rand) [16]uint32 {
	var x [8]uint64
	for n := range x {
		x[n] = rng.Uint64()
	}
	// A row determines its pivot from lower bits, so go upwards.
	for p, row := range s.rows {
		if row == nil {
			continue
		}
		parity := 0
		for n, m := range row.sum {
			parity ^= bits.OnesCount64(m&x[n]) & 1
		}
		if (parity == 1) != row.one {
			x[p/64] ^= 1 << (p % 64)
		}
	}
	var block [16]uint32
	for n := range block {
		block[n] = uint32(x[n/2] >> (32 * (n % 2)))
	}
	return block
}

// Conditions returns the edges of table that concern the vector with mask bit
// dv.
func Conditions(table *dvs.Table, dv int) []dvs.Edge {
	var out []dvs.Edge
	for _, c := range table.Conditions {
		if c.DVs.Has(dv) {
			out = append(out, c.Edge)
		}
	}
	return out
}

// Passing returns a random block that meets all conditions of the vector with
// mask bit dv.
func Passing(table *dvs.Table, dv int, rng *rand.Rand) [16]uint32 {
	var s System
	if err := s.Add(Conditions(table, dv)...); err != nil {
		panic(err) // a table's conditions are consistent for each vector
	}
	return s.Block(rng)
}

// NearMiss returns a random block that meets all conditions of the vector with
// mask bit dv but the one with index broken among Conditions(table, dv).
func NearMiss(table *dvs.Table, dv, broken int, rng *rand.Rand) [16]uint32 {
	edges := Conditions(table, dv)
	edges[broken].C ^= 1
	var s System
	if err := s.Add(edges...); err != nil {
		panic(err) // they are independent, so any right-hand side has solutions
	}
	return s.Block(rng)
}

// MostVectors returns the largest set of vectors whose conditions a block can
// meet all at once, and the system of these conditions. It is what the worst
// hostile input consists of.
func MostVectors(table *dvs.Table) (dvs.Mask, *System) {
	var (
		best   dvs.Mask
		system System
		extend func(dv int, set dvs.Mask, s System)
	)
	extend = func(dv int, set dvs.Mask, s System) {
		if set.Len() > best.Len() {
			best, system = set, s
		}
		if set.Len()+dvs.Count-dv <= best.Len() {
			return
		}
		with := s // rows are never changed once they are in a system
		if with.Add(Conditions(table, dv)...) == nil {
			extend(dv+1, set|1<<dv, with)
		}
		extend(dv+1, set, s)
	}
	extend(0, 0, System{})
	return best, &system
}

// Bytes returns the block as the bytes of a message.
func Bytes(block [16]uint32) []byte {
	out := make([]byte, 0, 64)
	for _, w := range block {
		out = append(out, byte(w>>24), byte(w>>16), byte(w>>8), byte(w))
	}
	return out
}
