package prove

import "fmt"

// maxBlocks is the number of blocks of the longest call that is explored: two
// chunks of twelve, or three batches of eight, and what is left over.
const maxBlocks = 26

// scenarios are the calls that are explored. The filter is proved for every
// message in each of them; what a kernel does with the survivors is proved for
// those here: none, every vector alone, at many places of chunks of several
// sizes, and vectors and blocks together.
func scenarios() []scenario {
	var out []scenario
	add := func(name string, blocks int, masks ...uint32) {
		n := uint64(len(out))
		out = append(out, scenario{name: name, blocks: blocks, masks: masks, stack: n % 8 * 8, data: n / 8 % 2 * 32})
	}
	at := func(block int, mask uint32) []uint32 {
		m := make([]uint32, block+1)
		m[block] = mask
		return m
	}
	for _, n := range []int{1, 2, 7, 8, 9, 12, 13, 16, 17, 24, 25, maxBlocks} {
		add(fmt.Sprintf("%d blocks, none survives", n), n)
	}
	// A vector survives in the same block in most calls, since every other pair of
	// the two costs a recheck to compare with.
	of := func(dv int) int { return dv * 7 % maxBlocks }
	for dv := range 32 {
		add(fmt.Sprintf("%d blocks, block %d survives for vector %d", maxBlocks, of(dv), dv), maxBlocks, at(of(dv), 1<<dv)...)
		add(fmt.Sprintf("%d blocks, the last survives for vector %d", of(dv)+1, dv), of(dv)+1, at(of(dv), 1<<dv)...)
	}
	for _, mask := range []uint32{1<<2 | 1<<3, 1<<4 | 1<<26, 1<<0 | 1<<9, 1<<1 | 1<<27, 1<<8 | 1<<30 | 1<<31, 1<<0 | 1<<10 | 1<<12 | 1<<28 | 1<<31, 0x0007ffc0, ^uint32(0)} {
		for _, n := range []int{1, 2, 9, 14} {
			add(fmt.Sprintf("%d blocks, the first survives for vectors %08x", n, mask), n, mask)
		}
	}
	// More than any list of survivors that a kernel keeps from one chunk to the next.
	add("14 blocks, the first two survive for 25 vectors each", 14, 0x07fffffc, 0x07fffffc)
	var every []uint32
	for dv := range 32 {
		every = append(every, make([]uint32, max(0, of(dv)+1-len(every)))...)
		every[of(dv)] |= 1 << dv
	}
	for _, n := range []int{7, 13, maxBlocks} {
		add(fmt.Sprintf("%d blocks, each survives for a vector or two", n), n, every[:n]...)
	}
	few := make([]uint32, maxBlocks)
	for _, n := range []int{0, 3, 4, 12, 13, 16, 18, 24, 25} {
		few[n] = every[n]
	}
	add("26 blocks, some survive in each chunk", maxBlocks, few...)
	return out
}
