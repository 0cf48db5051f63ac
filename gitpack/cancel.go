package gitpack

import (
	"context"
	"io"
)

// A cancelReader reads from another reader until a context ends, even while
// that waits. The read that was waiting then goes on in the background; what it
// returns is lost.
type cancelReader struct {
	ctx  context.Context
	buf  []byte
	want chan []byte
	got  chan readResult
}

type readResult struct {
	n   int
	err error
}

// cancelReadSize is the most bytes read at a time, that of a full pipe.
const cancelReadSize = 64 << 10

func newCancelReader(ctx context.Context, src io.Reader) *cancelReader {
	r := &cancelReader{
		ctx: ctx, buf: make([]byte, cancelReadSize),
		want: make(chan []byte), got: make(chan readResult, 1),
	}
	go func() {
		for p := range r.want {
			n, err := src.Read(p)
			r.got <- readResult{n, err}
		}
	}()
	return r
}

// Read implements io.Reader.
func (r *cancelReader) Read(p []byte) (int, error) {
	select {
	case r.want <- r.buf[:min(len(p), len(r.buf))]:
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	}
	select {
	case res := <-r.got:
		return copy(p, r.buf[:res.n]), res.err
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	}
}

// stop ends the goroutine, when its read returns.
func (r *cancelReader) stop() { close(r.want) }
