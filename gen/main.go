// Command gen writes the generated files of this module. See "go run ./gen help".
package main

import (
	"fmt"
	"os"

	"github.com/sha1dc/go/gen/files"
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
	root, err := files.ModuleRoot()
	if err != nil {
		return err
	}
	prefix, err := plans.Load("generic")
	if err != nil {
		return err
	}
	out, err := golang.Files(dvs.Published(), prefix)
	if err != nil {
		return err
	}
	return files.Write(root, out)
}
