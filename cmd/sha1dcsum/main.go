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
	"slices"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// program is the name in messages.
const program = "sha1dcsum"

// The exit statuses. An attack outranks a failure: a script must not miss it.
const (
	exitOK      = 0
	exitFailure = 1
	exitAttack  = 3
)

// run runs the command and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &printer{stdout: stdout, stderr: stderr}
	opts, err := parseOptions(args)
	if err != nil {
		p.warn("%v", err)
		p.note("Try '" + program + " --help' for more information.")
		p.close()
		return exitFailure
	}
	c := &command{options: opts, stdin: stdin, printer: p}
	switch {
	case opts.help:
		p.print([]byte(usage))
	case opts.version:
		p.print([]byte(version()))
	default:
		c.hashOrCheck()
	}
	if !p.close() {
		c.failed = true
	}
	switch {
	case c.attacked:
		return exitAttack
	case c.failed:
		return exitFailure
	}
	return exitOK
}

// A command is one run with its options, its channels and what became of it.
type command struct {
	options
	stdin    io.Reader
	printer  *printer
	progress progress

	failed   bool // something went wrong that is not an attack
	attacked bool // a file is part of a collision attack
}

// hashOrCheck does what the options ask for with every operand, and with
// standard input if there is none.
func (c *command) hashOrCheck() {
	operands := c.operands
	if len(operands) == 0 {
		operands = []string{stdinName}
	}
	typed := slices.Contains(operands, stdinName) && isTerminal(c.stdin)
	if isTerminal(c.printer.stderr) && !typed && !c.status {
		defer c.progress.start(c.printer)()
	}
	if c.check {
		c.checkAll(operands)
	} else {
		c.sum(operands)
	}
}
