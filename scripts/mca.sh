#!/bin/sh
# Estimates cycles a block with LLVM's models of processors. Installs LLVM with
# apt-get if it is not there. MCA_VERSION=19 asks for a version of LLVM.
set -eu
cd "$(dirname "$0")/.."
versions=${MCA_VERSION:-19 20 21 22}
find_llvm() {
	for v in $versions; do
		if command -v "llvm-mca-$v" >/dev/null && command -v "llvm-objdump-$v" >/dev/null; then
			version=$v
			return 0
		fi
	done
	return 1
}
if ! find_llvm; then
	apt-get update
	for v in $versions; do
		if apt-get install -y --no-install-recommends "llvm-$v"; then break; fi
	done
	find_llvm || { echo "mca: no LLVM of the versions $versions" >&2; exit 1; }
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for arch in arm64 amd64; do
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go test -c -o "$dir/$arch.test" ./sha1dc
done
"llvm-mca-$version" --version | grep -i 'llvm version'
go run ./gen/mca -mca "llvm-mca-$version" -objdump "llvm-objdump-$version" "$dir/arm64.test" "$dir/amd64.test"
