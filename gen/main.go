// Command gen writes the generated files of this module. See "go run ./gen help".
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/sha1dc/go/gen/golang"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/plans"
)

const usage = `usage: go run ./gen COMMAND

Commands:
  asm     write the generated sources of the runtime, package sha1dc
  help    print this text

Run it from any directory of the module.
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "gen: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want one command, see \"go run ./gen help\"")
	}
	switch args[0] {
	case "asm":
		return emitRuntime()
	case "help", "-h", "--help":
		_, err := fmt.Print(usage)
		return err
	}
	return fmt.Errorf("unknown command %q, see \"go run ./gen help\"", args[0])
}

func emitRuntime() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	prefix, err := plans.Load("generic")
	if err != nil {
		return err
	}
	files, err := golang.Files(dvs.Published(), prefix)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(root, "sha1dc", f.Name), f.Content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// moduleRoot returns the closest directory upwards that holds a go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the working directory: run from inside the module")
		}
		dir = parent
	}
}
