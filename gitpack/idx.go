package gitpack

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"github.com/sha1dc/go/sha1dc"
)

const (
	indexSignature = "\377tOc"
	indexVersion   = 2
	fanoutEntries  = 256

	// largeOffset is the first offset that does not fit in the table of 32-bit
	// offsets, where it marks an index into that of 64-bit ones.
	largeOffset = 1 << 31
)

// sortedEntries returns the numbers of the entries in the order of their ids,
// and of the pack where those are equal, as git's stable sort does.
func sortedEntries(t *table, threads int) []uint32 {
	type key struct {
		prefix uint64 // of the id, after the first byte
		n      uint32
	}
	var start [fanoutEntries + 1]uint32
	for n := range t.count {
		start[int(t.at(n).id[0])+1]++
	}
	for n := range fanoutEntries {
		start[n+1] += start[n]
	}
	keys := make([]key, t.count)
	next := start
	for n := range t.count {
		id := &t.at(n).id
		at := &next[id[0]]
		keys[*at] = key{binary.BigEndian.Uint64(id[1:]), uint32(n)}
		*at++
	}
	order := make([]uint32, t.count)
	var wg sync.WaitGroup
	for w := range threads {
		wg.Go(func() {
			for n := w; n < fanoutEntries; n += threads {
				part := keys[start[n]:start[n+1]]
				slices.SortFunc(part, func(a, b key) int {
					if a.prefix != b.prefix {
						return cmp.Compare(a.prefix, b.prefix)
					}
					return cmp.Or(bytes.Compare(t.at(int(a.n)).id[:], t.at(int(b.n)).id[:]), cmp.Compare(a.n, b.n))
				})
				for i, k := range part {
					order[int(start[n])+i] = k.n
				}
			}
		})
	}
	wg.Wait()
	return order
}

// duplicate returns the error for the first object that is twice in the pack.
func duplicate(t *table, order []uint32) error {
	for n := 1; n < len(order); n++ {
		a, b := t.at(int(order[n-1])), t.at(int(order[n]))
		if a.id == b.id {
			return &PackError{Reason: ErrDuplicate, Offset: b.offset, Object: b.id}
		}
	}
	return nil
}

// A sumWriter writes big-endian numbers and bytes to a buffered file with a
// checksum at its end.
type sumWriter struct {
	*bufio.Writer
	sum *sha1dc.Digest
}

func newSumWriter(w io.Writer) sumWriter {
	sum := detectOnly.New()
	return sumWriter{bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10), sum}
}

func (w sumWriter) uint32(v uint32) { w.Write(binary.BigEndian.AppendUint32(w.AvailableBuffer(), v)) }

func (w sumWriter) uint64(v uint64) { w.Write(binary.BigEndian.AppendUint64(w.AvailableBuffer(), v)) }

// close writes the checksum and returns it, and the first error of all writes.
func (w sumWriter) close() (ID, error) {
	if err := w.Flush(); err != nil {
		return ID{}, err
	}
	id := ID(w.sum.Sum(nil))
	w.Write(id[:])
	return id, w.Flush()
}

// writeIndex writes an index of version 2 (gitformat-pack) and returns its
// checksum. Offsets from large on go to the table of 64-bit offsets.
func writeIndex(out io.Writer, t *table, order []uint32, pack ID, large uint64) (ID, error) {
	w := newSumWriter(out)
	w.WriteString(indexSignature)
	w.uint32(indexVersion)
	for n, b := 0, 0; b < fanoutEntries; b++ {
		for n < len(order) && int(t.at(int(order[n])).id[0]) <= b {
			n++
		}
		w.uint32(uint32(n))
	}
	for _, n := range order {
		w.Write(t.at(int(n)).id[:])
	}
	for _, n := range order {
		w.uint32(t.at(int(n)).crc)
	}
	count := uint32(0)
	for _, n := range order {
		offset := t.at(int(n)).offset
		if offset >= large {
			offset = largeOffset | uint64(count)
			count++
		}
		w.uint32(uint32(offset))
	}
	for _, n := range order {
		if offset := t.at(int(n)).offset; offset >= large {
			w.uint64(offset)
		}
	}
	w.Write(pack[:])
	return w.close()
}

// writeReverseIndex writes a reverse index of version 1 (gitformat-pack): for
// each entry of the pack, its place in the index.
func writeReverseIndex(out io.Writer, order []uint32, pack ID) error {
	places := make([]uint32, len(order))
	for n, entry := range order {
		places[entry] = uint32(n)
	}
	w := newSumWriter(out)
	w.WriteString("RIDX")
	w.uint32(1) // version
	w.uint32(1) // the hash is SHA-1
	for _, n := range places {
		w.uint32(n)
	}
	w.Write(pack[:])
	_, err := w.close()
	return err
}
