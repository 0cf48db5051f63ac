package gitpack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/adler32"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/sha1dc/go/internal/inflate"
)

// errMoreInput is the error for a zlib stream that is not over at the end of
// its input.
var errMoreInput = errors.New("zlib stream goes on after the end of the input")

// Bytes of a zlib stream (RFC 1950) before and after the compressed data.
const (
	zlibHeader  = 2
	zlibTrailer = 4
)

// An inflater inflates zlib streams one after the other. Those that are in
// memory are left to a decoder that is fast but gives up on errors; for what it
// gives up on, and for streams that come in pieces, there is a general one.
type inflater struct {
	fast inflate.Decoder

	from flate.Reader // of the stream that is open
	z    io.ReadCloser
	sum  hash.Hash32
	over bool
	in   bytes.Reader
	one  [1]byte
}

// inflate inflates the stream at the start of src, which must have the length
// of dst, and returns the number of bytes of src that it takes.
func (f *inflater) inflate(dst, src []byte) (int, error) {
	if len(src) >= zlibHeader && checkHeader(src[0], src[1]) == nil {
		if n, ok := f.fast.Decode(dst, src[zlibHeader:]); ok {
			sum := src[zlibHeader+n:]
			if len(sum) >= zlibTrailer && binary.BigEndian.Uint32(sum) == adler32.Checksum(dst) {
				return zlibHeader + n + zlibTrailer, nil
			}
		}
	}
	f.in.Reset(src)
	if err := f.open(&f.in); err != nil {
		return 0, err
	}
	if err := f.fill(dst); err != nil {
		return 0, err
	}
	return len(src) - f.in.Len(), nil
}

// checkHeader checks the header of a zlib stream.
func checkHeader(method, flags byte) error {
	switch v := uint(method)<<8 | uint(flags); {
	case method&15 != 8:
		return damaged("compression method %d is not deflate", method&15)
	case method>>4 > 7:
		return damaged("the window is larger than 32 KiB")
	case v%31 != 0:
		return damaged("the header %#04x is not a multiple of 31", v)
	case flags&0x20 != 0:
		return damaged("it needs a preset dictionary")
	}
	return nil
}

// open starts reading a stream from r, of which it reads no byte too many.
func (f *inflater) open(r flate.Reader) error {
	var h [zlibHeader]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return streamError(err)
	}
	if err := checkHeader(h[0], h[1]); err != nil {
		return err
	}
	f.from, f.over = r, false
	if f.z == nil {
		f.z, f.sum = flate.NewReader(r), adler32.New()
		return nil
	}
	f.sum.Reset()
	return f.z.(flate.Resetter).Reset(r, nil)
}

// Read reads from the stream. At its end it checks the checksum.
func (f *inflater) Read(p []byte) (int, error) {
	if f.over {
		return 0, io.EOF
	}
	n, err := f.z.Read(p)
	f.sum.Write(p[:n])
	if err != io.EOF {
		return n, streamError(err)
	}
	var sum [zlibTrailer]byte
	if _, err := io.ReadFull(f.from, sum[:]); err != nil {
		return n, streamError(err)
	}
	if got, want := binary.BigEndian.Uint32(sum[:]), f.sum.Sum32(); got != want {
		return n, damaged("its Adler-32 is %08x, but the content's is %08x", got, want)
	}
	f.over = true
	return n, io.EOF
}

// finish returns nil if the stream is over and its checksum is right.
func (f *inflater) finish() error {
	for range 100 {
		n, err := f.Read(f.one[:])
		if n > 0 {
			return ErrTooLong
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// fill reads the whole stream, which must have the length of dst.
func (f *inflater) fill(dst []byte) error {
	_, err := io.ReadFull(f, dst)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrTooShort
	}
	if err != nil {
		return err
	}
	return f.finish()
}

// streamError returns err with this package's reasons instead of the decoder's.
func streamError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == nil:
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return errMoreInput
	case errors.As(err, &corrupt):
		return &compressionError{corrupt}
	}
	return err
}

// compressionError is ErrCompression with more about it.
type compressionError struct{ detail error }

func damaged(format string, args ...any) error {
	return &compressionError{fmt.Errorf(format, args...)}
}

func (e *compressionError) Error() string { return ErrCompression.Error() + ": " + e.detail.Error() }

func (e *compressionError) Is(target error) bool { return target == ErrCompression }
