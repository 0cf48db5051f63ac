#!/bin/sh
# Runs the generator as a program for arm64, emulated, in a copy of the tree
# without generated sources, and fails if it writes other bytes than those
# checked in. The plans are left out: they are solved again by "make verify".
set -eu
cd "$(dirname "$0")/.."
command -v qemu-aarch64 >/dev/null || { echo "hosts: qemu-aarch64 is missing (Debian: qemu-user)" >&2; exit 1; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z | tar -c --null -T - | tar -x -C "$copy"
CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -o "$copy/gen.arm64" ./gen
grep -rlE '^// Code generated .* DO NOT EDIT\.$' "$copy/sha1dc" | xargs rm -f
(cd "$copy" && qemu-aarch64 ./gen.arm64 asm && qemu-aarch64 ./gen.arm64 report)
n=0
for f in $(git ls-files -- sha1dc docs); do
	cmp "$f" "$copy/$f" || { echo "hosts: $f comes out otherwise on arm64" >&2; exit 1; }
	n=$((n + 1))
done
echo "hosts: $n files are the same from a generator on arm64"
