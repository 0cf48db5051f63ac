package sha1dc

import (
	"fmt"
	"testing"
)

// Ratios to crypto/sha1 come from make bench, which interleaves the two.
func BenchmarkSum(b *testing.B) {
	pool := random(16<<20, 20)
	for _, size := range []int{64, 256, 1 << 10, 16 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			at := 0
			for b.Loop() {
				Sum(pool[at : at+size])
				if at += size; at+size > len(pool) {
					at = 0
				}
			}
		})
	}
}
