package sha1dc

import (
	"bytes"
	"crypto/fips140"
	"crypto/sha1"
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/internal/vectors"
)

var _ interface {
	encoding.BinaryMarshaler
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
} = (*Digest)(nil)

// configs are all combinations of the switches.
func configs() []Config {
	var out []Config
	for _, m := range []Mode{Mitigate, DetectOnly} {
		for n := range 4 {
			out = append(out, Config{Mode: m, ReducedRounds: n&1 != 0, DisableUBC: n&2 != 0})
		}
	}
	return out
}

// random returns n random bytes, the same for the same seed.
func random(n int, seed byte) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(p)
	return p
}

// expect fails unless digest and err are what the reference says of data.
func expect(t *testing.T, c Config, data []byte, digest [Size]byte, err error) {
	t.Helper()
	r := reference.Sum(data, reference.Options{ReducedRounds: c.ReducedRounds, DisableUBC: c.DisableUBC})
	want := r.Mitigated
	if c.Mode == DetectOnly {
		want = r.Plain
	}
	if digest != want {
		t.Errorf("%+v, %d bytes: digest %x, want %x", c, len(data), digest, want)
	}
	expectErr(t, r, err)
}

func expectErr(t *testing.T, r reference.Result, err error) {
	t.Helper()
	if !r.Attacked {
		if err != nil {
			t.Errorf("attack reported in a clean message: %v", err)
		}
		return
	}
	want := CollisionError{r.Plain, r.Mitigated, r.Offset, DV{uint8(r.DV.Type), uint8(r.DV.K), uint8(r.DV.B)}}
	var e *CollisionError
	if !errors.As(err, &e) || !errors.Is(err, ErrCollision) {
		t.Errorf("error %v, want %v", err, &want)
	} else if *e != want {
		t.Errorf("error %+v, want %+v", *e, want)
	}
}

// sum returns d's digest.
func sum(d hash.Hash) (out [Size]byte) {
	copy(out[:], d.Sum(nil))
	return out
}

// Digests of FIPS 180 and of the NIST validation suite.
func TestStandardVectors(t *testing.T) { forEachBackend(t, testStandardVectors) }

