package gitpack

import (
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
)

// unresolved returns the deltas whose base has not been found, in the order of
// the pack.
func (r *resolver) unresolved() []refDelta {
	var out []refDelta
	for n, d := range r.refs {
		if !r.claimed[n].Load() {
			out = append(out, d)
		}
	}
	return inPackOrder(out)
}

// unresolvedError returns the error for deltas whose base has not been found.
func (r *resolver) unresolvedError(missing []refDelta) error {
	d := missing[0]
	return &PackError{
		Reason: ErrUnresolved, Offset: r.table.at(int(d.entry)).offset, Object: d.base,
		Detail: fmt.Errorf("%d deltas name bases that are neither in the pack nor made by it", len(missing)),
	}
}

// complete appends to the pack the objects from outside that are bases of
// deltas in it, and resolves those.
func (r *resolver) complete(ctx context.Context, pack *os.File, bases BaseFunc) (added int, err error) {
	var missing []refDelta
	for {
		missing = r.unresolved()
		before := added
		for _, d := range missing {
			if r.claimed[r.firstRef(d.base)].Load() {
				continue // resolved since
			}
			t, content, err := bases(ctx, d.base)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return added, fmt.Errorf("base %v of the delta at offset %d: %w", d.base, r.table.at(int(d.entry)).offset, err)
			}
			first := r.table.count
			if err := r.append(pack, d, t, content); err != nil {
				return added, err
			}
			added++
			if err := r.run(ctx, first); err != nil {
				return added, err
			}
		}
		if added == before {
			break
		}
	}
	if len(missing) > 0 {
		return added, r.unresolvedError(missing)
	}
	if added == 0 {
		return 0, nil
	}
	return added, r.finish(ctx, pack)
}

// append adds an object, the base of delta d, to the pack.
func (r *resolver) append(pack *os.File, d refDelta, t ObjectType, content []byte) error {
	if uint64(r.table.count) >= r.opt.Limits.Objects {
		return &PackError{Reason: ErrTooManyBases, Offset: r.end}
	}
	if !t.isObject() {
		return fmt.Errorf("base %v has the undefined %v", d.base, t)
	}
	e := r.table.add()
	*e = entry{offset: r.end, size: uint64(len(content)), base: noBase, stored: t, object: t}
	if e.size > r.opt.Limits.ObjectSize {
		return &LimitError{Limit: "ObjectSize", Max: r.opt.Limits.ObjectSize, Offset: e.offset}
	}
	if err := r.inflated(e.size, e.offset); err != nil {
		return err
	}
	h := r.opt.NewHasher()
	h.Reset()
	h.Write(appendHeader(nil, t, e.size))
	h.Write(content)
	if err := r.hashed(e, h.Result()); err != nil {
		return err
	}
	if e.id != d.base {
		return &PackError{Reason: ErrBaseCorrupt, Offset: r.table.at(int(d.entry)).offset, Object: d.base, Detail: fmt.Errorf("it is %v", e.id)}
	}
	if _, err := pack.Seek(int64(e.offset), io.SeekStart); err != nil {
		return err
	}
	c := &countingWriter{w: pack}
	header := appendEntryHeader(nil, t, e.size)
	e.header = uint8(len(header))
	c.Write(header)
	z := zlib.NewWriter(c)
	z.Write(content)
	if err := z.Close(); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	e.crc = c.crc
	r.end += c.n
	return nil
}

// appendEntryHeader appends type and size of an entry to b.
func appendEntryHeader(b []byte, t ObjectType, size uint64) []byte {
	c := byte(t)<<4 | byte(size&15)
	for size >>= 4; size != 0; size >>= 7 {
		b = append(b, c|0x80)
		c = byte(size & 0x7f)
	}
	return append(b, c)
}

// countingWriter counts bytes and computes their CRC-32.
type countingWriter struct {
	w   io.Writer
	n   uint64
	crc uint32
	err error
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += uint64(n)
	c.crc = crc32.Update(c.crc, crc32.IEEETable, p[:n])
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// finish corrects the number of objects and the checksum of a completed pack.
func (r *resolver) finish(ctx context.Context, pack *os.File) error {
	var count [4]byte
	binary.BigEndian.PutUint32(count[:], uint32(r.table.count))
	if _, err := pack.WriteAt(count[:], 8); err != nil {
		return err
	}
	sum := detectOnly.New()
	in := io.NewSectionReader(pack, 0, int64(r.end))
	buf := make([]byte, windowSize)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := in.Read(buf)
		sum.Write(buf[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	sum.Sum(r.checksum[:0])
	if _, err := pack.WriteAt(r.checksum[:], int64(r.end)); err != nil {
		return err
	}
	return pack.Truncate(int64(r.end) + trailerSize)
}
