package dvs

import "math/bits"

// Expand returns the 80 expanded words of a block: SHA-1's message recurrence
// (FIPS 180-4, section 6.1.2).
func Expand(block [16]uint32) [Steps]uint32 {
	var w [Steps]uint32
	copy(w[:], block[:])
	for t := 16; t < Steps; t++ {
		w[t] = bits.RotateLeft32(w[t-3]^w[t-8]^w[t-14]^w[t-16], 1)
	}
	return w
}
