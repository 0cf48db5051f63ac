package gitpack

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/sha1dc/go/sha1dc"
)

// A craft builds a pack that may be damaged.
type craft struct {
	bytes.Buffer
	objects uint32
}

// startPack returns a pack without entries.
func startPack() *craft {
	c := &craft{}
	c.WriteString("PACK\x00\x00\x00\x02\x00\x00\x00\x00")
	return c
}

// deflater is reused, because a new one takes longer than a small stream.
var deflater = zlib.NewWriter(nil)

// deflated returns p as a zlib stream.
func deflated(p []byte) []byte {
	var b bytes.Buffer
	deflater.Reset(&b)
	deflater.Write(p)
	deflater.Close()
	return b.Bytes()
}

// raw adds an entry of some bytes and returns its offset.
func (c *craft) raw(parts ...[]byte) int {
	at := c.Len()
	for _, p := range parts {
		c.Write(p)
	}
	c.objects++
	return at
}

// whole adds an object stored whole and returns its offset.
func (c *craft) whole(t ObjectType, content []byte) int {
	return c.raw(appendEntryHeader(nil, t, uint64(len(content))), deflated(content))
}

// ofs adds a delta on the entry at an offset.
func (c *craft) ofs(base int, delta []byte) int {
	return c.raw(appendEntryHeader(nil, OfsDelta, uint64(len(delta))), distance(uint64(c.Len()-base)), deflated(delta))
}

// ref adds a delta on the object with an id.
func (c *craft) ref(base ID, delta []byte) int {
	return c.raw(appendEntryHeader(nil, RefDelta, uint64(len(delta))), base[:], deflated(delta))
}

// distance encodes the distance of a delta to its base.
func distance(n uint64) []byte {
	b := []byte{byte(n & 0x7f)}
	for n >>= 7; n != 0; n >>= 7 {
		n--
		b = append([]byte{byte(n&0x7f) | 0x80}, b...)
	}
	return b
}

// distanceBeyond encodes 2^64 more than a distance.
func distanceBeyond(n uint64) []byte {
	v := new(big.Int).Lsh(big.NewInt(1), 64)
	v.Add(v, new(big.Int).SetUint64(n))
	low := func() byte { return byte(v.Uint64() & 0x7f) }
	b := []byte{low()}
	for v.Rsh(v, 7); v.Sign() > 0; v.Rsh(v, 7) {
		v.Sub(v, big.NewInt(1))
		b = append([]byte{low() | 0x80}, b...)
	}
	return b
}

// pack returns the pack with the number of objects and the checksum.
func (c *craft) pack() []byte {
	p := bytes.Clone(c.Bytes())
	binary.BigEndian.PutUint32(p[8:], c.objects)
	return sealed(p)
}

// sealed returns p with its SHA-1 appended.
func sealed(p []byte) []byte {
	sum, _ := detectOnly.Sum(p)
	return append(bytes.Clone(p), sum[:]...)
}

// resealed returns p with a right checksum at its end.
func resealed(p []byte) []byte { return sealed(p[:len(p)-sha1dc.Size]) }

// idOf returns the id of an object.
func idOf(t ObjectType, content []byte) ID {
	sum, _ := detectOnly.Sum(append(appendHeader(nil, t, uint64(len(content))), content...))
	return sum
}

// deltaOf returns a delta of some instructions.
func deltaOf(base, result uint64, ops ...byte) []byte {
	b := binary.AppendUvarint(nil, base)
	b = binary.AppendUvarint(b, result)
	return append(b, ops...)
}

// insert returns the instructions that insert p.
func insert(p []byte) (ops []byte) {
	for len(p) > 0 {
		n := min(len(p), 127)
		ops = append(append(ops, byte(n)), p[:n]...)
		p = p[n:]
	}
	return ops
}

// index returns the index of a pack.
func index(t testing.TB, pack []byte, opt Options) []byte {
	t.Helper()
	name := write(t, "x.pack", pack)
	if _, err := IndexFile(t.Context(), Files{Pack: name}, opt); err != nil {
		t.Fatal(err)
	}
	return read(t, name[:len(name)-len("pack")]+"idx")
}
