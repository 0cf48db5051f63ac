package prove

import "fmt"

// maxBlocks is the number of blocks of the longest call that is explored: two
// chunks of twelve, or three batches of eight, and what is left over.
const maxBlocks = 26

// calls are scenarios, each of which has the stack and the tables elsewhere.
type calls []scenario

// add adds a call with so many blocks, that survive for the given vectors.
func (c *calls) add(name string, blocks int, masks ...uint32) *scenario {
	n := uint64(len(*c))
	*c = append(*c, scenario{name: name, blocks: blocks, masks: masks, stack: n % 8 * 8, data: n / 8 % 2 * 32})
	return &(*c)[n]
}

// at returns masks of blocks of which one survives.
func at(block int, mask uint32) []uint32 {
	m := make([]uint32, block+1)
	m[block] = mask
	return m
}

// of is the block that a vector survives in, the same in most calls, since every
// other pair of the two costs a recheck to compare with.
func of(dv int) int { return dv * 7 % maxBlocks }

// every returns masks of which each vector survives in one.
func every() (masks []uint32) {
	for dv := range 32 {
		masks = append(masks, make([]uint32, max(0, of(dv)+1-len(masks)))...)
		masks[of(dv)] |= 1 << dv
	}
	return masks
}

// scenarios are the calls that are explored. The filter is proved for every
// message in each of them; what a kernel does with the survivors is proved for
// those here: none, every vector alone, at many places of chunks of several
// sizes, and vectors and blocks together.
func scenarios() []scenario {
	var out calls
	for _, n := range []int{1, 2, 7, 8, 9, 12, 13, 16, 17, 24, 25, maxBlocks} {
		out.add(fmt.Sprintf("%d blocks, none survives", n), n)
	}
	for dv := range 32 {
		out.add(fmt.Sprintf("%d blocks, block %d survives for vector %d", maxBlocks, of(dv), dv), maxBlocks, at(of(dv), 1<<dv)...)
		out.add(fmt.Sprintf("%d blocks, the last survives for vector %d", of(dv)+1, dv), of(dv)+1, at(of(dv), 1<<dv)...)
	}
	for _, mask := range []uint32{1<<2 | 1<<3, 1<<4 | 1<<26, 1<<0 | 1<<9, 1<<1 | 1<<27, 1<<8 | 1<<30 | 1<<31, 1<<0 | 1<<10 | 1<<12 | 1<<28 | 1<<31, 0x0007ffc0, ^uint32(0)} {
		for _, n := range []int{1, 2, 9, 14} {
			out.add(fmt.Sprintf("%d blocks, the first survives for vectors %08x", n, mask), n, mask)
		}
	}
	// More than any list of survivors that a kernel keeps from one chunk to the next.
	out.add("14 blocks, the first two survive for 25 vectors each", 14, 0x07fffffc, 0x07fffffc)
	every := every()
	for _, n := range []int{7, 13, maxBlocks} {
		out.add(fmt.Sprintf("%d blocks, each survives for a vector or two", n), n, every[:n]...)
	}
	few := make([]uint32, maxBlocks)
	for _, n := range []int{0, 3, 4, 12, 13, 16, 18, 24, 25} {
		few[n] = every[n]
	}
	out.add("26 blocks, some survive in each chunk", maxBlocks, few...)
	return out
}

// scenarios are the calls that the kernel is explored in.
func (k Kernel) scenarios() []scenario {
	var out calls = scenarios()
	out.addLanes(k.Lanes)
	if k.First > 0 {
		out.addParts()
	}
	if k.Ends {
		out.addEnds()
	}
	return out
}

// addLanes adds calls in which each vector alone survives in each of the blocks
// that a kernel takes at once.
func (c *calls) addLanes(lanes int) {
	for lane := range lanes {
		for dv := range 32 {
			c.add(fmt.Sprintf("%d blocks, block %d survives for vector %d", lanes, lane, dv), lanes, at(lane, 1<<dv)...)
		}
	}
}

// addParts adds calls for a filter of two parts, in which the first keeps some
// blocks and the second dismisses them.
func (c *calls) addParts() {
	for dv := range 32 {
		n := of(dv) + 1
		c.add(fmt.Sprintf("%d blocks, the first part keeps the last for vector %d", n, dv), n).first = at(of(dv), 1<<dv)
		c.add(fmt.Sprintf("%d blocks, the last survives for vector %d, the first part keeps it for others", n, dv), n, at(of(dv), 1<<dv)...).first = at(of(dv), 0x11111111<<(dv%4))
	}
	for _, n := range []int{1, 13, maxBlocks} {
		c.add(fmt.Sprintf("%d blocks, the first part keeps each for a vector or two", n), n).first = every()[:n]
		c.add(fmt.Sprintf("%d blocks, the first survives, the first part keeps each for a vector or two", n), n, 1<<0).first = every()[:n]
	}
}

// addEnds adds the same calls with ends: one to three blocks of most messages,
// and all of short ones. In every other of these, the last block is not to be
// looked at, and survives in vain.
func (c *calls) addEnds() {
	for n, s := range scenarios() {
		s.end = min(1+n%3, s.blocks)
		s.name += fmt.Sprintf(", %d of them at the end", s.end)
		s.stack, s.data = s.stack^8, s.data^32
		if n%2 == 0 {
			s.name += ", the last is clear"
			s.clear = true
		}
		*c = append(*c, s)
	}
}
