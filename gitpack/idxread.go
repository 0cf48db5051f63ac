package gitpack

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	fanoutSize   = 4 * fanoutEntries
	indexHeader  = 8 // bytes: signature and version, in version 2
	indexTrailer = 2 * trailerSize
)

// An indexFile is an index whose size and fan-out table are sound. It is read
// in pieces, so that its size does not matter.
type indexFile struct {
	io.ReaderAt
	size    int64
	version int
	fanout  [fanoutEntries]uint32
	large   int64 // number of 64-bit offsets
}

// openIndex reads the header and the fan-out table of an index, of version 1 or
// 2, and checks them and the size.
func openIndex(r io.ReaderAt, size int64) (*indexFile, error) {
	x := &indexFile{ReaderAt: r, size: size, version: 1}
	var head [indexHeader]byte
	if size < fanoutSize+indexTrailer {
		return nil, x.fail(ErrIndexSize, 0, fmt.Errorf("it has %d bytes", size))
	}
	if err := x.read(head[:], 0); err != nil {
		return nil, err
	}
	if string(head[:4]) == indexSignature {
		if v := binary.BigEndian.Uint32(head[4:]); v != indexVersion {
			return nil, x.fail(ErrIndexVersion, 4, fmt.Errorf("it is %d", v))
		}
		x.version = indexVersion
	}
	var fanout [fanoutSize]byte
	if err := x.read(fanout[:], x.fanoutAt()); err != nil {
		return nil, err
	}
	last := uint32(0)
	for n := range x.fanout {
		v := binary.BigEndian.Uint32(fanout[4*n:])
		if v < last {
			return nil, x.fail(ErrIndexFanout, uint64(x.fanoutAt())+4*uint64(n), fmt.Errorf("%d follows %d", v, last))
		}
		x.fanout[n], last = v, v
	}
	return x, x.checkSize()
}

// checkSize checks the size against the number of objects.
func (x *indexFile) checkSize() error {
	rest := x.size - x.leastSize()
	ok := rest == 0
	if x.version == indexVersion {
		x.large = rest / 8
		ok = rest%8 == 0 && rest >= 0 && x.large <= max(0, x.count()-1)
	}
	if !ok {
		return x.fail(ErrIndexSize, uint64(x.size), fmt.Errorf("the fan-out table says %d objects", x.count()))
	}
	return nil
}

// count returns the number of objects.
func (x *indexFile) count() int64 { return int64(x.fanout[fanoutEntries-1]) }

// fanoutAt returns the offset of the fan-out table, and namesAt and so on those
// of the tables that follow in version 2, with 64-bit offsets left out. In
// version 1 there is one table of offsets and names.
func (x *indexFile) fanoutAt() int64 {
	if x.version == 1 {
		return 0
	}
	return indexHeader
}

func (x *indexFile) namesAt() int64   { return x.fanoutAt() + fanoutSize }
func (x *indexFile) crcsAt() int64    { return x.namesAt() + trailerSize*x.count() }
func (x *indexFile) offsetsAt() int64 { return x.crcsAt() + 4*x.count() }
func (x *indexFile) largeAt() int64   { return x.offsetsAt() + 4*x.count() }

// leastSize returns the size without 64-bit offsets.
func (x *indexFile) leastSize() int64 {
	if x.version == 1 {
		return x.namesAt() + (4+trailerSize)*x.count() + indexTrailer
	}
	return x.largeAt() + indexTrailer
}

// read fills p from an offset.
func (x *indexFile) read(p []byte, at int64) error {
	n, err := x.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == io.EOF {
		return x.shortened(at + int64(n))
	}
	return err
}

// shortened returns the error for an index that ends before at.
func (x *indexFile) shortened(at int64) error {
	return x.fail(ErrIndexSize, uint64(at), errors.New("it became shorter while it was read"))
}

// fail returns an IndexError.
func (x *indexFile) fail(reason error, at uint64, detail error) error {
	return &IndexError{Reason: reason, Offset: at, Detail: detail}
}

// checkTrailer checks the two checksums at the end.
func (x *indexFile) checkTrailer(ctx context.Context, pack ID) error {
	var got [indexTrailer]byte
	at := x.size - indexTrailer
	if err := x.read(got[:], at); err != nil {
		return err
	}
	if p := ID(got[:trailerSize]); p != pack {
		return x.fail(ErrIndexPackChecksum, uint64(at), fmt.Errorf("it is %v, that of the pack %v", p, pack))
	}
	sum := detectOnly.New()
	if err := copyContext(ctx, sum, io.NewSectionReader(x, 0, at+trailerSize)); err != nil {
		return err
	}
	if got, want := ID(got[trailerSize:]), ID(sum.Sum(nil)); got != want {
		return x.fail(ErrIndexChecksum, uint64(at)+trailerSize, fmt.Errorf("it is %v, but the content's is %v", got, want))
	}
	return nil
}

