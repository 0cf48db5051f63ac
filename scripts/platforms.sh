#!/bin/sh
# Runs the runtime's tests on other architectures under emulation: big-endian,
# 32-bit, strict alignment, and WebAssembly.
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
run arm64 qemu-aarch64 GOARCH=arm64
run loong64 qemu-loongarch64 GOARCH=loong64
run wasm "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" GOOS=js GOARCH=wasm
