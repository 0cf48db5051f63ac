package gitpack

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/sha1dc/go/internal/inflate"
	"github.com/sha1dc/go/sha1dc"
)

const (
	packHeader  = 12          // bytes: signature, version, number of objects
	trailerSize = sha1dc.Size // bytes: checksum of all before it
)

// smallObject is the size up to which contents and deltas are inflated to
// memory in the first pass. Larger contents are hashed as they are inflated.
const smallObject = 256 << 10

// A refDelta is an entry whose base is named by its id.
type refDelta struct {
	base  ID
	entry uint32
}

// A scan is the first pass over a pack: it reads every entry, hashes what is
// stored whole, and remembers the deltas.
type scan struct {
	*job
	w        *window
	inf      inflater
	stream   Hasher // for large objects
	batch    *batch
	discard  []byte
	progress ticker
	declared uint64 // number of objects, as the header says
}

// run reads the pack from its signature to its checksum.
func (s *scan) run(ctx context.Context) error {
	if err := s.header(); err != nil {
		return err
	}
	s.batch = s.batches.get(0)
	for n := range s.declared {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := s.entry(ctx); err != nil {
			return err
		}
		s.progress.tell(Progress{Reading, n + 1, s.declared, s.w.offset()})
	}
	s.batches.put(s.batch)
	return s.trailer()
}

// fail returns the error for the entry or byte at offset. What comes from the
// source of the pack is returned as it is.
func (s *scan) fail(err error, offset uint64) error {
	if err == io.EOF || err == errMoreInput {
		return &PackError{Reason: ErrTruncated, Offset: s.w.offset()}
	}
	return entryError(err, offset)
}

// entryError returns the error for the entry at offset. What is no fault of the
// pack is returned as it is.
func entryError(err error, offset uint64) error {
	var c *compressionError
	if errors.As(err, &c) {
		return &PackError{Reason: ErrCompression, Offset: offset, Detail: c.detail}
	}
	if isReason(err) {
		return &PackError{Reason: err, Offset: offset}
	}
	return err
}

// isReason reports whether err is one that an entry can give.
func isReason(err error) bool {
	switch err {
	case ErrTooShort, ErrTooLong, ErrDeltaHeader, ErrDeltaBaseSize, ErrDeltaOpcode, ErrDeltaCopy, ErrDeltaEnd, ErrDeltaResult:
		return true
	}
	return false
}

// header reads the signature, version and number of objects.
func (s *scan) header() error {
	var h [packHeader]byte
	if n, err := io.ReadFull(s.w, h[:]); err != nil {
		if n > 0 && !bytes.HasPrefix([]byte("PACK"), h[:min(n, 4)]) {
			return &PackError{Reason: ErrSignature}
		}
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		return s.fail(err, 0)
	}
	if string(h[:4]) != "PACK" {
		return &PackError{Reason: ErrSignature}
	}
	if v := binary.BigEndian.Uint32(h[4:]); v != 2 && v != 3 {
		return &PackError{Reason: ErrVersion, Offset: 4, Detail: fmt.Errorf("it is %d", v)}
	}
	s.declared = uint64(binary.BigEndian.Uint32(h[8:]))
	if s.declared > s.opt.Limits.Objects {
		return &LimitError{Limit: "Objects", Max: s.opt.Limits.Objects, Offset: 8}
	}
	return nil
}

// entry reads one entry.
func (s *scan) entry(ctx context.Context) error {
	offset := s.w.offset()
	s.w.startCRC()
	e := s.table.add()
	e.offset, e.base = offset, noBase
	if err := s.entryHeader(e); err != nil {
		return s.fail(err, offset)
	}
	e.header = uint8(s.w.offset() - offset)
	if e.size > s.opt.Limits.ObjectSize {
		return &LimitError{Limit: "ObjectSize", Max: s.opt.Limits.ObjectSize, Offset: offset}
	}
	if err := s.inflated(e.size, offset); err != nil {
		return err
	}
	var err error
	if e.size <= smallObject {
		err = s.small(e)
	} else {
		err = s.large(ctx, e)
	}
	if err != nil {
		return s.fail(err, offset)
	}
	e.crc = s.w.endCRC()
	return nil
}

// entryHeader reads type, size and the base of a delta.
func (s *scan) entryHeader(e *entry) error {
	c, err := s.w.ReadByte()
	if err != nil {
		return err
	}
	e.stored = ObjectType(c >> 4 & 7)
	e.size = uint64(c & 15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = s.w.ReadByte(); err != nil {
			return err
		}
		bits := uint64(c & 0x7f)
		if shift > 63 || bits<<shift>>shift != bits {
			return &PackError{Reason: ErrSizeOverflow, Offset: e.offset}
		}
		e.size |= bits << shift
	}
	n := s.table.count - 1
	switch {
	case e.stored.isObject():
		e.object = e.stored
	case e.stored == OfsDelta:
		base, err := s.baseOffset(e.offset)
		if err != nil {
			return err
		}
		at, ok := s.table.find(base, n)
		if !ok {
			return &PackError{Reason: ErrBaseNotFound, Offset: e.offset, Detail: fmt.Errorf("it is %d", base)}
		}
		e.base = uint32(at)
	case e.stored == RefDelta:
		r := refDelta{entry: uint32(n)}
		if _, err := io.ReadFull(s.w, r.base[:]); err != nil {
			if err == io.ErrUnexpectedEOF {
				err = io.EOF
			}
			return err
		}
		s.refs = append(s.refs, r)
	default:
		return &PackError{Reason: ErrObjectType, Offset: e.offset, Detail: fmt.Errorf("it is %d", e.stored)}
	}
	return nil
}

