//go:build gc && !purego && !noasm

package sha1dc

const (
	sha1NEON backend = iota
	generic
)

var backends = [...]backendInfo{
	sha1NEON: {"sha1-neon", sha, 0},
	generic:  {"generic", 0, 0},
}

// kernel adds up to n blocks at p to h, at most callBlocks, and returns their
// number. It stops before a chunk of up to chunkBlocks that holds an attack. The
// calls are static, so that no argument escapes to the heap.
func (b backend) kernel(h *[5]uint32, p *byte, n int) (done int) {
	switch b {
	case sha1NEON:
		return blocksSHA1NEON(h, p, n)
	}
	return 0
}
