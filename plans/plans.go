// Package plans holds the filter plans as text, one file a target. They are
// written by "go run ./gen plan" and read by what emits kernels.
package plans

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

//go:embed *.txt
var files embed.FS

// Names returns the names of all plans in alphabetical order.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic(err) // an embedded directory can be read
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// Text returns the file of the plan with the given name.
func Text(name string) (string, error) {
	text, err := files.ReadFile(name + ".txt")
	if err != nil {
		return "", fmt.Errorf("no plan %q: %w", name, err)
	}
	return string(text), nil
}

// Load returns the plan with the given name, validated against the published
// conditions.
func Load(name string) (*plan.Plan, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	path := "plans/" + name + ".txt"
	p, err := plan.Parse(path, text, dvs.Published())
	if err == nil && p.Name != name {
		return nil, fmt.Errorf("%s holds the plan %q: solve again with \"go run ./gen plan\"", path, p.Name)
	}
	return p, err
}

// All returns every plan, as Load does.
func All() ([]*plan.Plan, error) {
	var out []*plan.Plan
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
