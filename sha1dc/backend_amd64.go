//go:build gc && !purego && !noasm

package sha1dc

// The kernels for Intel's processors avoid what is slow there: SHA1MSG2, and any
// SSE instruction while the upper half of a register 0 to 15 is in use. Unknown
// processors get them too, since they lose little elsewhere.
const (
	shaniAVX512 backend = iota
	shaniAVX512Intel
	shaniAVX2
	shaniAVX2Intel
	shaniSSE
	avx512Kernel
	avx2Kernel
	generic
)

var backends = [...]backendInfo{
	shaniAVX512:      {"shani-avx512", needSHANI | needAVX512, amd},
	shaniAVX512Intel: {"shani-avx512-intel", needSHANI | needAVX512, 0},
	shaniAVX2:        {"shani-avx2", needSHANI | avx | avx2, amd},
	shaniAVX2Intel:   {"shani-avx2-intel", needSHANI | avx | avx2, 0},
	shaniSSE:         {"shani-sse", needSHANI, 0},
	avx512Kernel:     {"avx512", needBMI | needAVX512, 0},
	avx2Kernel:       {"avx2", needBMI | avx | avx2, 0},
	generic:          {"generic", 0, 0},
}

const (
	needSHANI  = sha | ssse3 | sse41
	needBMI    = bmi1 | bmi2
	needAVX512 = avx | avx2 | avx512f | avx512bw | avx512dq | avx512vl
)

// addsEnds reports whether b has kernelEnd.
func (b backend) addsEnds() bool { return b <= shaniSSE }

// kernelEnd is kernelWith for n blocks at p and m at end. If clear is 1, the last
// block is no attack, and not looked at.
func (b backend) kernelEnd(h *[5]uint32, p *byte, n int, end *byte, m, clear int, dm *differences) (done int) {
	switch b {
	case shaniAVX512:
		return blocksSHANIAVX512(h, p, n, end, m, clear, dm)
	case shaniAVX512Intel:
		return blocksSHANIAVX512Intel(h, p, n, end, m, clear, dm)
	case shaniAVX2:
		return blocksSHANIAVX2(h, p, n, end, m, clear, dm)
	case shaniAVX2Intel:
		return blocksSHANIAVX2Intel(h, p, n, end, m, clear, dm)
	case shaniSSE:
		return blocksSHANISSE(h, p, n, end, m, clear, dm)
	}
	return 0
}

// kernelWith adds up to n blocks at p to h, at most callBlocks, and returns their
// number. It stops before a chunk of up to chunkBlocks that holds an attack with
// the message differences dm. The calls are static, so that no argument escapes
// to the heap.
func (b backend) kernelWith(h *[5]uint32, p *byte, n int, dm *differences) (done int) {
	switch b {
	case avx512Kernel:
		return blocksAVX512(h, p, n, dm)
	case avx2Kernel:
		return blocksAVX2(h, p, n, dm)
	}
	return b.kernelEnd(h, p, n, nil, 0, 0, dm)
}
