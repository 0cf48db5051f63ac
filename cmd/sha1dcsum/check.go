package main

import (
	"io"
	"iter"
	"os"

	"github.com/sha1dc/go/internal/checksum"
	"github.com/sha1dc/go/internal/cli"
)

// checkAll verifies the files that the check files list.
func (c *command) checkAll(names []string) {
	var parser checksum.Parser
	for _, name := range names {
		if name == cli.StdinName {
			c.checkFrom(&parser, "standard input", c.stdin, true)
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			c.unreadable(name, err)
			continue
		}
		c.checkFrom(&parser, name, f, false)
		f.Close() // only read from: nothing can be lost
	}
}

// A tally counts what became of the lines of one check file.
type tally struct {
	formatted    int // properly formatted lines
	misformatted int
	unreadable   int
	matched      int
	mismatched   int
	attacked     int
}

// checkFrom verifies the files that one check file lists. A check file that is
// standard input cannot list standard input.
func (c *command) checkFrom(parser *checksum.Parser, name string, r io.Reader, isStdin bool) {
	var (
		t       tally
		readErr error
	)
	source := func(yield func(checksum.Line) bool) {
		for line, err := range parser.Lines(r) {
			if err != nil {
				readErr = err
				return
			}
			if isStdin && line.Name == cli.StdinName {
				line.OK = false
			}
			if !yield(line) {
				return
			}
		}
	}
	work := func(h *hasher, j *job[checksum.Line, result]) {
		if !j.item.OK {
			j.finish(result{})
			return
		}
		h.hash(j.item.Name, j.turn, j.finish)
	}
	ordered(c.jobs, iter.Seq[checksum.Line](source), newWorker(c, work), func(line checksum.Line, r result) {
		c.checked(&t, name, line, r)
	})
	if readErr != nil {
		c.failed = true
		c.printer.Warn("%s: read error", cli.Quote(name))
		return
	}
	c.summarize(&t, name)
}

// checked reports what became of one line of a check file.
func (c *command) checked(t *tally, checkFile string, line checksum.Line, r result) {
	if !line.OK {
		t.misformatted++
		if c.warn {
			c.printer.Warn("%s: %d: improperly formatted SHA1 checksum line", cli.Quote(checkFile), line.Number)
		}
		return
	}
	t.formatted++
	if r.err != nil && c.ignoreMissing && isMissing(r.err) {
		return
	}
	if r.err != nil {
		t.unreadable++
		c.unreadable(line.Name, r.err)
		c.verdict(line.Name, "FAILED open or read")
		return
	}
	match := line.Sum == r.sum || r.attack != nil && line.Sum == r.attack.Plain
	if match {
		t.matched++
	} else {
		t.mismatched++
	}
	if r.attack != nil {
		t.attacked++
		c.attackOn(line.Name, r.attack)
	}
	switch {
	case !match:
		c.verdict(line.Name, "FAILED")
	case r.attack != nil:
		c.verdict(line.Name, "COLLISION")
	case !c.quiet:
		c.verdict(line.Name, "OK")
	}
}

// verdict prints the result for a listed file.
func (c *command) verdict(name, text string) {
	if !c.status {
		c.printer.Print([]byte(checksum.Report(name) + ": " + text + "\n"))
	}
}

// summarize reports on a whole check file.
func (c *command) summarize(t *tally, name string) {
	if t.formatted == 0 {
		c.failed = true
		c.printer.Warn("%s: no properly formatted checksum lines found", cli.Quote(name))
		return
	}
	if t.mismatched > 0 || t.unreadable > 0 || t.matched == 0 || c.strict && t.misformatted > 0 {
		c.failed = true
	}
	if c.status {
		return
	}
	c.warnCount(t.misformatted, "line is improperly formatted", "lines are improperly formatted")
	c.warnCount(t.unreadable, "listed file could not be read", "listed files could not be read")
	c.warnCount(t.mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
	c.warnCount(t.attacked, "listed file is part of a collision attack", "listed files are part of a collision attack")
	if c.ignoreMissing && t.matched == 0 {
		c.printer.Warn("%s: no file was verified", cli.Quote(name))
	}
}

// warnCount prints a warning about n things, if there are any.
func (c *command) warnCount(n int, singular, plural string) {
	switch {
	case n == 1:
		c.printer.Warn("WARNING: %d %s", n, singular)
	case n > 1:
		c.printer.Warn("WARNING: %d %s", n, plural)
	}
}
