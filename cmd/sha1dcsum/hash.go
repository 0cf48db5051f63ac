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

// Each worker has a buffer of readBuffer bytes, in which it collects files of up
// to smallFile bytes to hash them together. It reads others readSize bytes at a
// time.
const (
	readBuffer = 1 << 20
	smallFile  = 64 << 10
	readSize   = 256 << 10
)

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
	work := func(h *hasher, j *job[string, result]) { h.hash(j.item, j.turn, j.finish) }
	ordered(c.jobs, slices.Values(names), newWorker(c, work), func(name string, r result) {
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

// newWorker returns what gives each worker a hasher of its own, with which it
// does work for each of its jobs.
func newWorker[T any](c *command, work func(*hasher, *job[T, result])) func() func([]*job[T, result]) {
	return func() func([]*job[T, result]) {
		h := c.newHasher()
		return func(jobs []*job[T, result]) {
			for _, j := range jobs {
				work(h, j)
			}
			h.flush()
		}
	}
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

// A hasher hashes files: the small ones some at a time, the others one after the
// other.
type hasher struct {
	digest   *sha1dc.Digest
	buf      []byte
	stdin    io.Reader
	progress *cli.Progress

	// Small files that have been read.
	batch    *sha1dc.Batch
	messages [][]byte
	finishes []func(result)
	sums     []sha1dc.Result
	free     []byte // of buf
}

func (c *command) newHasher() *hasher {
	cfg := sha1dc.Config{ReducedRounds: c.reduced}
	buf := make([]byte, readBuffer)
	return &hasher{digest: cfg.New(), batch: cfg.NewBatch(), buf: buf, free: buf, stdin: c.stdin, progress: &c.progress}
}

// hash hashes a file and calls finish with the result, which may come as late
// as with the next flush. Standard input, pipes and devices give their bytes
// only once, maybe to several operands: they are opened in turn.
func (h *hasher) hash(name string, turn <-chan struct{}, finish func(result)) {
	if name == cli.StdinName {
		h.flush()
		<-turn
		finish(h.rest(h.stdin, nil))
		return
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		h.flush()
		<-turn
	}
	f, err := os.Open(name)
	if err != nil {
		finish(result{err: err})
		return
	}
	data, whole, err := h.readSmall(f)
	r := result{err: err}
	if err == nil && !whole {
		h.flush() // the buffer is needed
		r = h.rest(f, data)
	}
	if err := f.Close(); err != nil && r.err == nil {
		r.err = err
	}
	if r.err != nil || !whole {
		finish(r)
		return
	}
	h.messages, h.finishes = append(h.messages, data), append(h.finishes, finish)
	h.free = h.free[len(data):]
	if len(h.free) <= smallFile {
		h.flush()
	}
}

// readSmall reads r into the free part of the buffer, and reports whether that
// is all of it or the beginning of something larger.
func (h *hasher) readSmall(r io.Reader) (data []byte, whole bool, err error) {
	space := h.free[:smallFile+1]
	for n := 0; ; {
		m, err := r.Read(space[n:])
		n += m
		h.progress.Bytes.Add(int64(m))
		switch {
		case n == len(space):
			return space, false, nil
		case err == io.EOF:
			return space[:n], true, nil
		case err != nil:
			return nil, false, err
		}
	}
}

// flush hashes the small files that have been read.
func (h *hasher) flush() {
	h.sums = h.batch.Sum(h.sums[:0], h.messages)
	for n, sum := range h.sums {
		r := result{sum: sum.Digest}
		errors.As(sum.Err, &r.attack)
		h.progress.Files.Add(1)
		h.finishes[n](r)
	}
	clear(h.finishes)
	h.messages, h.finishes, h.free = h.messages[:0], h.finishes[:0], h.buf
}

// rest hashes what begins with data and goes on with r.
func (h *hasher) rest(r io.Reader, data []byte) result {
	h.digest.Reset()
	h.digest.Write(data)
	for {
		n, err := r.Read(h.buf[:readSize])
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
