package solver

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// set is a set of small numbers. Two sets that are compared have the same
// length.
type set []uint64

func newSet(size int, members ...int) set {
	s := make(set, (size+63)/64)
	for _, m := range members {
		s.add(m)
	}
	return s
}

func (s set) add(n int)      { s[n/64] |= 1 << (n % 64) }
func (s set) remove(n int)   { s[n/64] &^= 1 << (n % 64) }
func (s set) has(n int) bool { return s[n/64]>>(n%64)&1 != 0 }

func (s set) len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s set) includes(t set) bool {
	for n := range s {
		if t[n]&^s[n] != 0 {
			return false
		}
	}
	return true
}

func (s set) meets(t set) bool {
	for n := range s {
		if s[n]&t[n] != 0 {
			return true
		}
	}
	return false
}

// shared returns how many members s and t have in common.
func (s set) shared(t set) int {
	n := 0
	for k := range s {
		n += bits.OnesCount64(s[k] & t[k])
	}
	return n
}

// members returns the numbers in ascending order.
func (s set) members() []int {
	var out []int
	for n, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, 64*n+bits.TrailingZeros64(w))
		}
	}
	return out
}

// distinct is a collection of sets, each once, in the order of their first
// occurrence.
type distinct struct {
	seen map[string]bool
	sets []set
	key  []byte
}

// add takes in a copy of s.
func (d *distinct) add(s set) {
	if d.seen == nil {
		d.seen = make(map[string]bool)
	}
	d.key = d.key[:0]
	for _, w := range s {
		d.key = binary.LittleEndian.AppendUint64(d.key, w)
	}
	if !d.seen[string(d.key)] {
		d.seen[string(d.key)] = true
		d.sets = append(d.sets, slices.Clone(s))
	}
}
