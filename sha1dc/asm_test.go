//go:build gc && !purego && !noasm && (amd64 || arm64)

package sha1dc

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// assembly returns the text of each assembly function, from the comment in front
// of it on.
func assembly(t *testing.T) map[string]string {
	files, err := filepath.Glob("*_" + runtime.GOARCH + ".s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no assembly: %v", err)
	}
	out := make(map[string]string)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "\n// func ")[1:] {
			name, _, _ := strings.Cut(part, "(")
			out[name] = part
			if !strings.Contains(part, "\nTEXT ·"+name+"(SB)") {
				t.Errorf("%s: %s has no text", f, name)
			}
		}
	}
	return out
}

// A backend must ask the processor for every extension that its functions use.
func TestNeeds(t *testing.T) {
	functions := assembly(t)
	calls := regexp.MustCompile(`\tCALL\s+·(\w+)\(SB\)`)
	for b := range generic {
		for n, name := range kernelFunctions[b] {
			text, ok := functions[name]
			if !ok {
				t.Errorf("%v: no assembly of %s", b, name)
				continue
			}
			_, list, ok := strings.Cut(text, "\n// Requires: ")
			if !ok {
				t.Errorf("%v: %s does not tell what it requires", b, name)
			}
			list, _, _ = strings.Cut(list, "\n")
			for e := range strings.SplitSeq(list, ", ") {
				f, known := extensions[e]
				if !known || backends[b].needs&f != f {
					t.Errorf("%v: %s uses %s, which the backend does not need", b, name, e)
				}
			}
			for _, call := range calls.FindAllStringSubmatch(text, -1) {
				if !slices.Contains(kernelFunctions[b][n+1:], call[1]) {
					t.Errorf("%v: %s calls %s", b, name, call[1])
				}
			}
		}
	}
}

// A call of another backend's kernel could go unnoticed on a processor that has
// everything.
func TestKernelCalls(t *testing.T) {
	source, err := os.ReadFile("backend_" + runtime.GOARCH + ".go")
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`case (\w+):\n\t\treturn (\w+)\(h, p, n, (?:end, m, clear, )?dm\)\n`).FindAllStringSubmatch(string(source), -1)
	if len(calls) != int(generic) {
		t.Fatalf("%d calls of kernels, want %d", len(calls), generic)
	}
	for n, c := range calls {
		name := strings.TrimSuffix(c[1], "Kernel")
		if !strings.EqualFold(c[2], "blocks"+name) || kernelFunctions[n][0] != c[2] {
			t.Errorf("%s calls %s", c[1], c[2])
		}
	}
}
