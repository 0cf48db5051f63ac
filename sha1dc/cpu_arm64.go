//go:build gc && !purego && !noasm

package sha1dc

import (
	"os"
	"runtime"

	"golang.org/x/sys/cpu"
)

// sha is the SHA-1 instructions of ARMv8. Every ARMv8 processor has NEON.
const sha features = 1

// cpuFeatures are the names of features in GODEBUG.
var cpuFeatures = [...]struct {
	feature features
	name    string
}{{sha, "sha1"}}

// host is what this processor can do.
var host = detect(runtime.GOOS, cpu.ARM64.HasSHA1).debug(os.Getenv("GODEBUG"))

// detect returns the features of a processor of which the system reports the
// SHA-1 instructions, or not. Apple's systems report nothing to package cpu, but
// run on no processor without them.
func detect(goos string, reported bool) features {
	if reported || goos == "darwin" || goos == "ios" {
		return sha
	}
	return 0
}
