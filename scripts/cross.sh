#!/bin/sh
# Builds the runtime and the commands for every platform that Go knows. Where
# only a foreign C toolchain can link programs, packages alone are built.
set -eu
cd "$(dirname "$0")/.."
n=0
for platform in $(go tool dist list); do
	export GOOS=${platform%/*} GOARCH=${platform#*/} CGO_ENABLED=0
	case $platform in
	android/arm64) what='./sha1dc ./cmd/...' ;;
	android/* | ios/*) what='./sha1dc ./internal/checksum' ;;
	*) what='./sha1dc ./cmd/...' ;;
	esac
	go build $what || { echo "cross: $platform does not build" >&2; exit 1; }
	n=$((n + 1))
done
echo "cross: $n platforms build"
