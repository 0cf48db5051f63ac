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
	for dv := range 32 {
		block := dv * 7 % maxBlocks
		add(fmt.Sprintf("%d blocks, block %d survives for vector %d", maxBlocks, block, dv), maxBlocks, at(block, 1<<dv)...)
		n := 1 + dv%13
		add(fmt.Sprintf("%d blocks, the last survives for vector %d", n, dv), n, at(n-1, 1<<dv)...)
	}
	for n, mask := range []uint32{1<<2 | 1<<3, 1<<4 | 1<<26, 1<<0 | 1<<9, 1<<1 | 1<<27, 1<<8 | 1<<30 | 1<<31, 1<<0 | 1<<10 | 1<<12 | 1<<28 | 1<<31} {
		add(fmt.Sprintf("14 blocks, block %d survives for vectors %08x", 3*n%12, mask), 14, at(3*n%12, mask)...)
		add(fmt.Sprintf("3 blocks, the last survives for vectors %08x", mask), 3, at(2, mask)...)
	}
	add("2 blocks, the first survives for all vectors", 2, ^uint32(0))
	add("13 blocks, the second survives for all vectors", 13, at(1, ^uint32(0))...)
	add("14 blocks, the third survives for 13 vectors", 14, at(2, 0x0007ffc0)...)
	var every []uint32
	for n := range maxBlocks {
		every = append(every, 1<<(2+n))
	}
	add("26 blocks, each survives for a vector", maxBlocks, every...)
	add("13 blocks, each survives for a vector", 13, every...)
	add("7 blocks, each survives for a vector", 7, every...)
	add("26 blocks, three survive in each chunk", maxBlocks, 1<<5, 0, 0, 1<<7|1<<30, 0, 0, 0, 0, 0, 0, 0, 1<<9, 1<<11, 0, 0, 1<<1, 0, 1<<12, 0, 0, 0, 0, 0, 1<<13, 1<<16, 1<<17)
	return out
}
