package gitpack

import (
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
)

// errMoreInput is the error for a zlib stream that is not over at the end of
// its input.
var errMoreInput = errors.New("zlib stream goes on after the end of the input")

// An inflater inflates zlib streams one after the other.
type inflater struct {
	z   io.ReadCloser // also a zlib.Resetter
	in  bytes.Reader
	one [1]byte
}

// open starts reading a stream from r, of which it reads no byte too many.
func (f *inflater) open(r flate.Reader) error {
	if f.z == nil {
		z, err := zlib.NewReader(r)
		if err == nil {
			f.z = z
		}
		return streamError(err)
	}
	return streamError(f.z.(zlib.Resetter).Reset(r, nil))
}

// Read reads from the stream.
func (f *inflater) Read(p []byte) (int, error) {
	n, err := f.z.Read(p)
	if err != io.EOF {
		err = streamError(err)
	}
	return n, err
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

// inflate inflates the stream at the start of src, which must have the length
// of dst, and returns the number of bytes of src that it takes.
func (f *inflater) inflate(dst, src []byte) (int, error) {
	f.in.Reset(src)
	if err := f.open(&f.in); err != nil {
		return 0, err
	}
	if err := f.fill(dst); err != nil {
		return 0, err
	}
	return len(src) - f.in.Len(), nil
}

// streamError returns err with this package's reasons instead of the decoder's.
func streamError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == nil:
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return errMoreInput
	case errors.As(err, &corrupt), errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrDictionary), errors.Is(err, zlib.ErrHeader):
		return &compressionError{err}
	}
	return err
}

// compressionError is ErrCompression with the decoder's error.
type compressionError struct{ detail error }

func (e *compressionError) Error() string { return ErrCompression.Error() + ": " + e.detail.Error() }

func (e *compressionError) Is(target error) bool { return target == ErrCompression }