// baseOffset reads the distance of the entry at offset to its base, and returns
// the base's offset.
func (s *scan) baseOffset(offset uint64) (uint64, error) {
	c, err := s.w.ReadByte()
	if err != nil {
		return 0, err
	}
	distance := uint64(c & 0x7f)
	for c&0x80 != 0 {
		if c, err = s.w.ReadByte(); err != nil {
			return 0, err
		}
		if distance+1 >= 1<<(64-7) {
			return 0, &PackError{Reason: ErrBaseOffset, Offset: offset, Detail: errors.New("the distance does not fit in 64 bits")}
		}
		distance = (distance+1)<<7 | uint64(c&0x7f)
	}
	if distance == 0 || distance >= offset {
		return 0, &PackError{Reason: ErrBaseOffset, Offset: offset, Detail: fmt.Errorf("the distance is %d", distance)}
	}
	return offset - distance, nil
}

// longest returns the most bytes that a compressor writes for size bytes
// without being silly: zlib's own bound.
func longest(size uint64) int { return int(size + size>>8 + 64 + inflate.Slack) }

// small inflates an entry to memory.
func (s *scan) small(e *entry) error {
	dst := s.room(e)
	n, err := s.inf.inflate(dst[headroom:], s.w.ahead(longest(e.size)))
	switch {
	case err == nil:
		s.w.skip(n)
	case err == errMoreInput:
		if err := s.inf.open(s.w); err != nil {
			return err
		}
		if err := s.inf.fill(dst[headroom:]); err != nil {
			return err
		}
	default:
		return err
	}
	if !e.stored.isDelta() {
		s.batch.add(e, message(e.stored, dst))
	}
	return nil
}

// room returns where to inflate a small entry: in the batch if it is to be
// hashed or kept.
func (s *scan) room(e *entry) []byte {
	need := headroom + int(e.size)
	if e.stored.isDelta() && !s.batch.kept() {
		if s.discard == nil {
			s.discard = make([]byte, headroom+smallObject+inflate.Slack)
		}
		return s.discard[:need]
	}
	if !s.batch.fits(need) {
		s.batches.put(s.batch)
		s.batch = s.batches.get(need)
		if e.stored.isDelta() && !s.batch.kept() {
			return s.room(e)
		}
	}
	return s.batch.take(e, need)
}

// large inflates an entry piece by piece. Objects are hashed, deltas only
// checked.
func (s *scan) large(ctx context.Context, e *entry) error {
	if s.stream == nil {
		s.stream = s.opt.NewHasher()
	}
	if s.discard == nil {
		s.discard = make([]byte, headroom+smallObject+inflate.Slack)
	}
	hash := !e.stored.isDelta()
	if hash {
		s.stream.Reset()
		s.stream.Write(appendHeader(nil, e.stored, e.size))
	}
	if err := s.inf.open(s.w); err != nil {
		return err
	}
	for left := e.size; left > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p := s.discard[:min(left, uint64(len(s.discard)))]
		n, err := s.inf.Read(p)
		left -= uint64(n)
		if hash {
			s.stream.Write(p[:n])
		}
		if err == io.EOF && left > 0 {
			return ErrTooShort
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
	if err := s.inf.finish(); err != nil {
		return err
	}
	if hash {
		return s.hashed(e, s.stream.Result())
	}
	return nil
}

// trailer reads the checksum and makes sure that nothing follows.
func (s *scan) trailer() error {
	at := s.w.offset()
	if err := s.w.pass(); err != nil {
		return err
	}
	s.w.sum.Sum(s.checksum[:0])
	var got ID
	for n := range got {
		c, err := s.w.ReadByte()
		if err != nil {
			return s.fail(err, at)
		}
		got[n] = c
	}
	if got != s.checksum {
		return &PackError{Reason: ErrPackChecksum, Offset: at, Detail: fmt.Errorf("it is %v, but the content's is %v", got, s.checksum)}
	}
	s.end = at
	if s.w.start == s.w.end && !s.opt.StopAtTrailer {
		if err := s.w.more(); err != nil && err != io.EOF {
			return err
		}
	}
	if s.w.start != s.w.end {
		return &PackError{Reason: ErrTrailingData, Offset: s.w.offset()}
	}
	return s.w.pass()
}

// sortRefs puts the deltas with named bases in the order of those names.
func sortRefs(refs []refDelta) {
	slices.SortFunc(refs, func(a, b refDelta) int {
		return cmp.Or(bytes.Compare(a.base[:], b.base[:]), cmp.Compare(a.entry, b.entry))
	})
}

// inPackOrder sorts deltas by their place in the pack.
func inPackOrder(refs []refDelta) []refDelta {
	slices.SortFunc(refs, func(a, b refDelta) int { return cmp.Compare(a.entry, b.entry) })
	return refs
}
