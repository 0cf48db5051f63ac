package forensics

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/sha1dc/go/internal/reference"
)

// A repeater gives its bytes a number of times.
type repeater struct {
	bytes []byte
	times int
	at    int
}

func (r *repeater) Read(p []byte) (int, error) {
	if r.times == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.bytes[r.at:])
	if r.at += n; r.at == len(r.bytes) {
		r.at, r.times = 0, r.times-1
	}
	return n, nil
}

// TestLongStream analyzes a long stream behind an attack, in bounded memory.
func TestLongStream(t *testing.T) {
	times := 64
	if v := os.Getenv("SHA1DC_STREAM_MIB"); v != "" {
		var err error
		if times, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	megabyte := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{4}).Read(megabyte)
	head := files()["shattered-1"].Data
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Analyze(io.MultiReader(bytes.NewReader(head), &repeater{bytes: megabyte, times: times}), Options{})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if a := only(t, r); r.Size != int64(times)<<20+320 || a.Offset() != 192 || !a.Complete() {
		t.Errorf("%d bytes, attack at %d, complete: %v", r.Size, a.Offset(), a.Complete())
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestScanner checks what the scanner relies on: the place of the chaining
// value in a saved state, and that it can start anywhere.
func TestScanner(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	message := make([]byte, 40*64)
	for n := range message {
		message[n] = byte(rng.Uint32())
	}
	want := []ChainingValue{reference.Initial}
	for n := 0; n < len(message); n += 64 {
		w := reference.Expand(message[n : n+64])
		want = append(want, reference.Compress(want[n/64], &w))
	}
	for _, reduced := range []bool{false, true} {
		s := newScanner(reduced)
		for n := range 40 {
			if have := s.chain(); have != want[n] {
				t.Fatalf("block %d: %v, want %v", n, have, want[n])
			}
			s.next(message[64*n : 64*n+64])
		}
		s.resume(want[7], 7*64, message[7*64:])
		plain, _ := s.sums([]byte("tail"))
		if have := s.chain(); have != want[40] || s.end != int64(len(message)) {
			t.Errorf("%v after %d bytes, want %v", have, s.end, want[40])
		}
		if r := reference.Sum(append(message, "tail"...), reference.Options{}); r.Plain != plain {
			t.Errorf("%x, want %x", plain, r.Plain)
		}
	}
}

// TestReadError checks that what was read before an error is reported.
func TestReadError(t *testing.T) {
	head := files()["shattered-1"].Data
	r, err := Analyze(io.MultiReader(bytes.NewReader(head), brokenReader{}), Options{})
	if err != io.ErrClosedPipe || r.Size != 320 || !only(t, r).Complete() {
		t.Errorf("%v, %d bytes", err, r.Size)
	}
	// An end that a reader calls unexpected is an error as well.
	r, err = Analyze(io.MultiReader(bytes.NewReader(head), cutReader{}), Options{})
	if err != io.ErrUnexpectedEOF || r.Size != 320 {
		t.Errorf("%v, %d bytes", err, r.Size)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

type cutReader struct{}

func (cutReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