// copyContext copies r to w until ctx ends.
func copyContext(ctx context.Context, w io.Writer, r io.Reader) error {
	buf := make([]byte, 256<<10)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := r.Read(buf)
		if _, err := w.Write(buf[:n]); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// An indexRow is what an index says about an object, and where.
type indexRow struct {
	id               ID
	crc              uint32
	offset           uint64
	idAt, crcAt, oAt uint64
}

// rows calls f for every object in turn. crc is meaningless in version 1.
func (x *indexFile) rows(f func(n int, row indexRow) error) error {
	section := func(at int64) *bufio.Reader {
		return bufio.NewReaderSize(io.NewSectionReader(x, at, x.size-at), 32<<10)
	}
	names, crcs, offsets, large := section(x.namesAt()), section(x.crcsAt()), section(x.offsetsAt()), section(x.largeAt())
	used := uint64(0)
	for n := range x.count() {
		var row indexRow
		var b [8]byte
		if x.version == 1 {
			at := x.namesAt() + (4+trailerSize)*n
			row.oAt, row.idAt = uint64(at), uint64(at)+4
			if err := x.fill(b[:4], names); err != nil {
				return err
			}
			row.offset = uint64(binary.BigEndian.Uint32(b[:]))
			if err := x.fill(row.id[:], names); err != nil {
				return err
			}
		} else {
			row.idAt, row.crcAt, row.oAt = uint64(x.namesAt()+trailerSize*n), uint64(x.crcsAt()+4*n), uint64(x.offsetsAt()+4*n)
			if err := x.fill(row.id[:], names); err != nil {
				return err
			}
			if err := x.fill(b[:4], crcs); err != nil {
				return err
			}
			row.crc = binary.BigEndian.Uint32(b[:])
			if err := x.fill(b[:4], offsets); err != nil {
				return err
			}
			row.offset = uint64(binary.BigEndian.Uint32(b[:]))
			if row.offset >= largeOffset {
				at := row.offset - largeOffset
				if at != used || at >= uint64(x.large) {
					return &IndexError{ErrIndexLargeOffset, row.oAt, row.id, fmt.Errorf("it is number %d of %d, after %d others", at, x.large, used)}
				}
				used++
				if err := x.fill(b[:], large); err != nil {
					return err
				}
				row.offset = binary.BigEndian.Uint64(b[:])
			}
		}
		if err := f(int(n), row); err != nil {
			return err
		}
	}
	if used != uint64(x.large) {
		return x.fail(ErrIndexLargeOffset, uint64(x.largeAt()), fmt.Errorf("%d of %d are in use", used, x.large))
	}
	return nil
}

// fill reads len(p) bytes of a table.
func (x *indexFile) fill(p []byte, r io.Reader) error {
	_, err := io.ReadFull(r, p)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return x.shortened(x.size)
	}
	return err
}

// compare checks all that the index says about the objects of a pack, which are
// in the order of their ids.
func (x *indexFile) compare(ctx context.Context, t *table, order []uint32) error {
	if x.count() != int64(len(order)) {
		return x.fail(ErrIndexCount, uint64(x.fanoutAt())+fanoutSize-4, fmt.Errorf("it has %d, the pack %d", x.count(), len(order)))
	}
	var last ID
	err := x.rows(func(n int, row indexRow) error {
		if n%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e := t.at(int(order[n]))
		switch {
		case bytes.Compare(row.id[:], last[:]) < 0:
			return &IndexError{ErrIndexOrder, row.idAt, row.id, fmt.Errorf("it follows %v", last)}
		case row.id != e.id:
			return &IndexError{ErrIndexObject, row.idAt, row.id, fmt.Errorf("the pack has %v there", e.id)}
		case x.version == indexVersion && row.crc != e.crc:
			return &IndexError{ErrIndexCRC, row.crcAt, row.id, fmt.Errorf("it is %08x, that of the pack %08x", row.crc, e.crc)}
		case row.offset != e.offset:
			return &IndexError{ErrIndexOffset, row.oAt, row.id, fmt.Errorf("it is %d, that of the pack %d", row.offset, e.offset)}
		}
		last = row.id
		return nil
	})
	if err != nil {
		return err
	}
	return x.compareFanout(t, order)
}

// compareFanout checks the fan-out table against the ids.
func (x *indexFile) compareFanout(t *table, order []uint32) error {
	n := 0
	for b, v := range x.fanout {
		for n < len(order) && int(t.at(int(order[n])).id[0]) <= b {
			n++
		}
		if int64(v) != int64(n) {
			return x.fail(ErrIndexFanout, uint64(x.fanoutAt())+4*uint64(b), fmt.Errorf("it says %d objects instead of %d", v, n))
		}
	}
	return nil
}
