#!/bin/sh
# Builds the runtime and the commands for every platform that Go knows. Programs
# for android and ios are linked by a C toolchain of theirs, so there the
# commands are only compiled.
set -eu
cd "$(dirname "$0")/.."
n=0
for platform in $(go tool dist list); do
	export GOOS=${platform%/*} GOARCH=${platform#*/} CGO_ENABLED=0
	case $GOOS in
	android | ios) go build ./sha1dc && go vet ./cmd/... ;;
	*) go build ./sha1dc ./cmd/... ;;
	esac || { echo "cross: $platform does not build" >&2; exit 1; }
	n=$((n + 1))
done
echo "cross: $n platforms build"
