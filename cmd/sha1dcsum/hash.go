package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/sha1dc/go/internal/checksum"
	"github.com/sha1dc/go/internal/cli"
	"github.com/sha1dc/go/sha1dc"
)

// readSize is the size of each worker's read buffer.
const readSize = 256 << 10

// A result is what became of hashing one file.
type result struct {
	sum    [sha1dc.Size]byte      // mitigated if the file is attacked
	attack *sha1dc.CollisionError // nil if it is not
	err    error                  // the file could not be read
}

// sum prints the checksum lines of files.
func (c *command) sum(names []string) {
	format := checksum.Format{Tag: c.tag, Binary: c.mode == binary, Zero: c.zero}
	c.printer.Buffered = c.zero
	var line []byte
	newWorker := func() func(string, <-chan struct{}) result { return c.newHasher().hash }
	ordered(c.jobs, slices.Values(names), newWorker, func(name string, r result) {
		if r.err != nil {
			c.unreadable(name, r.err)
			return
		}
		sum := r.sum
		if r.attack != nil {
			c.attackOn(name, r.attack)
			if c.plain {
				sum = r.attack.Plain
			}
		}
		line = format.Append(line[:0], sum, name)
		c.printer.Print(line)
	})
}

// unreadable reports a file that could not be read.
func (c *command) unreadable(name string, err error) {
	c.failed = true
	c.printer.Warn("%s: %s", cli.Quote(name), cli.Reason(err))
}

// attackOn reports an attacked file.
func (c *command) attackOn(name string, e *sha1dc.CollisionError) {
	c.attacked = true
	if !c.status {
		c.printer.Warn("%s: SHA-1 collision attack in the block at byte %d, disturbance vector %v", cli.Quote(name), e.Offset, e.DV)
	}
}

// A hasher hashes files one after the other.
type hasher struct {
	digest   *sha1dc.Digest
	buf      []byte
	stdin    io.Reader
	progress *cli.Progress
}

func (c *command) newHasher() *hasher {
	return &hasher{
		digest:   sha1dc.Config{ReducedRounds: c.reduced}.New(),
		buf:      make([]byte, readSize),
		stdin:    c.stdin,
		progress: &c.progress,
	}
}

// hash hashes a file. Standard input, pipes and devices give their bytes only
// once, maybe to several operands: they are opened in turn.
func (h *hasher) hash(name string, turn <-chan struct{}) result {
	if name == cli.StdinName {
		<-turn
		return h.read(h.stdin)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		<-turn
	}
	f, err := os.Open(name)
	if err != nil {
		return result{err: err}
	}
	r := h.read(f)
	if err := f.Close(); err != nil && r.err == nil {
		return result{err: err}
	}
	return r
}

// read hashes all of r.
func (h *hasher) read(r io.Reader) result {
	h.digest.Reset()
	for {
		n, err := r.Read(h.buf)
		h.digest.Write(h.buf[:n])
		h.progress.Bytes.Add(int64(n))
		if err == io.EOF {
			h.progress.Files.Add(1)
			return h.finish()
		}
		if err != nil {
			return result{err: err}
		}
	}
}

// finish returns the digest of what was read.
func (h *hasher) finish() result {
	var r result
	if _, attacked := h.digest.CollisionResistantSum(r.sum[:0]); attacked {
		errors.As(h.digest.Err(), &r.attack)
	}
	return r
}

// isMissing reports whether a file does not exist.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
