#!/bin/sh
# Deletes every generated file, generates them again, and fails with the
# difference if any byte changed. The working tree must have no changes to
# generated files before.
set -eu
cd "$(dirname "$0")/.."

generated() { # every tracked file that the generator writes
	git ls-files -- sha1dc | while read -r f; do
		if head -n 1 "$f" | grep -q '^// Code generated .* DO NOT EDIT\.$'; then echo "$f"; fi
	done
}

files=$(generated)
[ -n "$files" ] || { echo "verify: no generated files are tracked" >&2; exit 1; }
keep=$(mktemp -d)
trap 'rm -rf "$keep"' EXIT
tar -cf "$keep/before.tar" $files
restore() { tar -xf "$keep/before.tar"; rm -rf "$keep"; }
trap restore EXIT

rm -f $files
env -u GOOS -u GOARCH go run ./gen asm

mkdir "$keep/before"
tar -xf "$keep/before.tar" -C "$keep/before"
status=0
for f in $files; do
	diff -u "$keep/before/$f" "$f" || status=1
done
new=$(git ls-files --others --exclude-standard -- sha1dc)
if [ -n "$new" ]; then
	echo "verify: the generator writes files that are not tracked: $new" >&2
	status=1
fi
if [ $status -eq 0 ]; then
	echo "verify: $(echo "$files" | wc -l) generated files are what the generator writes"
else
	echo "verify: the checked-in files differ from what the generator writes; run make generate and review" >&2
fi
exit $status
