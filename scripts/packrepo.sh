#!/bin/sh
# Builds a git repository with a realistic pack, to measure gitpack: releases of
# large Go modules, from the module proxy, committed in order, a branch for each
# module, and repacked with deltas. Releases that are there already are not
# fetched again, and those that the proxy does not have are left out.
set -eu
repo=${1:?usage: packrepo.sh REPOSITORY [MODULE@RELEASE...]}
shift
if [ $# -eq 0 ]; then
	for minor in 18 19 20 21 22 23 24 29 30 31 32 33 34 35 36; do
		for patch in 0 1 2 3 4 6; do
			set -- "$@" "k8s.io/kubernetes@v1.$minor.$patch"
		done
	done
	for module in github.com/aws/aws-sdk-go-v2/service/ec2 google.golang.org/api; do
		n=0
		for release in $(go list -m -versions -f '{{range .Versions}}{{.}} {{end}}' "$module"); do
			n=$((n + 1))
			[ $((n % 3)) -ne 0 ] || [ $n -gt 96 ] || set -- "$@" "$module@$release"
		done
	done
fi

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@example.com
export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@example.com
[ -d "$repo" ] || git init -q --bare "$repo"
git="git --git-dir=$repo -c core.autocrlf=false -c core.looseCompression=1 -c gc.auto=0"
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT

for release; do
	module=${release%@*}
	tag=$(echo "$release" | tr @ /)
	$git rev-parse -q --verify "refs/tags/$tag" >/dev/null && continue
	GOMODCACHE=$cache GOFLAGS=-modcacherw go mod download "$release" 2>/dev/null || continue
	tree=$(find "$cache/$(dirname "$module")" -maxdepth 1 -name "$(basename "$module")@*" | head -1)
	export GIT_INDEX_FILE="$repo/index-$(basename "$module")"
	GIT_AUTHOR_DATE="1600000000 +0000" GIT_COMMITTER_DATE="1600000000 +0000"
	export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
	$git symbolic-ref HEAD "refs/heads/$(basename "$module")"
	$git --work-tree="$tree" add -A
	$git --work-tree="$tree" commit -q -m "$release"
	$git tag -a -m "$release" "$tag"
	rm -rf "$cache"
	echo "packrepo: $release"
done
