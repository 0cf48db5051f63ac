package gitpack

import (
	"hash/crc32"
	"io"

	"github.com/sha1dc/go/sha1dc"
)

// The number of bytes of a pack that are in memory at a time, of a file and of a
// stream.
const (
	windowSize       = 1 << 20
	streamWindowSize = 2 * cancelReadSize
)

// A window is the part of a pack that is being read. It passes on what has been
// read to a checksum, a CRC-32 and a writer.
type window struct {
	src   io.Reader
	spool io.Writer // nil if the pack is a file already

	// eager is set if src is a file, which can be read ahead. A sender may wait for
	// an answer after the last byte of a pack, so that reading more would block.
	eager bool

	limit uint64 // of bytes

	buf        []byte
	start, end int    // the bytes not yet read are buf[start:end]
	passed     int    // buf[:passed] has been passed to the checksum and the spool
	crcMark    int    // buf[:crcMark] is in the CRC-32
	base       uint64 // offset in the pack of buf[0]
	err        error  // of src, once it gave one

	sum *sha1dc.Digest
	crc uint32
}

func newWindow(src io.Reader, spool io.Writer, eager bool, limit uint64) *window {
	size := windowSize
	if !eager {
		size = streamWindowSize
	}
	return &window{src: src, spool: spool, eager: eager, limit: limit, buf: make([]byte, size), sum: detectOnly.New()}
}

// offset returns the offset in the pack of the next byte.
func (w *window) offset() uint64 { return w.base + uint64(w.start) }

// startCRC starts the CRC-32 of an entry at the next byte.
func (w *window) startCRC() { w.crc, w.crcMark = 0, w.start }

// endCRC returns the CRC-32 since startCRC.
func (w *window) endCRC() uint32 {
	w.crc = crc32.Update(w.crc, crc32.IEEETable, w.buf[w.crcMark:w.start])
	w.crcMark = w.start
	return w.crc
}

// pass passes on what has been read.
func (w *window) pass() error {
	p := w.buf[w.passed:w.start]
	w.passed = w.start
	if len(p) == 0 {
		return nil
	}
	w.sum.Write(p)
	if w.spool == nil {
		return nil
	}
	_, err := w.spool.Write(p)
	return err
}

// more reads from src at least one byte, once. At the end of src the error is
// io.EOF.
func (w *window) more() error {
	if w.err != nil {
		return w.err
	}
	if w.start > 0 {
		w.endCRC()
		if err := w.pass(); err != nil {
			w.err = err
			return err
		}
		w.end = copy(w.buf, w.buf[w.start:w.end])
		w.base += uint64(w.start)
		w.start, w.passed, w.crcMark = 0, 0, 0
	}
	for range 100 {
		n, err := w.src.Read(w.buf[w.end:])
		w.end += n
		if w.base+uint64(w.end) > w.limit {
			w.err = &LimitError{Limit: "PackSize", Max: w.limit, Offset: w.limit}
			return w.err
		}
		if n > 0 {
			w.err = err
			return nil
		}
		if err != nil {
			w.err = err
			return err
		}
	}
	w.err = io.ErrNoProgress
	return w.err
}

// ahead returns the bytes that follow, n of them if they can be had without
// waiting for them, and fewer or more otherwise.
func (w *window) ahead(n int) []byte {
	for w.eager && w.end-w.start < min(n, len(w.buf)) && w.more() == nil {
	}
	return w.buf[w.start:w.end]
}

// skip marks n bytes that ahead has returned as read.
func (w *window) skip(n int) { w.start += n }

// ReadByte implements io.ByteReader.
func (w *window) ReadByte() (byte, error) {
	if w.start == w.end {
		if err := w.more(); err != nil {
			return 0, err
		}
	}
	w.start++
	return w.buf[w.start-1], nil
}

// Read implements io.Reader.
func (w *window) Read(p []byte) (int, error) {
	if w.start == w.end {
		if err := w.more(); err != nil {
			return 0, err
		}
	}
	n := copy(p, w.buf[w.start:w.end])
	w.start += n
	return n, nil
}
