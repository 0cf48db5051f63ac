package report

import (
	"cmp"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/sha1dc/go"

const (
	gini = "github.com/irifrance/gini"
	avo  = "github.com/mmcloughlin/avo"
	cpu  = "golang.org/x/sys/cpu"
	unix = "golang.org/x/sys/unix"

	compress = "github.com/klauspost/compress"
)

// rule says what a package may import of this module and of others. The
// standard library is free to all, tests may import what they like.
type rule struct {
	Package string
	Knows   string
	Imports []string
}

// rules are the packages on the way from the table to a verdict. What is
// imported by some of them from other modules may be imported by no package
// that is not listed.
var rules = []rule{
	{"internal/dvs", "what is published: vectors, conditions, and what follows from them", nil},
	{"internal/plan", "what a plan means, costs and must fulfil; not how it was found", []string{"internal/dvs", "internal/plan/corpus"}},
	{"internal/plan/corpus", "the blocks that people hash most", []string{"internal/dvs"}},
	{"internal/solver", "how to find groups and prove bounds", []string{"internal/dvs", "internal/plan", "internal/plan/corpus", gini}},
	{"gen/planner", "which plans are wanted", []string{"internal/dvs", "internal/plan", "internal/plan/corpus", "internal/solver"}},
	{"plans", "the plans as text", []string{"internal/dvs", "internal/plan"}},
	{"gen/files", "how to replace files, all or none", nil},
	{"gen/golang", "how to write the filter and the compression in Go, and what the self-test hashes", []string{"gen/files", "internal/craft", "internal/dvs", "internal/plan", "internal/vectors"}},
	{"gen/asm", "what the kernels of all architectures have in common", []string{"internal/dvs"}},
	{"gen/amd64", "how to write them for amd64", []string{"gen/asm", "gen/files", "internal/dvs", "internal/plan", avo}},
	{"gen/arm64", "how to write them for arm64", []string{"gen/asm", "gen/files", "internal/dvs", "internal/plan", avo}},
	{"gen/report", "how to draw the plans and this page", []string{"gen/files", "internal/dvs", "internal/plan", "internal/plan/corpus", "plans"}},
	{"internal/prove/symbolic", "bits and words as functions of free variables, and when they are equal", []string{gini}},
	{"internal/prove/memory", "what code under proof may read and write", []string{"internal/prove/symbolic"}},
	{"internal/prove/asm", "the syntax of Go's assembler", nil},
	{"internal/prove/processor", "what a proof asks of a processor", []string{"internal/prove/asm", "internal/prove/memory", "internal/prove/symbolic"}},
	{"internal/prove/amd64", "what instructions of amd64 mean", []string{"internal/prove/asm", "internal/prove/memory", "internal/prove/processor", "internal/prove/symbolic"}},
	{"internal/prove/arm64", "what those of arm64 mean", []string{"internal/prove/asm", "internal/prove/memory", "internal/prove/processor", "internal/prove/symbolic"}},
	{"internal/prove/goread", "what the generated Go code means", []string{"internal/prove/symbolic"}},
	{"internal/prove/spec", "what has to be computed; nothing of what emits it", []string{"internal/craft", "internal/dvs", "internal/plan", "internal/prove/symbolic"}},
	{"internal/prove", "how to show that the one is the other", []string{"internal/craft", "internal/dvs", "internal/plan", "internal/prove/amd64", "internal/prove/arm64", "internal/prove/asm", "internal/prove/goread", "internal/prove/memory", "internal/prove/processor", "internal/prove/spec", "internal/prove/symbolic"}},
	{"sha1dc", "generated code, and when to call it; none of the above", []string{cpu}},
	{"internal/reference", "SHA-1 and detection in the plainest way", []string{"internal/dvs"}},
	{"forensics", "what an attack consists of, and the other message", []string{"sha1dc", "internal/dvs", "internal/reference"}},
	{"internal/inflate", "how to decode deflate streams that are in memory", nil},
	{"gitpack", "git packs and their indexes; not how to hash", []string{"sha1dc", "internal/inflate", compress}},
	{"internal/cli", "what the commands share: options, messages, progress", []string{unix}},
	{"cmd/sha1dcsum", "files, names and exit statuses", []string{"sha1dc", "internal/checksum", "internal/cli"}},
	{"cmd/sha1dc", "how to tell people of an attack", []string{"sha1dc", "forensics", "gitpack", "internal/cli"}},
}

// packageImports is a package, named by its directory, with its imports outside
// tests.
type packageImports struct {
	name    string
	imports []string
}

// readImports returns the packages of the module at root, of files for all
// platforms, in the order of their names.
func readImports(root string) ([]packageImports, error) {
	context := build.Default
	context.UseAllFiles = true
	var out []packageImports
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if dir != root {
			if n := d.Name(); n == "testdata" || strings.HasPrefix(n, ".") || strings.HasPrefix(n, "_") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				return fs.SkipDir // another module
			}
		}
		p, err := context.ImportDir(dir, 0)
		if _, none := err.(*build.NoGoError); none {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		out = append(out, packageImports{filepath.ToSlash(name), p.Imports})
		return nil
	})
	slices.SortFunc(out, func(a, b packageImports) int { return cmp.Compare(a.name, b.name) })
	return out, err
}

// violations returns in words every import that the rules forbid, and every
// rule without a package.
func violations(packages []packageImports, rules []rule) []string {
	byName := make(map[string]rule)
	var reserved []string
	for _, r := range rules {
		byName[r.Package] = r
		for _, i := range r.Imports {
			if foreign(i) {
				reserved = append(reserved, i)
			}
		}
	}
	var out []string
	exists := make(map[string]bool)
	for _, p := range packages {
		exists[p.name] = true
		r, ruled := byName[p.name]
		for _, i := range p.imports {
			name, own := strings.CutPrefix(i, module+"/")
			if !own && !foreign(i) {
				continue
			}
			at := slices.IndexFunc(reserved, func(r string) bool { return i == r || strings.HasPrefix(i, r+"/") })
			if at >= 0 {
				name = reserved[at]
			}
			if ruled && !slices.Contains(r.Imports, name) || !ruled && at >= 0 {
				out = append(out, fmt.Sprintf("%s imports %s", p.name, name))
			}
		}
	}
	for _, r := range rules {
		if !exists[r.Package] {
			out = append(out, fmt.Sprintf("%s has a rule and no files", r.Package))
		}
	}
	return slices.Compact(out)
}

// foreign reports whether an import path is of another module: only those have
// a dot in their first element, and so has this module's own in full.
func foreign(i string) bool {
	first, _, _ := strings.Cut(i, "/")
	return strings.Contains(first, ".")
}

// Allowed returns the imports of a rule for the page.
func (r rule) Allowed() string {
	if len(r.Imports) == 0 {
		return "nothing"
	}
	var out []string
	for _, i := range r.Imports {
		out = append(out, "`"+i+"`")
	}
	return strings.Join(out, ", ")
}
