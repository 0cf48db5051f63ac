#!/bin/sh
# Builds the runtime and the commands for every platform that Go knows.
# ios and android executables need a C toolchain, so only packages are built.
set -eu
cd "$(dirname "$0")/.."
n=0
for platform in $(go tool dist list); do
	GOOS=${platform%/*} GOARCH=${platform#*/} CGO_ENABLED=0 go build ./sha1dc ./cmd/... ||
		{ echo "cross: $platform does not build" >&2; exit 1; }
	n=$((n + 1))
done
echo "cross: $n platforms build"
