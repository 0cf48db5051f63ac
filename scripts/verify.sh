#!/bin/sh
# Proves the generated files that are checked in. Then deletes every one,
# generates them again in their place, and fails with the difference if any byte
# changed.
set -eu
cd "$(dirname "$0")/.."

# Every file of those that git lists, with the given options, that only the
# generator may write.
generated() {
	git ls-files "$@" -- 'plans/*.txt' docs/plans.md docs/architecture.md docs/img 'sha1dc/*.s'
	git ls-files "$@" -- 'sha1dc/*.go' | while read -r f; do
		if head -n 1 "$f" | grep -q '^// Code generated .* DO NOT EDIT\.$'; then echo "$f"; fi
	done
}

untracked() {
	git ls-files --others --exclude-standard -- sha1dc plans docs
}

files=$(generated)
# What is there and not tracked is somebody's work, and stays.
before=$(untracked)
stray=$(generated --others --exclude-standard)
keep=$(mktemp -d)
tar -cf "$keep/before.tar" $files $before
# Whatever happens, the files are back as they were.
restore() {
	tar -xf "$keep/before.tar"
	rm -rf "$keep"
}
trap restore EXIT
trap 'exit 1' INT TERM

unset GOOS GOARCH
status=0
go run ./gen prove || status=1

# The generator embeds the plans, so the one that solves them is built before
# they are deleted.
go build -o "$keep/gen" ./gen
rm -f $files
"$keep/gen" plan
go run ./gen asm
go run ./gen report

mkdir "$keep/before"
tar -xf "$keep/before.tar" -C "$keep/before"
for f in $files; do
	diff -u "$keep/before/$f" "$f" || status=1
done
if [ -n "$stray" ]; then
	echo "verify: files that only the generator may write, and that are not tracked: add or remove" $stray >&2
	status=1
fi
new=$(untracked | grep -vxF "${before:-/}" || true)
if [ -n "$new" ]; then
	echo "verify: the generator writes files that are not tracked, removed again:" $new >&2
	rm -f $new
	status=1
fi
if [ $status -eq 0 ]; then
	echo "verify: proved, and $(echo "$files" | wc -l) generated files are what the generator writes"
else
	echo "verify: the checked-in files are not proved, or not what the generator writes; run make generate and look at the difference" >&2
fi
exit $status
