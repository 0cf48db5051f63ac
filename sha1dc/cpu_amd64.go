//go:build gc && !purego && !noasm

package sha1dc

import "os"

const (
	ssse3 features = 1 << iota
	sse41
	sha
	avx
	avx2
	bmi1
	bmi2
	avx512f
	avx512bw
	avx512dq
	avx512vl
	amd // made by AMD, or after its design by Hygon
)

// Names of makers, four letters a word.
var (
	authenticAMD = [3]uint32{0x68747541, 0x69746e65, 0x444d4163}
	hygonGenuine = [3]uint32{0x6f677948, 0x6e65476e, 0x656e6975}
)

// osxsave is the bit in ECX of leaf 1 that says that XGETBV works.
const osxsave = 1 << 27

// The register state that the system must save, as bits of XCR0.
const (
	xmmState    = 1 << 1
	ymmState    = 1<<2 | xmmState
	avx512State = 1<<5 | 1<<6 | 1<<7 | ymmState // opmasks, ZMM0-15, ZMM16-31
)

// cpuFeatures tells how CPUID reports each feature, and what else it takes.
var cpuFeatures = [...]struct {
	feature features
	name    string // in GODEBUG
	leaf    uint32 // in ECX of leaf 1, in EBX of leaf 7
	bit     uint
	state   uint32
}{
	{ssse3, "ssse3", 1, 9, 0},
	{sse41, "sse41", 1, 19, 0},
	{avx, "avx", 1, 28, ymmState},
	{bmi1, "bmi1", 7, 3, 0},
	{avx2, "avx2", 7, 5, ymmState},
	{bmi2, "bmi2", 7, 8, 0},
	{avx512f, "avx512f", 7, 16, avx512State},
	{avx512dq, "avx512dq", 7, 17, avx512State},
	{sha, "sha", 7, 29, 0},
	{avx512bw, "avx512bw", 7, 30, avx512State},
	{avx512vl, "avx512vl", 7, 31, avx512State},
}

// host is what this processor can do and the system supports. On macOS XCR0
// shows AVX-512 only to threads that have used it, so it is not found there.
var host = detect(cpuid, xgetbv).debug(os.Getenv("GODEBUG"))

// detect returns the features that the instructions CPUID and XGETBV report. It
// calls xgetbv only if the system has enabled that.
func detect(cpuid func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32), xgetbv func() uint32) features {
	highest, vendor1, vendor3, vendor2 := cpuid(0, 0)
	if highest < 1 {
		return 0
	}
	_, _, ecx1, _ := cpuid(1, 0)
	var ebx7 uint32 // beyond the highest leaf CPUID returns anything
	if highest >= 7 {
		_, ebx7, _, _ = cpuid(7, 0)
	}
	var saved uint32
	if ecx1&osxsave != 0 {
		saved = xgetbv()
	}
	var f features
	switch [3]uint32{vendor1, vendor2, vendor3} {
	case authenticAMD, hygonGenuine:
		f = amd
	}
	for _, c := range cpuFeatures {
		reported := ecx1
		if c.leaf == 7 {
			reported = ebx7
		}
		if reported>>c.bit&1 != 0 && saved&c.state == c.state {
			f |= c.feature
		}
	}
	return f
}
