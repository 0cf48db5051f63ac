#!/bin/sh
# Compares sha1dc index-pack with git index-pack, in alternation, on the packs of
# a repository: time, processor time, peak memory, and whether the indexes are
# equal. The repository is built by packrepo.sh if it is not there.
set -eu
repo=${1:?usage: packbench.sh REPOSITORY [ROUNDS]}
rounds=${2:-3}
cd "$(dirname "$0")/.."
command -v /usr/bin/time >/dev/null || { echo "packbench: /usr/bin/time is missing (Debian: time)" >&2; exit 1; }
if [ ! -d "$repo" ]; then
	scripts/packrepo.sh "$repo"
	git --git-dir="$repo" -c pack.threads=1 repack -q -adf
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/sha1dc" ./cmd/sha1dc

measure() { # name, command...
	name=$1
	shift
	/usr/bin/time -o "$dir/time" -f '%e %U %S %M' "$@" >/dev/null
	read -r wall user sys memory <"$dir/time"
	printf '%-28s %7.2f s  user %6.2f s  sys %5.2f s  %7d KiB\n' "$name" "$wall" "$user" "$sys" "$memory"
	echo "$wall" >>"$dir/$name"
}

median() { sort -n "$dir/$1" | sed -n "$(((rounds + 1) / 2))p"; }

for pack in "$repo"/objects/pack/*.pack; do
	"$dir/sha1dc" index-pack -v -o "$dir/ours.idx" "$pack"
	for threads in 1 2; do
		# One thread on one core: a garbage collector must not get another.
		pin=
		[ $threads -ne 1 ] || pin='taskset -c 0'
		rm -f "$dir/git $threads" "$dir/sha1dc $threads"
		for _ in $(seq "$rounds"); do
			measure "git $threads" $pin git index-pack --threads=$threads -o "$dir/git.idx" "$pack"
			measure "sha1dc $threads" $pin "$dir/sha1dc" index-pack --threads=$threads -o "$dir/ours.idx" "$pack"
			cmp "$dir/git.idx" "$dir/ours.idx"
		done
		awk -v git="$(median "git $threads")" -v ours="$(median "sha1dc $threads")" -v threads=$threads \
			'BEGIN { printf "%d: %.2f times as fast as git\n", threads, git / ours }'
	done
done
