//go:build gc && !purego && !noasm

package sha1dc

import (
	"os"
	"runtime"

	"golang.org/x/sys/cpu"
)

const (
	sha  features = 1 << iota // the SHA-1 instructions; every ARMv8 processor has NEON
	wide                      // four vector pipes for SHA-1 and the filter
)

// cpuFeatures are the names of features in GODEBUG. Package cpu switches off
// others that it reports.
var cpuFeatures = [...]struct {
	feature features
	name    string
}{{sha, "sha1"}}

// host is what this processor can do.
var host = detect(runtime.GOOS, reported{
	sha1: cpu.ARM64.HasSHA1, sha3: cpu.ARM64.HasSHA3, sve: cpu.ARM64.HasSVE, sve2: cpu.ARM64.HasSVE2,
}).debug(os.Getenv("GODEBUG"))

// reported is what the system tells of a processor.
type reported struct{ sha1, sha3, sve, sve2 bool }

// detect returns the features of a processor. Nothing reports the number of
// vector pipes: before SVE2 only processors with four have SHA-3 or SVE, but of
// those with SVE2 Neoverse N2 has two and V2 four. Apple's systems report nothing
// to package cpu, but all of their processors have SHA-1, and most four pipes.
func detect(goos string, r reported) features {
	var f features
	apple := goos == "darwin" || goos == "ios"
	if r.sha1 || apple {
		f |= sha
	}
	if (r.sha3 || r.sve) && !r.sve2 || apple {
		f |= wide
	}
	return f
}