func testStandardVectors(t *testing.T) {
	for _, v := range []struct{ message, digest string }{
		{"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
		{"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
		{strings.Repeat("a", 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
		{"\x36", "c1dfd96eea8cc2b62785275bca38ac261256e278"},
		{strings.Repeat("0123456701234567012345670123456701234567012345670123456701234567", 10), "dea356a2cddd90c7a7ecedc5ebb563934f460452"},
	} {
		digest, collision := Sum([]byte(v.message))
		if hex.EncodeToString(digest[:]) != v.digest || collision {
			t.Errorf("%d bytes %.20q: %x, %v, want %s", len(v.message), v.message, digest, collision, v.digest)
		}
	}
}

func TestEveryLength(t *testing.T) { forEachBackend(t, testEveryLength) }

func testEveryLength(t *testing.T) {
	lengths := []int{4096, 16384, 65535, 65536, 65537}
	for n := range 600 {
		lengths = append(lengths, n)
	}
	data := random(70000, 1)
	for _, n := range lengths {
		p := data[n%64 : n%64+n]
		digest, err := Config{}.Sum(p)
		expect(t, Config{}, p, digest, err)
		if !fips140.Enabled() && digest != sha1.Sum(p) {
			t.Errorf("%d bytes: not the digest of crypto/sha1", n)
		}
	}
}

func TestPublished(t *testing.T) { forEachBackend(t, testPublished) }

func testPublished(t *testing.T) {
	for _, f := range vectors.All() {
		for _, c := range configs() {
			want := f.Mitigated
			if c.ReducedRounds {
				want = f.Reduced
			}
			attacked := want != f.Plain
			if c.Mode == DetectOnly {
				want = f.Plain
			}
			digest, err := c.Sum(f.Data)
			if digest != want || (err != nil) != attacked {
				t.Errorf("%s, %+v: %x, %v, want %x, attacked %v", f.Name, c, digest, err, want, attacked)
			}
			expect(t, c, f.Data, digest, err)

			d := c.New()
			d.Write(f.Data)
			got, collision := d.CollisionResistantSum([]byte("prefix"))
			if !bytes.Equal(got, append([]byte("prefix"), want[:]...)) || collision != attacked {
				t.Errorf("%s, %+v: CollisionResistantSum %x, %v, want %x, %v", f.Name, c, got, collision, want, attacked)
			}
		}
		digest, collision := Sum(f.Data)
		if digest != f.Mitigated || collision != f.Attacked() {
			t.Errorf("%s: Sum: %x, %v, want %x", f.Name, digest, collision, f.Mitigated)
		}
	}
}

// Around and behind an attack: truncated, extended, shifted, damaged, twice.
func TestVariants(t *testing.T) { forEachBackend(t, testVariants) }

func testVariants(t *testing.T) {
	f := vectors.All()
	head, other, mbles := f[0].Data, f[1].Data, f[2].Data
	flipped := append([]byte{}, head...)
	flipped[319] ^= 1
	join := func(p ...[]byte) []byte { return bytes.Join(p, nil) }
	for name, v := range map[string]struct {
		data     []byte
		attacked bool
	}{
		"empty":            {nil, false},
		"319 bytes":        {head[:319], false},
		"321 bytes":        {join(head, []byte{0}), true},
		"last bit flipped": {flipped, false},
		"one byte before":  {join([]byte("X"), head), false},
		"one block before": {join(make([]byte, 64), head), false},
		"git header":       {join([]byte("blob 320\x00"), head), false},
		"padding apart":    {join(head, random(55, 2)), true},
		"extra block":      {join(head, random(56, 3)), true},
		"long suffix":      {join(head, random(5000, 4)), true},
		"both":             {join(head, other), true},
		"both kinds":       {join(head, mbles), true},
		"mbles extended":   {join(mbles, []byte("A")), true},
		"mbles cut":        {mbles[:639], false},
	} {
		for _, c := range configs() {
			digest, err := c.Sum(v.data)
			expect(t, c, v.data, digest, err)
			if !c.ReducedRounds && (err != nil) != v.attacked {
				t.Errorf("%s: attacked: %v, want %v", name, err != nil, v.attacked)
			}
		}
	}
	extended := join(head, bytes.Repeat([]byte("A"), 55))
	digest, _ := Sum(extended)
	if got := hex.EncodeToString(digest[:4]); got != "85ed98fc" {
		t.Errorf("head and 55 A: %s, want 85ed98fc", got)
	}
	digest, _ = Sum(join(mbles, []byte("A")))
	if got := hex.EncodeToString(digest[:4]); got != "695aaa54" {
		t.Errorf("mbles and A: %s, want 695aaa54", got)
	}
}

// Writing in any pieces, saving, restoring and copying on the way must lose
// nothing.
func TestSplitAnywhere(t *testing.T) { forEachBackend(t, testSplitAnywhere) }

func testSplitAnywhere(t *testing.T) {
	for _, f := range vectors.All() {
		message := append(append([]byte{}, f.Data...), random(100, 5)...)
		for _, c := range configs() {
			if c.DisableUBC && active != generic {
				continue // takes long, and no kernel looks for attacks then
			}
			r := reference.Sum(message, reference.Options{ReducedRounds: c.ReducedRounds, DisableUBC: c.DisableUBC})
			want := r.Mitigated
			if c.Mode == DetectOnly {
				want = r.Plain
			}
			for n := range message {
				if !active.suits(host) && n%29 != 0 {
					continue
				}
				d := c.New()
				d.Write(message[:n])
				saved, err := d.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				cloner, err := d.Clone()
				if err != nil {
					t.Fatal(err)
				}
				restored := Config{}.New()
				restored.Write(f.Data) // an attack that must leave no trace
				if err := restored.UnmarshalBinary(saved); err != nil {
					t.Fatal(err)
				}
				for _, h := range []*Digest{d, cloner.(*Digest), restored} {
					h.Sum(nil)
					h.Write(message[n:])
					if got := sum(h); got != want {
						t.Fatalf("%s split at %d, %+v: %x, want %x", f.Name, n, c, got, want)
					}
					expectErr(t, r, h.Err())
				}
			}
		}
	}
}

func TestRandomSplits(t *testing.T) { forEachBackend(t, testRandomSplits) }

func testRandomSplits(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	f := vectors.All()[0]
	for range 200 {
		message := append(append([]byte{}, f.Data...), random(rng.IntN(2000), byte(rng.Uint32()))...)
		d := New()
		for p := message; len(p) > 0; {
			n := min(rng.IntN(300), len(p))
			if rng.IntN(2) == 0 {
				d.Write(p[:n])
			} else {
				io.WriteString(d, string(p[:n]))
			}
			p = p[n:]
		}
		expect(t, Config{}, message, sum(d), d.(*Digest).Err())
	}
}

func TestSumLeavesDigestAlone(t *testing.T) { forEachBackend(t, testSumLeavesDigestAlone) }

func testSumLeavesDigestAlone(t *testing.T) {
	f := vectors.All()[0]
	d := Config{}.New()
	d.Write(f.Data[:100])
	expect(t, Config{}, f.Data[:100], sum(d), d.Err())
	d.Write(f.Data[100:])
	for range 2 {
		expect(t, Config{}, f.Data, sum(d), d.Err())
	}
	d.Write([]byte("more"))
	expect(t, Config{}, append(f.Data, "more"...), sum(d), d.Err())
	d.Reset()
	d.Write([]byte("abc"))
	expect(t, Config{}, []byte("abc"), sum(d), d.Err())
}

// The attack may be in the block that the padding completes, so it shows only
// as if the message ended there.
func TestAttackInLastBlock(t *testing.T) { forEachBackend(t, testAttackInLastBlock) }

func testAttackInLastBlock(t *testing.T) {
	c := Config{DisableUBC: true, ReducedRounds: true}
	setDM(t, 27, [steps]uint32{}) // makes every block an attack
	d := c.New()
	d.Write(random(70, 8))
	if d.found != true || d.Err() == nil {
		t.Error("attack in the first block not found")
	}
	d.Reset()
	d.Write(random(40, 9))
	if d.found {
		t.Error("attack found before its block is complete")
	}
	var e *CollisionError
	if err := d.Err(); !errors.As(err, &e) || e.Offset != 0 {
		t.Errorf("attack in the padded block: %v", err)
	}
	if d.found {
		t.Error("Err changed the state")
	}
}

func TestZeroDigest(t *testing.T) { forEachBackend(t, testZeroDigest) }

func testZeroDigest(t *testing.T) {
	var d Digest
	expect(t, Config{}, nil, sum(&d), d.Err())
	saved, _ := d.MarshalBinary()
	want, _ := New().(*Digest).MarshalBinary()
	if !bytes.Equal(saved, want) {
		t.Error("the zero value's state differs from New's")
	}
	io.WriteString(&d, "abc")
	expect(t, Config{}, []byte("abc"), sum(&d), d.Err())
}

// Nothing is a message too, and may come at any time.
func TestNothingWritten(t *testing.T) { forEachBackend(t, testNothingWritten) }

func testNothingWritten(t *testing.T) {
	for _, c := range configs() {
		for _, nothing := range [][]byte{nil, {}, make([]byte, 0, 64)} {
			digest, err := c.Sum(nothing)
			expect(t, c, nil, digest, err)
			d := c.New()
			var written []byte
			for _, n := range []int{0, 1, 62, 1, 0, 64, 128, 0} {
				p := random(n, byte(n))
				for _, q := range [][]byte{nothing, p, nothing} {
					if m, err := d.Write(q); m != len(q) || err != nil {
						t.Errorf("Write of %d bytes: %d, %v", len(q), m, err)
					}
				}
				if m, err := d.WriteString(""); m != 0 || err != nil {
					t.Errorf("WriteString of nothing: %d, %v", m, err)
				}
				written = append(written, p...)
				expect(t, c, written, sum(d), d.Err())
			}
		}
	}
}

func TestUndefinedMode(t *testing.T) { forEachBackend(t, testUndefinedMode) }

func testUndefinedMode(t *testing.T) {
	f := vectors.All()[0]
	for _, c := range []Config{{Mode: 2}, {Mode: 255}} {
		digest, err := c.Sum(f.Data)
		expect(t, Config{}, f.Data, digest, err)
		d := c.New()
		d.Write(f.Data)
		expect(t, Config{}, f.Data, sum(d), d.Err())
		saved, _ := d.MarshalBinary()
		if err := d.UnmarshalBinary(saved); err != nil {
			t.Error(err)
		}
	}
}

func TestErrorText(t *testing.T) {
	_, err := Config{}.Sum(vectors.All()[0].Data)
	want := "SHA-1 collision attack in the block at byte 256, disturbance vector II(52,0): " +
		"SHA-1 f92d74e3874587aaf443d1db961d4e26dde13e9c, mitigated 7117b3cb9225aaf0d8ef1a40e493957b0bf8693d"
	if err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if !errors.Is(fmt.Errorf("pack: %w", err), ErrCollision) {
		t.Error("a wrapped error is not ErrCollision")
	}
}

func TestNoAllocation(t *testing.T) { forEachBackend(t, testNoAllocation) }

func testNoAllocation(t *testing.T) {
	data := random(1000, 10)
	text := string(data)
	buf := make([]byte, 0, 1024)
	d := Config{}.New()
	clean := Config{}.New()
	clean.Write(data)
	for name, f := range map[string]func(){
		"Sum":         func() { Sum(data) },
		"Config.Sum":  func() { Config{}.Sum(data) },
		"Write":       func() { d.Write(data) },
		"WriteString": func() { io.WriteString(d, text) },
		"Digest.Sum":  func() { d.Sum(buf) },
		"Resistant":   func() { d.CollisionResistantSum(buf) },
		"Reset":       func() { d.Reset() },
		"Err":         func() { clean.Err() },
		"Append":      func() { d.AppendBinary(buf) },
	} {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		h := New()
		h.Write(data)
		h.Sum(buf)
	}); n > 1 {
		t.Errorf("New, Write and Sum allocate %v times", n)
	}
}

func TestConcurrentUse(t *testing.T) { forEachBackend(t, testConcurrentUse) }

func testConcurrentUse(t *testing.T) {
	f := vectors.All()
	var wg sync.WaitGroup
	for n := range 64 {
		wg.Go(func() {
			v := f[n%len(f)]
			for range 20 {
				digest, err := Config{}.Sum(v.Data)
				if digest != v.Mitigated || (err != nil) != v.Attacked() {
					t.Errorf("%s: %x, %v", v.Name, digest, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestHashInterface(t *testing.T) { forEachBackend(t, testHashInterface) }

func testHashInterface(t *testing.T) {
	h := New()
	if h.Size() != 20 || h.BlockSize() != 64 {
		t.Errorf("Size %d, BlockSize %d", h.Size(), h.BlockSize())
	}
	if n, err := h.Write(make([]byte, 1000)); n != 1000 || err != nil {
		t.Errorf("Write: %d, %v", n, err)
	}
	if n, err := io.WriteString(h, strings.Repeat("x", 1000)); n != 1000 || err != nil {
		t.Errorf("WriteString: %d, %v", n, err)
	}
}

func FuzzWrite(f *testing.F) {
	for _, v := range vectors.All() {
		f.Add(v.Data, uint16(64), uint8(0))
	}
	f.Add([]byte("abc"), uint16(1), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, at uint16, switches uint8) {
		data = data[:min(len(data), 4<<10)]
		for _, b := range suited() {
			use(t, b)
			checkWrite(t, configs()[switches%8], data, int(at))
		}
	})
}

// checkWrite hashes data in one piece, and in two with the state saved between.
func checkWrite(t *testing.T, c Config, data []byte, at int) {
	digest, err := c.Sum(data)
	expect(t, c, data, digest, err)
	n := min(at, len(data))
	d := c.New()
	d.Write(data[:n])
	saved, _ := d.MarshalBinary()
	var e Digest
	if err := e.UnmarshalBinary(saved); err != nil {
		t.Fatal(err)
	}
	e.WriteString(string(data[n:]))
	if got := sum(&e); got != digest {
		t.Errorf("%v, split at %d: %x, want %x", active, n, got, digest)
	}
	if (e.Err() == nil) != (err == nil) {
		t.Errorf("%v, split at %d: %v, want %v", active, n, e.Err(), err)
	}
}
