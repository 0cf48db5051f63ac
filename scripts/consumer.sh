#!/bin/sh
# Builds a module that imports the runtime, also vendored and without cgo, and
# checks that its go.mod gets none of the generator's dependencies.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >main.go <<'EOF'
package main

import (
	"fmt"

	"github.com/sha1dc/go/sha1dc"
)

func main() { fmt.Println(sha1dc.Sum([]byte("abc"))) }
EOF
go mod init example.com/consumer 2>/dev/null
go mod edit -require github.com/sha1dc/go@v0.0.0 -replace "github.com/sha1dc/go=$root"
go mod tidy
if grep -v -e github.com/sha1dc/go -e golang.org/x/sys go.mod | grep -E '^(require)?[[:space:]]*[a-z.]+/'; then
	echo "consumer: the runtime brings modules into its users' go.mod" >&2
	exit 1
fi
want='[169 153 62 54 71 6 129 106 186 62 37 113 120 80 194 108 156 208 216 157] false'
[ "$(CGO_ENABLED=0 go run .)" = "$want" ]
go mod vendor
[ "$(CGO_ENABLED=0 go run -mod=vendor .)" = "$want" ]
echo "consumer: ok"
