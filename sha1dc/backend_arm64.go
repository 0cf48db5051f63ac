//go:build gc && !purego && !noasm

package sha1dc

// sha1NEON is for processors with four vector pipes. sha1NEON2 is for those with
// two and for those that may have either.
const (
	sha1NEON backend = iota
	sha1NEON2
	generic
)

var backends = [...]backendInfo{
	sha1NEON:  {"sha1-neon", sha, wide},
	sha1NEON2: {"sha1-neon2", sha, 0},
	generic:   {"generic", 0, 0},
}

// kernelWith adds up to n blocks at p to h, at most callBlocks, and returns their
// number. It stops before a chunk of up to chunkBlocks that holds an attack with
// the message differences dm. The calls are static, so that no argument escapes
// to the heap.
func (b backend) kernelWith(h *[5]uint32, p *byte, n int, dm *differences) (done int) {
	switch b {
	case sha1NEON:
		return blocksSHA1NEON(h, p, n, dm)
	case sha1NEON2:
		return blocksSHA1NEON2(h, p, n, dm)
	}
	return 0
}

// addsEnds reports whether b has kernelEnd.
func (b backend) addsEnds() bool { return false }

// kernelEnd is for kernels of other architectures.
func (b backend) kernelEnd(h *[5]uint32, p *byte, n int, end *byte, m, clear int, dm *differences) (done int) {
	return 0
}
