//go:build gc && !purego && !noasm

package sha1dc

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name string
		goos string
		reported
		want    features
		backend backend
	}{
		{"Cortex-A72 of a Raspberry Pi 4", "linux", reported{}, 0, generic},
		{"Neoverse N1", "linux", reported{sha1: true}, sha, sha1NEON2},
		{"Neoverse V1", "linux", reported{sha1: true, sha3: true, sve: true}, sha | wide, sha1NEON},
		{"Neoverse N2 or V2", "linux", reported{sha1: true, sha3: true, sve: true, sve2: true}, sha, sha1NEON2},
		{"SVE alone", "linux", reported{sha1: true, sve: true}, sha | wide, sha1NEON},
		{"SHA-3 alone, as in an M1", "linux", reported{sha1: true, sha3: true}, sha | wide, sha1NEON},
		{"SVE without SHA-1", "linux", reported{sve: true}, wide, generic},
		{"Windows", "windows", reported{sha1: true}, sha, sha1NEON2},
		{"Windows, without SHA-1", "windows", reported{}, 0, generic},
		{"Android", "android", reported{}, 0, generic},
		{"FreeBSD", "freebsd", reported{}, 0, generic},
		{"macOS", "darwin", reported{}, sha | wide, sha1NEON},
		{"iOS", "ios", reported{}, sha | wide, sha1NEON},
	} {
		got := detect(c.goos, c.reported)
		if got != c.want || choose(got) != c.backend {
			t.Errorf("%s: features %b and backend %v, want %b and %v", c.name, got, choose(got), c.want, c.backend)
		}
	}
}

func TestDebug(t *testing.T) {
	for _, c := range []struct {
		godebug    string
		have, want features
	}{
		{"", sha, sha},
		{"cpu.sha1=off", sha, 0},
		{"cpu.all=off", sha, 0},
		{"gctrace=1,cpu.sha1=off,cpu.sha1=on", sha, sha},
		{"cpu.sha1=on", 0, 0},
		{"cpu.sha=off,cpu.sha1,cpu.sha1=of", sha, sha},
		{"cpu.all=off", sha | wide, wide},
	} {
		if got := c.have.debug(c.godebug); got != c.want {
			t.Errorf("%q: features %b, want %b", c.godebug, got, c.want)
		}
	}
}

// The kernel of the system has its own opinion of the processor. An emulator
// shows that of another one, so SHA1DC_BACKENDS says what to expect there.
func TestDetectHost(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || os.Getenv("SHA1DC_BACKENDS") != "" || os.Getenv("GODEBUG") != "" {
		t.Log("no independent list of features")
		return
	}
	_, list, ok := strings.Cut(string(info), "\nFeatures")
	if !ok {
		t.Log("/proc/cpuinfo lists no features of this architecture")
		return
	}
	list, _, _ = strings.Cut(list, "\n")
	if listed := slices.Contains(strings.Fields(list), "sha1"); listed != (host&sha != 0) {
		t.Errorf("SHA-1 instructions detected: %v, listed in /proc/cpuinfo: %v", host&sha != 0, listed)
	}
}
