//go:build gc && !purego && !noasm

package sha1dc

import (
	"encoding/binary"
	"math/bits"
	"os"
	"strings"
	"testing"
)

// recorded is what a processor answers: its maker, CPUID's highest leaf, ECX of
// leaf 1, EBX of leaf 7, and XCR0.
type recorded struct {
	maker                     string
	highest, ecx1, ebx7, xcr0 uint32
}

func (r recorded) cpuid(leaf, _ uint32) (eax, ebx, ecx, edx uint32) {
	switch {
	case leaf == 0:
		word := func(n int) uint32 { return binary.LittleEndian.Uint32([]byte(r.maker)[4*n:]) }
		return r.highest, word(0), word(2), word(1)
	case leaf > r.highest: // Intel's answer: that of the highest leaf
		return 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff
	case leaf == 1:
		return 0, 0, r.ecx1, 0
	case leaf == 7:
		return 0, r.ebx7, 0, 0
	}
	return 0, 0, 0, 0
}

const intel = "GenuineIntel"

const everything = ssse3 | sse41 | sha | avx | avx2 | bmi1 | bmi2 | avx512f | avx512bw | avx512dq | avx512vl

var processors = []struct {
	name string
	recorded
	want features
}{
	{"Core 2 Duo", recorded{intel, 0xa, 0x0000e3bd, 0, 0}, ssse3},
	{"Nehalem", recorded{intel, 0xb, 0x0098e3bd, 0, 0}, ssse3 | sse41},
	{"Goldmont", recorded{intel, 0x15, 0x4ff8ebbf, 0x2294e283, 3}, ssse3 | sse41 | sha},
	{"Sandy Bridge", recorded{intel, 0xd, 0x1f9ae3bf, 0, 7}, ssse3 | sse41 | avx},
	{"Sandy Bridge, system without AVX", recorded{intel, 0xd, 0x179ae3bf, 0, 0}, ssse3 | sse41},
	{"Haswell", recorded{intel, 0xd, 0x7ffafbff, 0x000027ab, 7}, ssse3 | sse41 | avx | avx2 | bmi1 | bmi2},
	{"Haswell, AVX2 without BMI", recorded{intel, 0xd, 0x7fdafbff, 0x00002221, 7}, ssse3 | sse41 | avx | avx2},
	{"Haswell, YMM registers not saved", recorded{intel, 0xd, 0x7ffafbff, 0x000027ab, 3}, ssse3 | sse41 | bmi1 | bmi2},
	{"Haswell, XGETBV not enabled", recorded{intel, 0xd, 0x77fafbff, 0x000027ab, 7}, ssse3 | sse41 | bmi1 | bmi2},
	{"Haswell, CPUID limited to leaf 3", recorded{intel, 3, 0x7ffafbff, 0x000027ab, 7}, ssse3 | sse41 | avx},
	{"Zen 2", recorded{"AuthenticAMD", 0x10, 0x7ed8320b, 0x219c91a9, 7}, ssse3 | sse41 | sha | avx | avx2 | bmi1 | bmi2 | amd},
	{"Zen 4", recorded{"AuthenticAMD", 0x10, 0x7ef8320b, 0xf1bf97a9, 0xe7}, everything | amd},
	{"Zen 4, ZMM registers and opmasks not saved", recorded{"AuthenticAMD", 0x10, 0x7ef8320b, 0xf1bf97a9, 7}, ssse3 | sse41 | sha | avx | avx2 | bmi1 | bmi2 | amd},
	{"Dhyana", recorded{"HygonGenuine", 0xd, 0x7ed8320b, 0x209c01a9, 7}, ssse3 | sse41 | sha | avx | avx2 | bmi1 | bmi2 | amd},
	{"Zhaoxin with everything", recorded{"  Shanghai  ", 0x1b, 0x7ffafbbf, 0xf2bf27ef, 0xe7}, everything},
	{"Skylake-X", recorded{intel, 0x16, 0x7ffefbff, 0xd39ffffb, 0xe7}, everything &^ sha},
	{"Ice Lake", recorded{intel, 0x1b, 0x7ffafbbf, 0xf2bf27ef, 0xe7}, everything},
	{"Ice Lake, ZMM registers and opmasks not saved", recorded{intel, 0x1b, 0x7ffafbbf, 0xf2bf27ef, 7}, ssse3 | sse41 | sha | avx | avx2 | bmi1 | bmi2},
	{"Ice Lake, opmasks not saved", recorded{intel, 0x1b, 0x7ffafbbf, 0xf2bf27ef, 0xc7}, ssse3 | sse41 | sha | avx | avx2 | bmi1 | bmi2},
	{"Ice Lake, upper 16 ZMM registers not saved", recorded{intel, 0x1b, 0x7ffafbbf, 0xf2bf27ef, 0x67}, ssse3 | sse41 | sha | avx | avx2 | bmi1 | bmi2},
	{"Ice Lake, upper halves of ZMM registers not saved", recorded{intel, 0x1b, 0x7ffafbbf, 0xf2bf27ef, 0xa7}, ssse3 | sse41 | sha | avx | avx2 | bmi1 | bmi2},
	{"Ice Lake, SSE registers not saved", recorded{intel, 0x1b, 0x7ffafbbf, 0xf2bf27ef, 0xe5}, ssse3 | sse41 | sha | bmi1 | bmi2},
	{"Ice Lake, XGETBV not enabled", recorded{intel, 0x1b, 0x77fafbbf, 0xf2bf27ef, 0xe7}, ssse3 | sse41 | sha | bmi1 | bmi2},
	{"Knights Landing, AVX-512 without BW, DQ and VL", recorded{intel, 0xd, 0x7ff8f3bf, 0x1c0d23ab, 0xe7}, ssse3 | sse41 | avx | avx2 | bmi1 | bmi2 | avx512f},
	{"no leaf 1", recorded{intel, 0, 0xffffffff, 0xffffffff, 0xff}, 0},
}

