//go:build gc && !purego && !noasm

package sha1dc

import (
	"os"
	"runtime"

	"golang.org/x/sys/cpu"
)

const (
	sha  features = 1 << iota // the SHA-1 instructions; every ARMv8 processor has NEON
	wide                      // four vector pipes, as far as can be told
)

// cpuFeatures are the names of features in GODEBUG. Package cpu switches off
// others that it reports.
var cpuFeatures = [...]struct {
	feature features
	name    string
}{{sha, "sha1"}}

// host is what this processor can do.
var host = detect(runtime.GOOS, reported{
	sha1: cpu.ARM64.HasSHA1, sha3: cpu.ARM64.HasSHA3, sve: cpu.ARM64.HasSVE,
}).debug(os.Getenv("GODEBUG"))

// reported is what the system tells of a processor.
type reported struct{ sha1, sha3, sve bool }

// detect returns the features of a processor. Apple's systems report nothing to
// package cpu, but run on no processor without SHA-1, and on none that is new
// with two vector pipes.
func detect(goos string, r reported) features {
	var f features
	apple := goos == "darwin" || goos == "ios"
	if r.sha1 || apple {
		f |= sha
	}
	if r.sha3 || r.sve || apple {
		f |= wide
	}
	return f
}
