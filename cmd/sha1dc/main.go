// Command sha1dc looks into files that are part of a SHA-1 collision attack, and
// checks git packs for objects that are.
// It is a family of commands; run sha1dc --help for their list, and
// sha1dc COMMAND --help for one of them.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sha1dc/go/internal/cli"
)

func main() { os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})) }

// program is the name in messages.
const program = "sha1dc"

// streams are what a command reads from and writes to beside files.
type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// printer returns a printer on s that names the program in messages.
func (s streams) printer() *cli.Printer {
	return &cli.Printer{Program: program, Stdout: s.stdout, Stderr: s.stderr}
}

// A command is one of the program's. Each has a file of its own and a line in
// commands.
type command struct {
	name    string
	summary string                             // for the list, without a full stop
	run     func(args []string, s streams) int // returns the exit status
}

// commands are in the order in which --help lists them.
var commands = []command{
	{"explain", "say where a file is attacked, how, and what it collides with", runExplain},
	{"index-pack", "check a git pack and write its index", runIndexPack},
	{"verify-pack", "check a git pack and its index", runVerifyPack},
}

// run runs the command that args name and returns its exit status.
func run(args []string, s streams) int {
	p := s.printer()
	if len(args) == 0 {
		return misused(p, "no command given")
	}
	name, args := args[0], args[1:]
	if name == "help" && len(args) > 0 {
		name, args = args[0], []string{"--help"}
	}
	switch name {
	case "help", "--help", "-h":
		p.Print([]byte(usage()))
	case "--version":
		p.Print([]byte(cli.Version(program)))
	default:
		for _, c := range commands {
			if c.name == name {
				return c.run(args, s)
			}
		}
		return misused(p, "there is no command "+cli.QuoteAlways(name))
	}
	return cli.Status(false, !p.Close())
}

// misused reports that no command can be run.
func misused(p *cli.Printer, what string) int {
	p.Warn("%s", what)
	p.Note(cli.TryHelp(program))
	p.Close()
	return cli.ExitFailure
}

// usage returns what --help prints.
func usage() string {
	var b strings.Builder
	b.WriteString("Usage: sha1dc COMMAND [OPTION]... [FILE]...\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-14s%s\n", c.name, c.summary)
	}
	b.WriteString("\n'sha1dc COMMAND --help' tells more. The program sha1dcsum prints and verifies\nchecksums.\n")
	return b.String()
}
