// Command sha1dcsum prints and verifies SHA-1 digests as sha1sum of GNU
// coreutils 9.1 does, and detects files that are part of a collision attack.
//
// Run sha1dcsum --help for its options. Apart from attacks it differs from
// sha1sum in this:
//   - Messages are those of the C locale, whatever the locale is.
//   - A line of a check file that is longer than 128 KiB is improperly
//     formatted; sha1sum fails to open the file.
//   - The Go runtime opens the null device for a standard stream that is closed
//     at start, so that this is no error, and ends the program on a broken pipe
//     even if SIGPIPE is ignored.
package main

import (
	"io"
	"os"

	"github.com/sha1dc/go/internal/cli"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// program is the name in messages.
const program = "sha1dcsum"

// run runs the command and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &cli.Printer{Program: program, Stdout: stdout, Stderr: stderr}
	opts, err := parseOptions(args)
	if err != nil {
		p.Warn("%v", err)
		p.Note(cli.TryHelp(program))
		p.Close()
		return cli.ExitFailure
	}
	c := &command{options: opts, stdin: stdin, printer: p}
	switch {
	case opts.help:
		p.Print([]byte(usage))
	case opts.version:
		p.Print([]byte(cli.Version(program)))
	default:
		c.hashOrCheck()
	}
	if !p.Close() {
		c.failed = true
	}
	return cli.Status(c.attacked, c.failed)
}

// A command is one run with its options, its channels and what became of it.
type command struct {
	options
	stdin    io.Reader
	printer  *cli.Printer
	progress cli.Progress

	failed   bool // something went wrong that is not an attack
	attacked bool // a file is part of a collision attack
}

// hashOrCheck does what the options ask for with every operand, and with
// standard input if there is none.
func (c *command) hashOrCheck() {
	operands := c.operands
	if len(operands) == 0 {
		operands = []string{cli.StdinName}
	}
	if !c.status {
		defer c.progress.Show(c.printer, operands, c.stdin)()
	}
	if c.check {
		c.checkAll(operands)
	} else {
		c.sum(operands)
	}
}
