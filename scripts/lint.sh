#!/bin/sh
# Formatting, vet and module files.
set -eu
cd "$(dirname "$0")/.."

unformatted=$(git ls-files '*.go' | xargs gofmt -l)
if [ -n "$unformatted" ]; then
	echo "lint: run gofmt on: $unformatted" >&2
	exit 1
fi

go vet ./...
go vet -tags purego ./...
for platform in linux/arm64 darwin/arm64 windows/arm64 linux/386 linux/s390x js/wasm; do
	GOOS=${platform%/*} GOARCH=${platform#*/} CGO_ENABLED=0 go vet ./sha1dc ./gitpack ./cmd/...
	echo "lint: vet $platform"
done

go mod tidy -diff
(cd peers && go mod tidy -diff)

# What the runtime imports, and what it must not.
imports=$(go list -deps ./sha1dc | grep '\.' | grep -v -e '^github.com/sha1dc/go/sha1dc$' -e '^golang.org/x/sys/cpu$' -e '^vendor/' || true)
if [ -n "$imports" ]; then
	echo "lint: package sha1dc imports $imports" >&2
	exit 1
fi
if go list -deps ./sha1dc ./cmd/... | grep -x 'crypto/sha1'; then
	echo "lint: crypto/sha1 is linked" >&2
	exit 1
fi

# Whoever compiles without assembly must find the generic code and nothing else.
for select in '-tags=purego' '-tags=noasm' '-compiler=gccgo'; do
	assembly=$(go list "$select" -f '{{.SFiles}}' ./sha1dc)
	if [ "$assembly" != '[]' ]; then
		echo "lint: $select selects $assembly" >&2
		exit 1
	fi
done
echo "lint: ok"