func TestDetect(t *testing.T) {
	for _, p := range processors {
		xgetbv := func() uint32 {
			if p.highest < 1 || p.ecx1&osxsave == 0 {
				t.Errorf("%s: XGETBV used where it does not exist", p.name)
			}
			return p.xcr0
		}
		if got := detect(p.cpuid, xgetbv); got != p.want {
			t.Errorf("%s: features %b, want %b", p.name, got, p.want)
		}
	}
}

// Every backend needs all of what its functions use, so taking any one of these
// features away must select another.
func TestChoose(t *testing.T) {
	for b := range generic {
		needs, suits := backends[b].needs, backends[b].suits
		if bits.OnesCount32(uint32(needs)) == 0 {
			t.Errorf("%v needs nothing", b)
		}
		if got := choose(needs | suits); got != b {
			t.Errorf("%v chosen where %v runs", got, b)
		}
		for rest := needs; rest != 0; rest &= rest - 1 {
			if missing := rest & -rest; b.runs((everything | amd) &^ missing) {
				t.Errorf("%v runs without feature %b", b, missing)
			}
		}
	}
	for _, c := range chosen {
		found := false
		for _, p := range processors {
			if p.name == c.processor {
				found = true
				if got := choose(p.want); got != c.want {
					t.Errorf("%s: backend %v, want %v", p.name, got, c.want)
				}
			}
		}
		if !found {
			t.Errorf("no processor %q", c.processor)
		}
	}
}

