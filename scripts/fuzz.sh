#!/bin/sh
# Runs every fuzz target of the main module and of peers for the given time.
set -eu
cd "$(dirname "$0")/.."
time=${1:-30s}
for module in . peers; do
	(
		cd "$module"
		go list -f '{{.ImportPath}} {{.Dir}}' ./... | while read -r package dir; do
			for target in $(grep -hoE '^func Fuzz[A-Za-z0-9]+' "$dir"/*_test.go 2>/dev/null | sed 's/^func //'); do
				echo "fuzz: $package $target"
				go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 20x "$package"
			done
		done
	)
done
