package solver

import "math/bits"

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

// key returns s as a map key.
func (s set) key() string {
	b := make([]byte, 0, 8*len(s))
	for _, w := range s {
		for k := 0; k < 64; k += 8 {
			b = append(b, byte(w>>k))
		}
	}
	return string(b)
}
