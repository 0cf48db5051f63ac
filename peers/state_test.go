package peers

import (
	"bytes"
	"crypto/sha1"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"testing"

	"github.com/pjbgf/sha1cd"

	"github.com/sha1dc/go/internal/vectors"
	"github.com/sha1dc/go/sha1dc"
)

// midway is the state of a hash after length bytes that led to the chaining
// value h and left those of x over. It takes us to lengths that nobody hashes
// in a test.
type midway struct {
	h      [5]uint32
	x      [sha1dc.BlockSize]byte
	length uint64
}

// start is the state after no bytes.
func start(length uint64) midway {
	return midway{h: [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, length: length}
}

// fields returns the saved form of the chaining value, of the incomplete block
// and of the length, which crypto/sha1 and sha1cd write one behind the other.
func (m midway) fields() (h, x, length []byte) {
	for _, w := range m.h {
		h = binary.BigEndian.AppendUint32(h, w)
	}
	left := m.x
	clear(left[m.length%sha1dc.BlockSize:])
	return h, left[:], binary.BigEndian.AppendUint64(nil, m.length)
}

// ours restores m in our hash.
func (m midway) ours(t testing.TB, c sha1dc.Config) *sha1dc.Digest {
	t.Helper()
	d := c.New()
	b, err := d.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	h, x, length := m.fields()
	b = b[:len(b)-4]
	copy(b[len(b)-8:], length)
	copy(b[len(b)-8-64:], x)
	copy(b[len(b)-8-64-20-20:], h) // between them, the chaining value of plain SHA-1
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	if err := d.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return d
}

// theirs restores m in a hash of crypto/sha1 or sha1cd.
func (m midway) theirs(t testing.TB, h hash.Hash, magic string) hash.Hash {
	t.Helper()
	chain, x, length := m.fields()
	b := bytes.Join([][]byte{[]byte(magic), chain, x, length}, nil)
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return h
}

// agreeFrom fails the test unless everybody agrees on a message that goes on
// with tail after m. It returns upstream's verdict.
func agreeFrom(t testing.TB, m midway, c sha1dc.Config, tail []byte) verdict {
	t.Helper()
	what := fmt.Sprintf("%d bytes after %d, %+v", len(tail), m.length, c)
	u := newUpstream(c)
	u.restore(m.h, m.x, m.length)
	u.Write(tail)
	want := verdictOf(u)
	d := m.ours(t, c)
	d.Write(tail)
	if got := verdictOf(d); got != want {
		t.Fatalf("%s: %v, upstream %v", what, got, want)
	}
	if (d.Err() != nil) != want.collision {
		t.Fatalf("%s: error %v, upstream %v", what, d.Err(), want)
	}
	std := m.theirs(t, sha1.New(), "sha\x01")
	std.Write(tail)
	if sum := std.Sum(nil); (!want.collision || c.Mode == sha1dc.DetectOnly) && !bytes.Equal(sum, want.digest[:]) {
		t.Fatalf("%s: crypto/sha1 %x, upstream %v", what, sum, want)
	}
	if c == (sha1dc.Config{}) {
		cd := m.theirs(t, sha1cd.New(), "shacd\x01")
		cd.Write(tail)
		if got := verdictOf(cd.(sha1cd.CollisionResistantHash)); got != want {
			t.Fatalf("%s: sha1cd %v, upstream %v", what, got, want)
		}
	}
	return want
}

// Around lengths at which a 32-bit or signed counter of bytes or bits breaks,
// and at which the length itself wraps.
var bigLengths = []uint64{
	1<<29 - 64, 1 << 29, 1<<31 - 64, 1 << 31, 1<<32 - 64, 1 << 32, 1 << 33, 1 << 35,
	1<<61 - 64, 1 << 61, 1<<63 - 64, 1 << 63, 1<<64 - 128, 1<<64 - 64,
}

func TestBigLengths(t *testing.T) {
	rng := newRand(20)
	for _, length := range bigLengths {
		for _, off := range []uint64{0, 1, 55, 56, 63} {
			m := midway{length: length + off}
			for i := range m.h {
				m.h[i] = rng.Uint32()
			}
			copy(m.x[:], randomBytes(rng, 64))
			for _, n := range []int{0, 1, 8, 63, 64, 65, 200} {
				for _, c := range configs {
					agreeFrom(t, m, c, randomBytes(rng, n))
				}
			}
			agreeFrom(t, m, sha1dc.Config{}, append(randomBytes(rng, int(-m.length%64)), survivors(rng, 3)...))
		}
	}
	for length, want := range map[uint64]string{ // known from other implementations
		1 << 29:    "42aaf379dace962369abf03c3196bd57db97e88f",
		1 << 32:    "ab0137087c2fc9c6b5363176ff2786d42edc95db",
		1<<61 - 64: "32dc2c82e5912c9e67c88ce48ab77a3620538910",
	} {
		v := agreeFrom(t, start(length), sha1dc.Config{}, []byte("tail"))
		if got := hex.EncodeToString(v.digest[:]); got != want {
			t.Errorf("tail after %d bytes: %s, want %s", length, got, want)
		}
	}
}

// An attack far into a message is found, and its place reported.
func TestAttackAtBigLengths(t *testing.T) {
	rng := newRand(21)
	for _, f := range vectors.All() {
		if !f.Attacked() {
			continue
		}
		offset := len(f.Data) - sha1dc.BlockSize // the attacks end with the heads
		u := newUpstream(sha1dc.Config{})
		u.Write(f.Data[:offset])
		for _, length := range bigLengths {
			m := midway{h: *field[[5]uint32](u, "ihv"), length: length}
			for _, c := range configs {
				tail := append(bytes.Clone(f.Data[offset:]), randomBytes(rng, rng.IntN(200))...)
				if v := agreeFrom(t, m, c, tail); !v.collision {
					t.Errorf("%s at %d, %+v: not detected", f.Name, length, c)
				}
				d := m.ours(t, c)
				d.Write(tail)
				if err := d.Err().(*sha1dc.CollisionError); uint64(err.Offset) != length {
					t.Errorf("%s at %d, %+v: reported at %d", f.Name, length, c, err.Offset)
				}
			}
		}
	}
}
