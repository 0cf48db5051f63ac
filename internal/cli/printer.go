package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// A Printer writes to standard output and standard error in the order in which
// it is told to, around a progress line that is on the screen meanwhile. It
// keeps the first error of each.
type Printer struct {
	Program        string // the name in messages
	Stdout, Stderr io.Writer
	Buffered       bool // do not write each record at once

	mu     sync.Mutex
	buf    []byte // output not yet written
	outErr error
	errErr error
	line   string // the progress line on the screen
}

// bufferSize is how much output is kept if it is buffered.
const bufferSize = 4096

// Print prints a record to standard output.
func (p *Printer) Print(record []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.buf = append(p.buf, record...)
	if !p.Buffered || len(p.buf) >= bufferSize {
		p.flush()
	}
}

// Warn prints a message to standard error, after all output before it.
func (p *Printer) Warn(format string, args ...any) {
	p.Note(p.Program + ": " + fmt.Sprintf(format, args...))
}

// Note prints a line to standard error, after all output before it.
func (p *Printer) Note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.flush()
	p.complain(line)
}

// show replaces the progress line on the screen; an empty one erases it. It is
// decoration: errors do not matter.
func (p *Printer) show(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if line == "" {
		p.erase()
		return
	}
	p.line = fmt.Sprintf("%-*s", len(p.line), line) // covers the line before
	io.WriteString(p.Stderr, "\r"+p.line)
}

// Close writes what is left and reports whether all went well. As in
// coreutils, the reason of a write error is only given for the last write.
func (p *Printer) Close() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	early := p.outErr
	p.outErr = nil
	p.flush()
	switch {
	case p.outErr != nil:
		p.complain(fmt.Sprintf("%s: write error: %s", p.Program, Reason(p.outErr)))
	case early != nil:
		p.complain(p.Program + ": write error")
	}
	return early == nil && p.outErr == nil && p.errErr == nil
}

// flush writes the buffered output. What cannot be written is dropped.
func (p *Printer) flush() {
	if len(p.buf) == 0 {
		return
	}
	if _, err := p.Stdout.Write(p.buf); err != nil && p.outErr == nil {
		p.outErr = err
	}
	p.buf = p.buf[:0]
}

func (p *Printer) complain(line string) {
	if _, err := io.WriteString(p.Stderr, line+"\n"); err != nil && p.errErr == nil {
		p.errErr = err
	}
}

// erase removes the progress line, with no more than a carriage return and
// blanks, which every terminal knows.
func (p *Printer) erase() {
	if p.line != "" {
		io.WriteString(p.Stderr, "\r"+strings.Repeat(" ", len(p.line))+"\r")
		p.line = ""
	}
}

// Reason returns what the system says of a failed operation, without the
// operation and names, and with a capital as in C.
func Reason(err error) string {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &linkErr):
		err = linkErr.Err
	}
	text := []byte(err.Error())
	if len(text) > 0 && 'a' <= text[0] && text[0] <= 'z' {
		text[0] -= 'a' - 'A'
	}
	return string(text)
}

// IsTerminal reports whether stream is a terminal: a character device that is not
// the null device.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
