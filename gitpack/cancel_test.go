package gitpack

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"
	"time"
)

// TestCancelWhileWaiting cancels while the sender sends nothing.
func TestCancelWhileWaiting(t *testing.T) {
	pack, _ := indexed(t)
	for _, sent := range []int{0, 5, 100, len(pack)} {
		r, w := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		dir := t.TempDir()
		go func() {
			w.Write(pack[:sent])
			cancel()
		}()
		if _, err := Receive(ctx, r, Files{Dir: dir}, nil, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d bytes: error %v", sent, err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 0 {
			t.Errorf("after %d bytes: %d files are left", sent, len(files))
		}
		r.Close()
	}
}

// TestCancelEverywhere cancels at every report of progress.
func TestCancelEverywhere(t *testing.T) {
	dir := repository(t, history(60, 12))
	name := repack(t, dir)
	pack := read(t, name)
	cause := errors.New("enough")
	for at := range 8 {
		ctx, cancel := context.WithCancelCause(t.Context())
		calls := 0
		opt := Options{Progress: func(Progress) {
			if calls++; calls > at {
				cancel(cause)
			}
		}}
		out := t.TempDir()
		_, err := Receive(ctx, bytes.NewReader(pack), Files{Dir: out}, nil, opt)
		if err == nil && calls > at || err != nil && !errors.Is(err, cause) {
			t.Errorf("call %d of %d: error %v", at, calls, err)
		}
		if files, _ := os.ReadDir(out); err != nil && len(files) != 0 {
			t.Errorf("call %d: %d files are left", at, len(files))
		}
	}
}

// TestStopAtTrailer reads a pack from a sender that waits for an answer.
func TestStopAtTrailer(t *testing.T) {
	pack, _ := indexed(t)
	for _, chunk := range []int{1, 7, 64, len(pack)} {
		r, w := io.Pipe()
		go func() {
			for p := pack; len(p) > 0; {
				n, _ := w.Write(p[:min(chunk, len(p))])
				p = p[n:]
			}
		}()
		done := make(chan error)
		go func() {
			_, err := Receive(t.Context(), r, Files{Dir: t.TempDir()}, nil, Options{StopAtTrailer: true})
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("chunks of %d: %v", chunk, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("chunks of %d: still waiting", chunk)
		}
		r.Close()
	}
	// Without it the end of the stream is waited for, and what comes is refused.
	r, w := io.Pipe()
	go func() {
		w.Write(pack)
		time.Sleep(10 * time.Millisecond)
		w.Write([]byte("more"))
		w.Close()
	}()
	if _, err := Receive(t.Context(), r, Files{Dir: t.TempDir()}, nil, Options{}); !errors.Is(err, ErrTrailingData) {
		t.Errorf("error %v, want %v", err, ErrTrailingData)
	}
}

// TestReaders reads a pack that comes in many ways.
func TestReaders(t *testing.T) {
	dir := repository(t, history(20, 5))
	pack := read(t, repack(t, dir))
	broken := errors.New("line is dead")
	for name, r := range map[string]io.Reader{
		"byte by byte":   iotest.OneByteReader(bytes.NewReader(pack)),
		"in halves":      iotest.HalfReader(bytes.NewReader(pack)),
		"data with EOF":  iotest.DataErrReader(bytes.NewReader(pack)),
		"error after it": io.MultiReader(bytes.NewReader(pack), iotest.ErrReader(broken)),
		"error in it":    io.MultiReader(bytes.NewReader(pack[:len(pack)/2]), iotest.ErrReader(broken)),
		"error at once":  iotest.ErrReader(broken),
	} {
		_, err := Receive(t.Context(), r, Files{Dir: t.TempDir()}, nil, Options{})
		if fails := name[:5] == "error"; fails != errors.Is(err, broken) || !fails && err != nil {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
