package sha1dc

import (
	"bytes"
	"crypto/fips140"
	"crypto/sha1"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/vectors"
)

// used returns a Digest that has met an attack and holds a part of a block.
func used(t *testing.T) *Digest {
	t.Helper()
	d := Config{Mode: DetectOnly, ReducedRounds: true}.New()
	d.Write(vectors.All()[0].Data)
	d.Write([]byte("tail"))
	return d
}

// reseal returns b with a checksum that fits.
func reseal(b []byte) []byte {
	n := len(b) - 4
	return binary.BigEndian.AppendUint32(b[:n:n], crc32.ChecksumIEEE(b[:n]))
}

func TestUnmarshalErrors(t *testing.T) {
	saved, _ := used(t).MarshalBinary()
	clean, _ := New().(*Digest).MarshalBinary()
	change := func(b []byte, at int, value byte) []byte {
		b = bytes.Clone(b)
		b[at] = value
		return reseal(b)
	}
	const at = len(magic)
	for name, c := range map[string]struct {
		state []byte
		want  string
	}{
		"empty":            {nil, "not a state of this package"},
		"short identifier": {[]byte("sha1"), "not a state of this package"},
		"of crypto/sha1":   {append([]byte("sha\x01"), make([]byte, 92)...), "not a state of this package"},
		"of sha1cd":        {append([]byte("shacd\x01"), make([]byte, 92)...), "not a state of this package"},
		"truncated":        {saved[:len(saved)-1], "134 bytes, want 135"},
		"extended":         {append(bytes.Clone(saved), 0), "136 bytes, want 135"},
		"version":          {change(saved, at-1, 2), "format version 2, want 1"},
		"mode":             {change(saved, at, 2), "undefined mode 2"},
		"options":          {change(saved, at+1, 4), "undefined options 0x4"},
		"flag":             {change(saved, at+2, 2), "attack flag 2"},
		"vector":           {change(saved, at+3, 32), "vector 32 is undefined"},
		"offset":           {change(saved, at+11, 1), "is not aligned"},
		"unflagged vector": {change(clean, at+3, 1), "without its flag"},
		"unflagged offset": {change(clean, at+10, 1), "without its flag"},
		"unflagged chain":  {change(clean, at+32, 1), "without its flag"},
		"bytes behind end": {change(saved, at+52+4, 1), "behind the end"},
	} {
		for _, d := range []*Digest{used(t), Config{}.New()} {
			before := *d
			err := d.UnmarshalBinary(c.state)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q", name, err, c.want)
			}
			if *d != before {
				t.Errorf("%s: the Digest changed", name)
			}
		}
	}
	for n := range saved {
		for bit := range 8 {
			damaged := bytes.Clone(saved)
			damaged[n] ^= 1 << bit
			d := Config{}.New()
			if err := d.UnmarshalBinary(damaged); err == nil {
				t.Errorf("bit %d of byte %d flipped: accepted", bit, n)
			}
		}
	}
}

func TestUnmarshalReplacesEverything(t *testing.T) {
	forEachBackend(t, testUnmarshalReplacesEverything)
}

func testUnmarshalReplacesEverything(t *testing.T) {
	d := used(t)
	var clean Digest
	clean.Write([]byte("abc"))
	saved, _ := clean.MarshalBinary()
	if err := d.UnmarshalBinary(saved); err != nil {
		t.Fatal(err)
	}
	digest, collision := d.CollisionResistantSum(nil)
	if hex.EncodeToString(digest) != "a9993e364706816aba3e25717850c26c9cd0d89d" || collision || d.Err() != nil {
		t.Errorf("abc restored over an attack: %x, %v, %v", digest, collision, d.Err())
	}
	if d.cfg != (Config{}) {
		t.Errorf("options %+v remain", d.cfg)
	}
}

func TestAppendBinary(t *testing.T) {
	d := used(t)
	want, _ := d.MarshalBinary()
	got, err := d.AppendBinary([]byte("prefix"))
	if err != nil || string(got) != "prefix"+string(want) {
		t.Errorf("AppendBinary: %x, %v, want %x behind the prefix", got, err, want)
	}
	if len(want) != marshaledSize {
		t.Errorf("%d bytes, want %d", len(want), marshaledSize)
	}
	var e Digest
	if err := e.UnmarshalBinary(want); err != nil || e != *d {
		t.Errorf("restored %+v, %v, want %+v", e, err, *d)
	}
}

// Lengths near and beyond 2^32 bytes and 2^64 bits: a state that claims to
// have read n bytes goes on as crypto/sha1 does. The digests are its.
func TestBigLengths(t *testing.T) { forEachBackend(t, testBigLengths) }

func testBigLengths(t *testing.T) {
	for length, want := range map[uint64]string{
		1 << 29:    "42aaf379dace962369abf03c3196bd57db97e88f",
		1 << 32:    "ab0137087c2fc9c6b5363176ff2786d42edc95db",
		1<<61 - 64: "32dc2c82e5912c9e67c88ce48ab77a3620538910",
	} {
		d := Config{}.New()
		d.len = length
		saved, _ := d.MarshalBinary()
		var e Digest
		if err := e.UnmarshalBinary(saved); err != nil {
			t.Fatal(err)
		}
		e.Write([]byte("tail"))
		if got := hex.EncodeToString(e.Sum(nil)); got != want {
			t.Errorf("%d bytes before: %s, want %s", length, got, want)
		}
	}
}

// TestBigLengthsBeside goes on from states of crypto/sha1 that claim to have read
// as much.
func TestBigLengthsBeside(t *testing.T) { forEachBackend(t, testBigLengthsBeside) }

func testBigLengthsBeside(t *testing.T) {
	if fips140.Enabled() {
		t.Skip("crypto/sha1 is not allowed")
	}
	for _, length := range []uint64{1<<29 - 1, 1 << 29, 1<<31 - 1, 1 << 31, 1<<32 - 64, 1<<32 + 1, 1 << 33, 1<<40 + 63, 1<<61 - 64, 1<<61 + 64} {
		d := Config{}.New()
		d.len, d.nx = length, int(length%BlockSize)
		copy(d.x[:d.nx], random(BlockSize, 51))
		// Its states have no mode, options and attack, and another identifier.
		var saved []byte
		saved = append(saved, "sha\x01"...)
		for _, w := range d.h {
			saved = binary.BigEndian.AppendUint32(saved, w)
		}
		saved = append(saved, d.x[:]...)
		saved = binary.BigEndian.AppendUint64(saved, length)
		other := sha1.New()
		if err := other.(encoding.BinaryUnmarshaler).UnmarshalBinary(saved); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 4, 60, 1000} {
			tail := random(n, 52)
			d.Write(tail)
			other.Write(tail)
			if got, want := sum(d), sum(other); got != want {
				t.Errorf("%d bytes before: %x, crypto/sha1 gives %x", length, got, want)
			}
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, c := range configs() {
		d := c.New()
		d.Write(vectors.All()[0].Data)
		saved, _ := d.MarshalBinary()
		f.Add(saved)
	}
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == marshaledSize {
			b = reseal(b)
		}
		var d Digest
		if d.UnmarshalBinary(b) != nil {
			if d != (Digest{}) {
				t.Error("an error changed the Digest")
			}
			return
		}
		if again, _ := d.MarshalBinary(); !bytes.Equal(again, b) {
			t.Errorf("state %x is saved again as %x", b, again)
		}
		d.Write(make([]byte, 100))
		d.Sum(nil)
		d.Err()
	})
}
