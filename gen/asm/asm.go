// Package asm is what the kernels of all architectures have in common: the size
// of a chunk, the steps of rechecks, how instruction streams are merged, and the
// layout of what is kept of a block.
package asm

import "github.com/sha1dc/go/internal/dvs"

// ChunkBlocks is the number of blocks whose survivors are rechecked together.
const ChunkBlocks = 12

// TestSteps returns the test steps in the order of how often random blocks
// need them, and the vectors of each.
func TestSteps() (steps []int, vectors map[int]dvs.Mask) {
	vectors = make(map[int]dvs.Mask)
	for n, d := range dvs.All() {
		vectors[d.TestStep()] |= 1 << n
	}
	return []int{60, 56, 64, 68}, vectors
}

// Spread returns main with side spread evenly over it, from the fraction from of
// main to the fraction to, keeping the order within each.
func Spread[I any](main, side []I, from, to float64) []I {
	var out []I
	m, n := len(main), len(side)
	next := 0
	for at, i := range main {
		for next < n {
			due := (from + (to-from)*float64(next)/float64(n)) * float64(m)
			if float64(at) < due {
				break
			}
			out = append(out, side[next])
			next++
		}
		out = append(out, i)
	}
	return append(out, side[next:]...)
}
