// Command gen writes the generated files of this module, and proves them. See "go run ./gen help".
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sha1dc/go/gen/amd64"
	"github.com/sha1dc/go/gen/arm64"
	"github.com/sha1dc/go/gen/files"
	"github.com/sha1dc/go/gen/golang"
	"github.com/sha1dc/go/gen/planner"
	"github.com/sha1dc/go/gen/report"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/prove"
	"github.com/sha1dc/go/internal/solver"
	"github.com/sha1dc/go/plans"
)

// command is a subcommand. None of them takes arguments: what they write
// depends on the sources of this module alone.
type command struct {
	name, short, long string
	run               func() error
}

func commands() []command {
	return []command{
		{"plan", "solve the filter plans and write them to plans/",
			`Solves every filter plan again with the SAT solver, checks each against the
published conditions with code that shares nothing with the solver, and writes
them to plans/. The plans of "asm" and "report" are those in the running
program, so run these afterwards. Progress is shown on a terminal.`, writePlans},
		{"asm", "write the generated sources of the runtime, package sha1dc",
			`Writes the generated Go files and assembly of package sha1dc from the table of
conditions and the plans, which are checked before anything is written.`, writeRuntime},
		{"report", "write the pages about the plans to docs/",
			`Writes docs/plans.md, docs/architecture.md and their pictures from the plans.`, writeReport},
		{"prove", "prove what the runtime's generated code computes",
			`Reads the checked-in plans, generated Go code and assembly of package sha1dc and
proves, for every message block, that each filter keeps what its plan keeps and
dismisses nothing that the published conditions keep, that the compression is
SHA-1's, and that what is kept is rechecked. A line says of each part PROVED or
FAILED, with a block that shows the failure. See the documentation of
internal/prove for what is proved and what is assumed. Writes no file; takes
about a minute and a gigabyte of memory.`, proveRuntime},
		{"mutate", "damage kernels in hundreds of ways, and see that none is proved",
			`Damages each kernel of package sha1dc, in memory, one instruction, register,
immediate, offset or word of a table at a time, and proves each mutant as "prove"
does. Prints how many were refused, and how. A mutant that is accepted must
behave as its plan says when it is executed; if one does not, that is an error.
Takes some minutes and a gigabyte of memory.`, mutateRuntime},
	}
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "gen: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("no command, see \"go run ./gen help\"")
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "-h", "--help":
		return help(rest, out)
	}
	c, err := find(name)
	if err != nil {
		return err
	}
	for _, arg := range rest {
		if arg == "-h" || arg == "--help" {
			return help([]string{name}, out)
		}
		return fmt.Errorf("%s: unexpected argument %q, it takes none", name, arg)
	}
	// A damaged table is found here, before any package takes it for granted.
	if _, err := dvs.Parse(dvs.PublishedFile, dvs.PublishedText()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := c.run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func find(name string) (command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return command{}, fmt.Errorf("unknown command %q, want one of %s", name, strings.Join(names, ", "))
}

func help(args []string, out io.Writer) error {
	if len(args) > 1 {
		return fmt.Errorf("help: unexpected argument %q, it takes one command", args[1])
	}
	if len(args) > 0 {
		c, err := find(args[0])
		if err == nil {
			fmt.Fprintf(out, "usage: go run ./gen %s\n\n%s\n", c.name, c.long)
		}
		return err
	}
	fmt.Fprint(out, "usage: go run ./gen COMMAND\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(out, "  %-8s %s\n", c.name, c.short)
	}
	fmt.Fprint(out, "  help     print this text, or with a command what it does\n\nRun it from any directory of the module.\n")
	return nil
}

func writePlans() error {
	root, err := files.ModuleRoot()
	if err != nil {
		return err
	}
	var progress solver.Progress
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		progress = planner.Printer(os.Stderr)
	}
	solved, err := planner.Files(dvs.Published(), progress)
	if err != nil {
		return err
	}
	var out []files.File
	for _, f := range solved {
		out = append(out, files.File{Path: "plans/" + f.Name, Content: []byte(f.Content)})
	}
	return files.Write(root, out)
}

func writeRuntime() error {
	root, err := files.ModuleRoot()
	if err != nil {
		return err
	}
	prefix, err := loadChecked("generic")
	if err != nil {
		return err
	}
	filters, err := plans.All()
	if err != nil {
		return err
	}
	out, err := golang.Files(dvs.Published(), prefix, filters)
	if err != nil {
		return err
	}
	for _, assembly := range []func(func(string) (*plan.Plan, error)) ([]files.File, error){amd64.Files, arm64.Files} {
		f, err := assembly(loadChecked)
		if err != nil {
			return err
		}
		out = append(out, f...)
	}
	return files.Write(root, out)
}

// loadChecked returns a plan that dismisses of common data what it must.
func loadChecked(name string) (*plan.Plan, error) {
	p, err := plans.Load(name)
	if err != nil {
		return nil, err
	}
	return p, planner.Check(p, dvs.Published())
}

func writeReport() error {
	root, err := files.ModuleRoot()
	if err != nil {
		return err
	}
	return report.Write(root)
}

func proveRuntime() error {
	root, err := files.ModuleRoot()
	if err != nil {
		return err
	}
	return prove.All(prove.ModuleSources(root, plans.Load), plans.Names(), os.Stdout)
}

// mutantsPerKernel are as many as two or three minutes allow.
const mutantsPerKernel = 21

func mutateRuntime() error {
	root, err := files.ModuleRoot()
	if err != nil {
		return err
	}
	return prove.Mutate(prove.ModuleSources(root, plans.Load), mutantsPerKernel, os.Stdout)
}
