package inflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// inputs are contents of several kinds.
func inputs() [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var out [][]byte
	for _, size := range []int{0, 1, 2, 3, 10, 100, 257, 258, 259, 1000, 5000, 40_000, 300_000} {
		random, few, text, zero := make([]byte, size), make([]byte, size), &bytes.Buffer{}, make([]byte, size)
		for n := range size {
			random[n] = byte(rng.Uint32())
			few[n] = "aaaabbc"[rng.IntN(7)]
		}
		for text.Len() < size {
			fmt.Fprintf(text, "line %d of %x\n", rng.IntN(1000), rng.Uint32()>>(rng.Uint32()%32))
		}
		period := bytes.Repeat(random[:min(size, 5)], size/5+1)[:size]
		skewed := make([]byte, size)
		for n := range skewed {
			skewed[n] = byte(bitLength(rng.Uint64())) // long codes
		}
		out = append(out, random, few, text.Bytes()[:size], zero, period, skewed)
		if testing.Short() && size >= 5000 {
			break
		}
	}
	return out
}

func bitLength(v uint64) (n int) {
	for ; v&1 == 0 && n < 40; n++ {
		v >>= 1
	}
	return n
}

func deflated(t testing.TB, p []byte, level int) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(p)
	w.Close()
	return b.Bytes()
}

func TestDecode(t *testing.T) {
	var d Decoder
	for n, p := range inputs() {
		for _, level := range []int{flate.HuffmanOnly, 0, 1, 6, 9} {
			z := deflated(t, p, level)
			for _, slack := range []int{0, 1, 7, Slack} {
				dst := make([]byte, len(p), len(p)+slack)
				src := append(bytes.Clone(z), bytes.Repeat([]byte{0xa5}, slack)...)
				got, ok := d.Decode(dst, src)
				if !ok || got != len(z) || !bytes.Equal(dst, p) {
					t.Fatalf("input %d of %d bytes, level %d, slack %d: took %d of %d bytes, %v", n, len(p), level, slack, got, len(z), ok)
				}
			}
			if _, ok := d.Decode(make([]byte, len(p)+1), z); ok {
				t.Errorf("input %d, level %d: too short, but accepted", n, level)
			}
			if len(p) > 0 {
				if _, ok := d.Decode(make([]byte, len(p)-1, len(p)+Slack), z); ok {
					t.Errorf("input %d, level %d: too long, but accepted", n, level)
				}
			}
			if _, ok := d.Decode(make([]byte, len(p)), z[:len(z)-1]); ok {
				t.Errorf("input %d, level %d: cut, but accepted", n, level)
			}
		}
	}
}

// checkAgainstLibrary makes sure that what is accepted is what another decoder
// says.
func checkAgainstLibrary(t *testing.T, d *Decoder, size, slack int, src []byte) {
	dst := make([]byte, size, size+slack)
	n, ok := d.Decode(dst, src)
	if !ok {
		return
	}
	in := bytes.NewReader(src)
	want, err := io.ReadAll(flate.NewReader(in))
	if err != nil || !bytes.Equal(dst, want) || n != len(src)-in.Len() {
		t.Errorf("accepted %x for %d bytes, slack %d: took %d of %d; the library says %v", src, size, slack, n, len(src)-in.Len(), err)
	}
}

func TestDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var d Decoder
	accepted := 0
	for _, p := range inputs() {
		if len(p) > 5000 {
			continue
		}
		for _, level := range []int{flate.HuffmanOnly, 1, 9} {
			z := deflated(t, p, level)
			for range 60 {
				c := bytes.Clone(z)
				for range 1 + rng.IntN(2) {
					c[rng.IntN(len(c))] ^= 1 << rng.IntN(8)
				}
				checkAgainstLibrary(t, &d, len(p), rng.IntN(2)*Slack, c)
				if _, ok := d.Decode(make([]byte, len(p)), c); ok {
					accepted++
				}
			}
		}
	}
	if accepted < 50 {
		t.Errorf("only %d damaged streams were accepted: too few to compare", accepted)
	}
}

func FuzzDecode(f *testing.F) {
	for _, p := range inputs() {
		if len(p) < 2000 {
			f.Add(uint16(len(p)), uint16(0), deflated(f, p, 6))
		}
	}
	var d Decoder
	f.Fuzz(func(t *testing.T, size, slack uint16, src []byte) {
		checkAgainstLibrary(t, &d, int(size), int(slack), src)
	})
}
