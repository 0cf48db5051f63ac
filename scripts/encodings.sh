#!/bin/sh
# Looks through the machine code of package sha1dc for amd64: no instruction may
# have a VEX or EVEX encoding but in functions whose header says that they
# require AVX or BMI. What the assembler made of the text counts, not the text.
set -eu
cd "$(dirname "$0")/.."
command -v objdump >/dev/null || { echo "encodings: no objdump: install binutils" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
GOOS=linux GOARCH=amd64 GOAMD64=v1 CGO_ENABLED=0 go test -c -o "$dir/test" ./sha1dc
# The names of functions that may, from the headers of the assembly.
sed -n 's,^// func \([A-Za-z0-9]*\)(.*,func \1,p; s,^// Requires: ,requires ,p; s,^TEXT ·\([A-Za-z0-9]*\)(SB).*,text \1,p' sha1dc/*_amd64.s >"$dir/headers"
objdump -d -w "$dir/test" >"$dir/code"
# Functions that run on processors without AVX, whatever their headers say.
without='cpuid xgetbv blocksSHANISSE filterSHANISSE recheckSHANI'
awk -F '\t' -v headers="$dir/headers" -v without="$without" '
	BEGIN {
		while ((getline line <headers) > 0) {
			split(line, part, " ")
			if (part[1] == "func") name = part[2]
			if (part[1] == "requires" && line ~ /AVX|BMI/) may[name] = 1
			if (part[1] == "text") assembly[part[2]] = 1
		}
		count = split(without, names, " ")
		for (n = 1; n <= count; n++) {
			assembly[names[n]] = 1
			delete may[names[n]]
		}
	}
	/^[0-9a-f]+ <.*>:$/ {
		function_ = $0
		sub(/^[0-9a-f]+ </, "", function_)
		sub(/>:$/, "", function_)
		ours = sub(/^github\.com\/sha1dc\/go\/sha1dc\./, "", function_)
		isText = sub(/\.abi0$/, "", function_)
		if (ours && isText && function_ in assembly) seen[function_] = 1
		next
	}
	ours && NF >= 3 {
		bytes = $2
		while (sub(/^(26|2e|36|3e|64|65|67) /, "", bytes)) ; # segments and address sizes
		if (bytes !~ /^(c4|c5|62) /) next
		if (isText && function_ in may) { wide[function_] = 1; next }
		printf "encodings: %s: %s\n", function_, $3
		bad++
	}
	END {
		for (n in assembly) {
			if (!(n in seen)) { printf "encodings: %s is not in the binary\n", n; bad++ }
			if (n in may && !(n in wide)) { printf "encodings: %s requires AVX or BMI, and no instruction shows it\n", n; bad++ }
			if (n in may) allowed++; else checked = checked " " n
		}
		if (bad) exit 1
		printf "encodings: no VEX in%s and the Go code; %d other functions have it\n", checked, allowed
	}' "$dir/code" >"$dir/report" || { head -20 "$dir/report" >&2; exit 1; }
cat "$dir/report"
