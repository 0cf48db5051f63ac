//go:build !gc || purego || noasm || !(amd64 || arm64)

package sha1dc

const generic backend = 0

var backends = [...]backendInfo{generic: {"generic", 0, 0}}

// host has no features, since no backend asks for any.
const host features = 0

// kernelWith adds nothing: no backend has a kernel.
func (b backend) kernelWith(h *[5]uint32, p *byte, n int, dm *differences) (done int) { return 0 }

// addsEnds reports whether b has kernelEnd.
func (b backend) addsEnds() bool { return false }

// kernelEnd is for kernels of other architectures.
func (b backend) kernelEnd(h *[5]uint32, p *byte, n int, end *byte, m, clear int, dm *differences) (done int) {
	return 0
}