// chosen is what the recorded processors must use.
var chosen = []struct {
	processor string
	want      backend
}{
	{"Core 2 Duo", generic},
	{"Nehalem", generic},
	{"Goldmont", shaniSSE},
	{"Sandy Bridge", generic},
	{"Sandy Bridge, system without AVX", generic},
	{"Haswell", avx2Kernel},
	{"Haswell, AVX2 without BMI", generic},
	{"Haswell, YMM registers not saved", generic},
	{"Haswell, XGETBV not enabled", generic},
	{"Haswell, CPUID limited to leaf 3", generic},
	{"Zen 2", shaniAVX2},
	{"Zen 4", shaniAVX512},
	{"Zen 4, ZMM registers and opmasks not saved", shaniAVX2},
	{"Dhyana", shaniAVX2},
	{"Zhaoxin with everything", shaniAVX512Intel},
	{"Skylake-X", avx512Kernel},
	{"Ice Lake", shaniAVX512Intel},
	{"Ice Lake, ZMM registers and opmasks not saved", shaniAVX2Intel},
	{"Ice Lake, opmasks not saved", shaniAVX2Intel},
	{"Ice Lake, upper 16 ZMM registers not saved", shaniAVX2Intel},
	{"Ice Lake, upper halves of ZMM registers not saved", shaniAVX2Intel},
	{"Ice Lake, SSE registers not saved", shaniSSE},
	{"Ice Lake, XGETBV not enabled", shaniSSE},
	{"Knights Landing, AVX-512 without BW, DQ and VL", avx2Kernel},
	{"no leaf 1", generic},
}

func TestDebug(t *testing.T) {
	for _, c := range []struct {
		godebug    string
		have, want features
	}{
		{"", everything, everything},
		{"cpu.avx2=off", everything, everything &^ avx2},
		{"cpu.sha=off,cpu.avx512vl=off", everything, everything &^ (sha | avx512vl)},
		{"gctrace=1,cpu.bmi1=off,madvdontneed=1", everything, everything &^ bmi1},
		{"cpu.all=off", everything, 0},
		{"cpu.all=off,cpu.ssse3=on", everything, ssse3},
		{"cpu.sse41=off,cpu.sse41=on", everything, everything},
		{"cpu.sha=on", everything &^ sha, everything &^ sha},
		{"cpu.avx=of,cpu.avx,cpu.=off,cpu.avx3=off,avx=off,cpu.avx=off2,=,,", everything, everything},
	} {
		if got := c.have.debug(c.godebug); got != c.want {
			t.Errorf("%q: features %b, want %b", c.godebug, got, c.want)
		}
	}
	for _, f := range cpuFeatures {
		if got := everything.debug("cpu." + f.name + "=off"); got != everything&^f.feature {
			t.Errorf("cpu.%s=off: features %b, want all but %b", f.name, got, f.feature)
		}
	}
}

// The kernel of the system has its own opinion of the processor. An emulator
// shows that of another one, so SHA1DC_BACKENDS says what to expect there.
func TestDetectHost(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || os.Getenv("SHA1DC_BACKENDS") != "" {
		t.Log("no independent list of features")
		return
	}
	_, flags, _ := strings.Cut(string(info), "\nflags")
	flags, _, _ = strings.Cut(flags, "\n")
	listed := strings.Fields(flags)
	got := detect(cpuid, xgetbv)
	if want := strings.Contains(string(info), "AuthenticAMD") || strings.Contains(string(info), "HygonGenuine"); got&amd != 0 != want {
		t.Errorf("made by AMD or Hygon: %v, according to /proc/cpuinfo %v", got&amd != 0, want)
	}
	for _, c := range []struct {
		feature features
		flag    string
	}{
		{ssse3, "ssse3"}, {sse41, "sse4_1"}, {sha, "sha_ni"}, {avx, "avx"}, {avx2, "avx2"}, {bmi1, "bmi1"}, {bmi2, "bmi2"},
		{avx512f, "avx512f"}, {avx512bw, "avx512bw"}, {avx512dq, "avx512dq"}, {avx512vl, "avx512vl"},
	} {
		want := false
		for _, f := range listed {
			want = want || f == c.flag
		}
		if got&c.feature != 0 != want {
			t.Errorf("%s detected: %v, listed in /proc/cpuinfo: %v", c.flag, got&c.feature != 0, want)
		}
	}
}
