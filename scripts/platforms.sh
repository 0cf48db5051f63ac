#!/bin/sh
# Runs the runtime's tests on other architectures under emulation: big-endian,
# 32-bit, strict alignment, and WebAssembly. On amd64 and arm64 they run on
# processors that lack one or the other extension, and must choose the backends
# named.
set -eu
cd "$(dirname "$0")/.."

run() { # name, emulator, environment...
	name=$1 emulator=$2
	shift 2
	command -v "${emulator%% *}" >/dev/null ||
		{ echo "platforms: $emulator is missing (Debian: qemu-user, nodejs)" >&2; exit 1; }
	echo "platforms: $name"
	env CGO_ENABLED=0 "$@" go test -short -exec "$emulator" ./sha1dc ./internal/dvs ./internal/reference
}

run s390x qemu-s390x GOARCH=s390x
run ppc64 'qemu-ppc64 -cpu power9' GOARCH=ppc64
run mips qemu-mips GOARCH=mips
run arm qemu-arm GOARCH=arm
run riscv64 qemu-riscv64 GOARCH=riscv64
run loong64 qemu-loongarch64 GOARCH=loong64
run wasm "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" GOOS=js GOARCH=wasm

# Reports and pictures must not depend on the order of bytes, the size of an int
# or fused multiplication.
forensics() { # architecture, emulator
	echo "platforms: forensics $1"
	env CGO_ENABLED=0 GOARCH="$1" go test -short -exec "$2" ./forensics
	env CGO_ENABLED=0 GOARCH="$1" go test -short -exec "$2" -run Golden ./cmd/sha1dc
}

forensics s390x qemu-s390x
forensics arm qemu-arm
forensics arm64 qemu-aarch64

arm64() { # backends, processor and other options of the emulator...
	backends=$1
	shift
	run "arm64 $*, backends $backends" "qemu-aarch64 -cpu $*" GOARCH=arm64 SHA1DC_BACKENDS="$backends"
}

# All of these have the SHA-1 instructions, so that their absence is faked.
arm64 sha1-neon,sha1-neon2,generic max
arm64 sha1-neon,sha1-neon2,generic max,sve=off
arm64 sha1-neon,sha1-neon2,generic neoverse-n1
arm64 sha1-neon,sha1-neon2,generic cortex-a72
arm64 generic max -E GODEBUG=cpu.sha1=off

# What the proofs take instructions to mean, on another processor than the one
# that "go test" asks the emulator for.
echo "platforms: meanings of arm64 instructions"
SHA1DC_ARM64='qemu-aarch64 -cpu neoverse-n1' go test -count=1 -run '^TestMeanings$' ./internal/prove/arm64

amd64() { # processor, backends
	echo "platforms: amd64 $1, backends $2"
	env CGO_ENABLED=0 GOARCH=amd64 SHA1DC_BACKENDS="$2" go test -short -exec "qemu-x86_64 -cpu $1" ./sha1dc
}

command -v qemu-x86_64 >/dev/null || { echo "platforms: qemu-x86_64 is missing (Debian: qemu-user)" >&2; exit 1; }
# The emulator knows neither the SHA instructions nor AVX-512.
for cpu in qemu64 core2duo Nehalem Denverton SandyBridge Haswell,-bmi1 Haswell,-bmi2; do
	amd64 $cpu generic
done
amd64 Haswell avx2,generic
