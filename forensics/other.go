package forensics

import (
	"errors"
	"fmt"
	"io"

	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/sha1dc"
)

// ErrNoOther is the error for attacks without HasOther.
var ErrNoOther = errors.New("no other message has the same SHA-1")

// WriteOther writes the other message of an attack of r to w, and checks it. If
// the attack is complete, message must give the message again; the other one is
// written whole, and must turn out to have the same SHA-1 and another mitigated
// digest. Otherwise message is not read: only the twins are written, one after
// the other, and must lead from the first's chaining value to that of the
// message. On any error what was written is worthless.
func (r *Report) WriteOther(w io.Writer, a *Attack, message io.Reader) error {
	if !a.HasOther() {
		return ErrNoOther
	}
	if !a.Complete() {
		return a.writeTwins(w, r.Size)
	}
	d := sha1dc.Config{ReducedRounds: r.Options.ReducedRounds}.New()
	n, err := io.Copy(io.MultiWriter(w, d), &otherReader{message: message, blocks: a.Blocks})
	if err != nil {
		return err
	}
	if n != r.Size {
		return fmt.Errorf("the message changed since it was analyzed: it had %d bytes and has %d", r.Size, n)
	}
	var e *sha1dc.CollisionError
	switch {
	case !errors.As(d.Err(), &e):
		return fmt.Errorf("the other message would not be attacked, so that it is wrong; its SHA-1 is %x", d.Sum(nil))
	case e.Plain != r.Plain:
		return fmt.Errorf("the message changed since it was analyzed: the other one would have the SHA-1 %x, not %x", e.Plain, r.Plain)
	case e.Mitigated == r.Mitigated:
		return fmt.Errorf("the other message would have the same mitigated digest, %x", e.Mitigated)
	}
	return nil
}

// writeTwins writes the twins of all blocks, up to the size of the message.
func (a *Attack) writeTwins(w io.Writer, size int64) error {
	h := a.Blocks[0].TwinIn
	for n := range a.Blocks {
		b := &a.Blocks[n]
		if _, err := w.Write(b.Twin[:min(size-b.Offset, sha1dc.BlockSize)]); err != nil {
			return err
		}
		words := reference.Expand(b.Twin[:])
		h = reference.Compress(h, &words)
	}
	if want := a.Flagged().Out; h != want {
		return fmt.Errorf("the twins lead to the chaining value %v, not to %v", h, want)
	}
	return nil
}

// An otherReader reads a message with some blocks replaced by their twins.
type otherReader struct {
	message io.Reader
	at      int64   // bytes read
	blocks  []Block // not yet replaced to the end
}

func (o *otherReader) Read(p []byte) (int, error) {
	n, err := o.message.Read(p)
	for rest := p[:n]; len(rest) > 0 && len(o.blocks) > 0; {
		b := &o.blocks[0]
		if skip := b.Offset - o.at; skip > 0 {
			m := min(skip, int64(len(rest)))
			rest, o.at = rest[m:], o.at+m
			continue
		}
		from := int(o.at - b.Offset)
		m := min(len(rest), len(b.Data)-from)
		for i := range m {
			if rest[i] != b.Data[from+i] {
				return 0, fmt.Errorf("the message changed since it was analyzed: byte %d was %02x and is %02x", o.at+int64(i), b.Data[from+i], rest[i])
			}
			rest[i] = b.Twin[from+i]
		}
		rest, o.at = rest[m:], o.at+int64(m)
		if from+m == len(b.Data) {
			o.blocks = o.blocks[1:]
		}
	}
	return n, err
}
