package sha1dc

import "unsafe"

// backend is a way to add blocks to a chaining value: generic is pure Go, each
// other has a kernel in assembly. The constants are in order of preference, and
// generic is the last.
type backend uint8

// backendInfo says what a backend is called, what a processor must have to run
// it, and what else for it to be the best choice there.
type backendInfo struct {
	name         string
	needs, suits features
}

// features is a set of what a processor can do. Its bits differ between
// architectures.
type features uint32

const (
	// chunkBlocks is the number of blocks whose survivors a kernel rechecks
	// together.
	chunkBlocks = 12

	// callBlocks bounds the blocks of one call of a kernel to 64 KiB. A goroutine
	// cannot be stopped in assembly, and the garbage collector waits for it.
	callBlocks = 1024
)

// active is the backend in use, chosen once. Only tests change it.
var active = choose(host)

// choose returns the best backend for a processor with the features f.
func choose(f features) backend {
	b := backend(0)
	for !b.runs(f) || !b.suits(f) {
		b++
	}
	return b
}

// runs reports whether a processor with the features f can run b.
func (b backend) runs(f features) bool { return backends[b].needs&^f == 0 }

// suits reports whether b is made for processors with the features f.
func (b backend) suits(f features) bool { return backends[b].suits&^f == 0 }

// String returns the name of b.
func (b backend) String() string { return backends[b].name }

// kernel is kernelWith for attacks as they are.
func (b backend) kernel(h *[5]uint32, p *byte, n int) (done int) {
	return b.kernelWith(h, p, n, &messageDifferences)
}

// add adds whole blocks to h up to the first chunk that holds an attack, and
// returns the number of bytes added. Attacks are those on full SHA-1, found with
// a filter that may be weaker than the published conditions. It adds nothing
// without a kernel.
func (b backend) add(h *[5]uint32, p []byte) (done int) {
	return b.addWith(h, p, &messageDifferences)
}

// addWith is add for attacks with the message differences dm.
func (b backend) addWith(h *[5]uint32, p []byte, dm *differences) (done int) {
	for len(p) >= BlockSize {
		n := min(len(p)/BlockSize, callBlocks)
		m := b.kernelWith(h, &p[0], n, dm)
		done += m * BlockSize
		if m < n {
			break
		}
		p = p[m*BlockSize:]
	}
	return done
}

// addEnd is add for whole blocks and the one or two blocks of the end of the
// message behind them. If clear is 1, the last one is no attack, and the kernel
// need not look.
func (b backend) addEnd(h *[5]uint32, p, end []byte, clear int) (done int) {
	if n := len(p)/BlockSize - (callBlocks - 2); n > 0 {
		n *= BlockSize
		if done = b.add(h, p[:n]); done < n {
			return done
		}
		p = p[n:]
	}
	n := b.kernelEnd(h, unsafe.SliceData(p), len(p)/BlockSize, &end[0], len(end)/BlockSize, clear, &messageDifferences)
	return done + n*BlockSize
}

// Backends returns the names of the backends that this processor can run: the
// one in use, and then the others in the order in which they would take its
// place. "generic" is pure Go. [SelfTest] tests all of them.
//
// A backend is switched off together with an extension that it needs, by the
// environment variable GODEBUG when the program starts: "cpu.avx512f=off",
// "cpu.avx2=off", "cpu.sha=off", on arm64 "cpu.sha1=off", or "cpu.all=off" for all
// of them. The build tag purego, or noasm, leaves pure Go alone.
func Backends() []string {
	names := []string{active.String()}
	for _, suits := range []bool{true, false} {
		for n := range backends {
			if b := backend(n); b != active && b.runs(host) && b.suits(host) == suits {
				names = append(names, b.String())
			}
		}
	}
	return names
}
