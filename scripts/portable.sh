#!/bin/sh
# Solves plans under emulation of other architectures, where arithmetic may be
# fused or in the other byte order: the same bytes must come out.
set -eu
cd "$(dirname "$0")/.."

tests=$(mktemp -d)
trap 'rm -rf "$tests"' EXIT
for arch in arm64:qemu-aarch64 s390x:qemu-s390x; do
	emulator=${arch#*:} arch=${arch%:*}
	command -v $emulator >/dev/null || { echo "portable: $emulator is missing (Debian: qemu-user)" >&2; exit 1; }
	CGO_ENABLED=0 GOARCH=$arch go test -c -o "$tests/$arch" ./gen/planner
	echo "portable: $arch"
	(cd gen/planner && $emulator "$tests/$arch" -test.run '^(TestDeterministic|TestEverywhere)$')
done
