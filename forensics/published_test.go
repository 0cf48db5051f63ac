package forensics

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sha1dc/go/internal/vectors"
	"github.com/sha1dc/go/sha1dc"
)

// files returns the published messages by name.
func files() map[string]vectors.File {
	m := make(map[string]vectors.File)
	for _, f := range vectors.All() {
		m[f.Name] = f
	}
	return m
}

// analyze analyzes data, which cannot fail.
func analyze(t testing.TB, data []byte, o Options) *Report {
	t.Helper()
	r, err := Analyze(bytes.NewReader(data), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Size != int64(len(data)) {
		t.Fatalf("%d bytes analyzed of %d", r.Size, len(data))
	}
	return r
}

// only returns the only attack in a report.
func only(t testing.TB, r *Report) *Attack {
	t.Helper()
	if len(r.Attacks) != 1 || r.Omitted != 0 {
		t.Fatalf("%d attacks, %d omitted, want one", len(r.Attacks), r.Omitted)
	}
	return &r.Attacks[0]
}

// pairs are the published collisions with where the recovered part starts.
var pairs = []struct {
	one, other string
	kind       Kind
	end        End
	offset     int64
}{
	{"shattered-1", "shattered-2", IdenticalPrefix, Met, 192},
	{"sha-mbles-1", "sha-mbles-2", ChosenPrefix, NoVector, 64},
}

// TestPublished checks that each half of a collision gives the other, with what
// may follow and at any block's end.
func TestPublished(t *testing.T) {
	all := files()
	rng := rand.NewChaCha8([32]byte{1})
	for _, p := range pairs {
		for _, swap := range []bool{false, true} {
			one, other := all[p.one], all[p.other]
			if swap {
				one, other = other, one
			}
			sizes := []int{0, 1, 55, 56, 63, 64, 65, chunkSize - 640, chunkSize - 320, 3*chunkSize + 5}
			if testing.Short() {
				sizes = sizes[:8]
			}
			for _, n := range sizes {
				suffix := make([]byte, n)
				rng.Read(suffix)
				message, want := append(bytes.Clone(one.Data), suffix...), append(bytes.Clone(other.Data), suffix...)
				for _, reduced := range []bool{false, true} {
					r := analyze(t, message, Options{ReducedRounds: reduced})
					a := only(t, r)
					if a.Kind() != p.kind || a.End != p.end || a.Offset() != p.offset || a.Offset()+int64(a.Length()) != int64(len(one.Data)) {
						t.Fatalf("%s: %v, %v, %d bytes at %d", one.Name, a.Kind(), a.End, a.Length(), a.Offset())
					}
					checkChain(t, a)
					digest, err := sha1dc.Config{Mode: sha1dc.DetectOnly, ReducedRounds: reduced}.Sum(message)
					mitigated, _ := sha1dc.Config{ReducedRounds: reduced}.Sum(message)
					if err == nil || r.Plain != digest || r.Mitigated != mitigated || r.Plain == r.Mitigated {
						t.Errorf("%s: digests %x and %x, want %x and %x", one.Name, r.Plain, r.Mitigated, digest, mitigated)
					}
					var written bytes.Buffer
					if err := r.WriteOther(&written, a, iotest.OneByteReader(bytes.NewReader(message))); err != nil {
						t.Fatalf("%s: %v", one.Name, err)
					}
					if !a.Complete() {
						want = other.Data[p.offset:]
					}
					if !bytes.Equal(written.Bytes(), want) {
						t.Errorf("%s and %d bytes: the other message is wrong", one.Name, n)
					}
				}
			}
		}
	}
}

// checkChain checks that the blocks of an attack follow each other in both
// messages, differ as they say, and collide in the end.
func checkChain(t testing.TB, a *Attack) {
	t.Helper()
	for n := range a.Blocks {
		b := &a.Blocks[n]
		if n > 0 {
			before := &a.Blocks[n-1]
			if b.Offset != before.Offset+sha1dc.BlockSize || b.In != before.Out || b.TwinIn != before.TwinOut {
				t.Errorf("block at %d does not follow the one at %d", b.Offset, before.Offset)
			}
		}
		steps := b.StateDifferences()
		if steps[0] != b.In.DifferingBits(b.TwinIn) {
			t.Errorf("block at %d starts with %d differing bits, want %d", b.Offset, steps[0], b.In.DifferingBits(b.TwinIn))
		}
		if b.DifferingBits() == 0 || b.DifferingBytes() == 0 || b.DifferingBytes() > b.DifferingBits() {
			t.Errorf("block at %d differs in %d bits, %d bytes", b.Offset, b.DifferingBits(), b.DifferingBytes())
		}
	}
	if f := a.Flagged(); a.Kind() != ReducedRound && f.Out != f.TwinOut {
		t.Errorf("the blocks do not collide")
	}
}

// TestKnownValues checks the chaining values before the flagged blocks, which
// other implementations compute too.
func TestKnownValues(t *testing.T) {
	all := files()
	for _, c := range []struct{ name, in, twin string }{
		{"shattered-1", "8d64c821ffed52e2ebc859155ec7eb36738a5a7b", "8d64d617ffed5352ebc859155ec7eb34f38a5a7b"},
		{"sha-mbles-1", "72d42d69a661589d73fc20173d1dce014c7813bc", "72d43f9ba661592f73fc20173d1dce03cc7813bc"},
	} {
		b := only(t, analyze(t, all[c.name].Data, Options{})).Flagged()
		if b.In.String() != c.in || b.TwinIn.String() != c.twin || b.DV != (sha1dc.DV{Type: 2, K: 52}) {
			t.Errorf("%s: %v, other %v with %v; want %s, %s", c.name, b.In, b.TwinIn, b.DV, c.in, c.twin)
		}
	}
}

// TestClean checks that messages without an attack have none.
func TestClean(t *testing.T) {
	all := files()
	rng := rand.NewChaCha8([32]byte{2})
	random := make([]byte, 3*chunkSize+17)
	rng.Read(random)
	head := all["shattered-1"].Data
	flipped := bytes.Clone(head)
	flipped[319] ^= 1
	for name, data := range map[string][]byte{
		"nothing": nil, "one byte": {0}, "random": random, "zeros": make([]byte, 5*chunkSize), "whole chunks": random[:2*chunkSize],
		"cut": head[:319], "shambles cut": all["sha-mbles-1"].Data[:639], "shifted": append([]byte("X"), head...),
		"later": append(make([]byte, 64), head...), "git": append([]byte("blob 320\x00"), head...), "flipped": flipped,
		"reduced": all["reduced-round"].Data,
	} {
		r := analyze(t, data, Options{})
		want, _ := sha1dc.Config{Mode: sha1dc.DetectOnly}.Sum(data)
		if len(r.Attacks) != 0 || r.Plain != want || r.Mitigated != want {
			t.Errorf("%s: %d attacks, digests %x and %x, want %x", name, len(r.Attacks), r.Plain, r.Mitigated, want)
		}
	}
}

// TestReducedRound checks attacks on fewer steps.
func TestReducedRound(t *testing.T) {
	all := files()
	// A complete attack that is cut off after its first block has left a
	// difference open.
	for _, c := range []struct {
		name   string
		data   []byte
		offset int64
	}{
		{"reduced-round", all["reduced-round"].Data, 64},
		{"shattered-1 cut", all["shattered-1"].Data[:256], 192},
		{"shattered-2 cut", all["shattered-2"].Data[:319], 192},
		{"other second block", append(bytes.Clone(all["shattered-1"].Data[:256]), make([]byte, 64)...), 192},
	} {
		r := analyze(t, c.data, Options{ReducedRounds: true})
		a := only(t, r)
		if a.Kind() != ReducedRound || a.End != Met || a.Offset() != c.offset || a.Length() != 64 || a.Complete() {
			t.Errorf("%s: %v, %v, %d bytes at %d", c.name, a.Kind(), a.End, a.Length(), a.Offset())
		}
		if lo, hi := a.SharedSteps(); lo > 64 || hi != 67 {
			t.Errorf("%s: shared before the steps %d to %d", c.name, lo, hi)
		}
		if err := r.WriteOther(io.Discard, a, bytes.NewReader(c.data)); err != ErrNoOther {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestKnown checks that published blocks are recognised in either message, whole
// or cut.
func TestKnown(t *testing.T) {
	all := files()
	for name, want := range map[string]string{
		"shattered-1": "SHAttered", "shattered-2": "SHAttered", "sha-mbles-1": "SHA-1 is a Shambles", "sha-mbles-2": "SHA-1 is a Shambles",
		"reduced-round": "the example for reduced rounds",
	} {
		data := all[name].Data
		for _, d := range [][]byte{data, append(bytes.Clone(data), "suffix"...), data[:min(len(data), 256)]} {
			r := analyze(t, d, Options{ReducedRounds: true})
			for n := range r.Attacks {
				if known := r.Attacks[n].Known(); !strings.HasPrefix(known, want) {
					t.Errorf("%s, %d bytes: %q", name, len(d), known)
				}
			}
		}
	}
	p := newPlanter(1)
	p.attack(1, p.h, true)
	if known := only(t, checkPlanted(t, p, Options{Window: 1})).Known(); known != "" {
		t.Errorf("a random block is that of %q", known)
	}
}

// TestWriteOtherChecks falsifies what is known of an attack.
func TestWriteOtherChecks(t *testing.T) {
	all := files()
	one, other := all["shattered-1"], all["shattered-2"]
	for want, falsify := range map[string]func(r *Report, a *Attack){
		"same mitigated digest":   func(r *Report, a *Attack) { r.Mitigated = other.Mitigated },
		"would have the SHA-1":    func(r *Report, a *Attack) { r.Plain[0]++ },
		"would not be attacked":   func(r *Report, a *Attack) { a.Blocks[0].Twin[5]++ },
		"lead to the chaining":    func(r *Report, a *Attack) { a.End = NoVector; a.Blocks[0].TwinIn[2]++ },
		"byte 256 was 3d and is":  func(r *Report, a *Attack) { a.Blocks[1].Data[0]++ },
		"had 321 bytes and has 3": func(r *Report, a *Attack) { r.Size++ },
	} {
		r := analyze(t, one.Data, Options{})
		falsify(r, only(t, r))
		if err := r.WriteOther(io.Discard, only(t, r), bytes.NewReader(one.Data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestWindow checks how far an attack is followed.
func TestWindow(t *testing.T) {
	all := files()
	for _, p := range pairs {
		one, other := all[p.one], all[p.other]
		recovered := (len(one.Data) - int(p.offset)) / sha1dc.BlockSize
		for n := 1; n <= recovered+1; n++ {
			r := analyze(t, one.Data, Options{Window: n})
			a := only(t, r)
			kind, end, blocks := Undetermined, WindowStart, n
			if n > recovered || n == recovered && p.end == Met {
				kind, end, blocks = p.kind, p.end, recovered
			}
			if a.Kind() != kind || a.End != end || len(a.Blocks) != blocks {
				t.Errorf("%s, window %d: %v, %v, %d blocks; want %v, %v, %d", one.Name, n, a.Kind(), a.End, len(a.Blocks), kind, end, blocks)
			}
			var written bytes.Buffer
			if err := r.WriteOther(&written, a, bytes.NewReader(one.Data)); err != nil {
				t.Fatal(err)
			}
			want := other.Data[a.Offset():]
			if a.Complete() {
				want = other.Data
			}
			if !bytes.Equal(written.Bytes(), want) {
				t.Errorf("%s, window %d: the other message is wrong", one.Name, n)
			}
		}
	}
	for _, n := range []int{-1, MaxWindow + 1} {
		if r, err := Analyze(bytes.NewReader(nil), Options{Window: n}); err == nil || r != nil {
			t.Errorf("window %d accepted", n)
		}
	}
}
