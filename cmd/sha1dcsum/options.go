package main

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/sha1dc/go/internal/cli"
)

// options are what the command line asks for.
type options struct {
	mode    textMode
	check   bool
	tag     bool
	zero    bool
	plain   bool
	reduced bool
	jobs    int

	ignoreMissing bool
	strict        bool
	quiet         bool // of quiet, status and warn the last one given counts
	status        bool
	warn          bool

	help     bool
	version  bool
	operands []string
}

// textMode says which of -b and -t was given last, if any.
type textMode uint8

const (
	unspecified textMode = iota
	text
	binary
)

// maxJobs bounds the files that are open at once.
const maxJobs = 256

// parseOptions returns the options in args, or an error in sha1sum's words.
func parseOptions(args []string) (options, error) {
	o := options{jobs: min(runtime.GOMAXPROCS(0), maxJobs)}
	done := func() bool { return o.help || o.version }
	operands, err := cli.Getopt(args, o.table(), cli.Posix(), done)
	if err == nil && !done() {
		err = o.validate()
	}
	o.operands = operands
	return o, err
}

// table returns the options that set o, in the order in which getopt lists
// candidates.
func (o *options) table() []cli.Option {
	report := func(quiet, status, warn bool) func(string) error {
		return func(string) error { o.quiet, o.status, o.warn = quiet, status, warn; return nil }
	}
	return []cli.Option{
		{Long: "check", Short: 'c', Set: cli.Flag(&o.check)},
		{Long: "ignore-missing", Set: cli.Flag(&o.ignoreMissing)},
		{Long: "quiet", Set: report(true, false, false)},
		{Long: "status", Set: report(false, true, false)},
		{Long: "warn", Short: 'w', Set: report(false, false, true)},
		{Long: "strict", Set: cli.Flag(&o.strict)},
		{Long: "tag", Set: func(string) error { o.tag, o.mode = true, binary; return nil }},
		{Long: "zero", Short: 'z', Set: cli.Flag(&o.zero)},
		{Long: "binary", Short: 'b', Set: func(string) error { o.mode = binary; return nil }},
		{Long: "text", Short: 't', Set: func(string) error { o.mode = text; return nil }},
		{Long: "plain", Set: cli.Flag(&o.plain)},
		{Long: "reduced-round", Set: cli.Flag(&o.reduced)},
		{Long: "jobs", Short: 'j', Arg: true, Set: o.setJobs},
		{Long: "help", Set: cli.Flag(&o.help)},
		{Long: "version", Set: cli.Flag(&o.version)},
	}
}

func (o *options) setJobs(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxJobs {
		return fmt.Errorf("invalid number of jobs %s: must be from 1 to %d", cli.QuoteAlways(value), maxJobs)
	}
	o.jobs = n
	return nil
}

// validate reports options that exclude each other.
func (o *options) validate() error {
	switch {
	case o.tag && o.mode == text:
		return errors.New("--tag does not support --text mode")
	case o.check && o.zero:
		return errors.New("the --zero option is not supported when verifying checksums")
	case o.check && o.tag:
		return errors.New("the --tag option is meaningless when verifying checksums")
	case o.check && o.mode != unspecified:
		return errors.New("the --binary and --text options are meaningless when verifying checksums")
	case o.check && o.plain:
		return errors.New("the --plain option is meaningless when verifying checksums")
	}
	for _, x := range []struct {
		given bool
		name  string
	}{
		{o.ignoreMissing, "ignore-missing"},
		{o.status, "status"},
		{o.warn, "warn"},
		{o.quiet, "quiet"},
		{o.strict, "strict"},
	} {
		if x.given && !o.check {
			return fmt.Errorf("the --%s option is meaningful only when verifying checksums", x.name)
		}
	}
	return nil
}

const usage = `Usage: sha1dcsum [OPTION]... [FILE]...
Print or verify SHA-1 checksums and detect SHA-1 collision attacks.

The interface is that of sha1sum of GNU coreutils 9.1, and so is the output for
every file that is not part of an attack. Without FILE, or for the FILE -,
standard input is read.

  -b, --binary          mark names with '*' (files are read the same way)
  -c, --check           read checksum lines from the FILEs and verify them
      --tag             print lines of the BSD form, SHA1 (NAME) = DIGEST
  -t, --text            mark names with ' ' (the default)
  -z, --zero            end lines with NUL and do not escape file names
  -j, --jobs=N          hash up to N files at once, 1 to 256 (default: one for
                        each processor); output keeps the order of the FILEs

Collision attacks:
      --plain           print the SHA-1 of an attacked file as it is, not the
                        mitigated digest
      --reduced-round   also detect blocks that collide only if SHA-1 had fewer
                        steps; this changes the mitigated digest of such files

Only with --check:
      --ignore-missing  pass over files that do not exist
      --quiet           do not print OK lines
      --status          print no results; the exit status tells
      --strict          fail if a line is improperly formatted
  -w, --warn            name each line that is improperly formatted

      --help            print this help
      --version         print the version

A file is attacked if it holds a block that only a SHA-1 collision attack
makes: another file with the same SHA-1 exists or can be made. Its checksum
line is as valid as any other but shows a mitigated digest, which the other
file does not share. Standard error names the file, the byte at which the first
attacked block starts and the disturbance vector of the attack:

  sha1dcsum: NAME: SHA-1 collision attack in the block at byte 256, disturbance vector II(52,0)

With --check, an attacked file fails as 'NAME: COLLISION' if the listed digest
is its SHA-1 or its mitigated digest, as 'NAME: FAILED' if it is neither. With
--status nothing is printed about attacks either. A list made with
--reduced-round must be checked with it.

File names are escaped as sha1sum does: a line that starts with a backslash has
\\, \n and \r in its name. While it works for long, a progress line is shown if
standard error is a terminal and the program is in its foreground. A standard
stream that is closed counts as the null device.

Exit status:
  0  all is well
  1  a file could not be read or did not match, or the usage was wrong
  3  a file is part of a collision attack, whatever else went wrong
`
