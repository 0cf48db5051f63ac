package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// A printer writes to standard output and standard error in the order in which
// it is told to, around a progress line that is on the screen meanwhile. It
// keeps the first error of each.
type printer struct {
	stdout, stderr io.Writer
	buffered       bool // do not write each record at once

	mu     sync.Mutex
	buf    []byte // output not yet written
	outErr error
	errErr error
	line   string // the progress line on the screen
}

// bufferSize is how much output is kept if it is buffered.
const bufferSize = 4096

// print prints a record to standard output.
func (p *printer) print(record []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.buf = append(p.buf, record...)
	if !p.buffered || len(p.buf) >= bufferSize {
		p.flush()
	}
}

// warn prints a message to standard error, after all output before it.
func (p *printer) warn(format string, args ...any) {
	p.note(program + ": " + fmt.Sprintf(format, args...))
}

// note prints a line to standard error, after all output before it.
func (p *printer) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.flush()
	p.complain(line)
}

// show replaces the progress line on the screen; an empty one erases it. It is
// decoration: errors do not matter.
func (p *printer) show(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if line == "" {
		p.erase()
		return
	}
	p.line = fmt.Sprintf("%-*s", len(p.line), line) // covers the line before
	io.WriteString(p.stderr, "\r"+p.line)
}

// close writes what is left and reports whether all went well. As in
// coreutils, the reason of a write error is only given for the last write.
func (p *printer) close() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	early := p.outErr
	p.outErr = nil
	p.flush()
	switch {
	case p.outErr != nil:
		p.complain(fmt.Sprintf("%s: write error: %s", program, reason(p.outErr)))
	case early != nil:
		p.complain(program + ": write error")
	}
	return early == nil && p.outErr == nil && p.errErr == nil
}

// flush writes the buffered output. What cannot be written is dropped.
func (p *printer) flush() {
	if len(p.buf) == 0 {
		return
	}
	if _, err := p.stdout.Write(p.buf); err != nil && p.outErr == nil {
		p.outErr = err
	}
	p.buf = p.buf[:0]
}

func (p *printer) complain(line string) {
	if _, err := io.WriteString(p.stderr, line+"\n"); err != nil && p.errErr == nil {
		p.errErr = err
	}
}

// erase removes the progress line, with no more than a carriage return and
// blanks, which every terminal knows.
func (p *printer) erase() {
	if p.line != "" {
		io.WriteString(p.stderr, "\r"+strings.Repeat(" ", len(p.line))+"\r")
		p.line = ""
	}
}

// reason returns what the system says of a failed operation, without the
// operation and name, and with a capital as in C.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	text := []byte(err.Error())
	if len(text) > 0 && 'a' <= text[0] && text[0] <= 'z' {
		text[0] -= 'a' - 'A'
	}
	return string(text)
}

// isTerminal reports whether stream is a terminal: a character device that is not
// the null device.
func isTerminal(stream any) bool {
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
