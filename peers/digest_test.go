package peers

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pjbgf/sha1cd"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/sha1dc"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func TestEveryLength(t *testing.T) {
	rng := newRand(1)
	for n := range 1025 {
		agree(t, "random bytes", randomBytes(rng, n))
	}
}

// Messages that people hash: constant and repeating ones repeat the verdict of
// the filter in every block, which random ones never do.
func TestRepetitive(t *testing.T) {
	for _, unit := range []string{"\x00", "\xff", "a", "\x00\x01", "\x80\x00\x00\x00", "abcdefgh", "The quick brown fox. "} {
		for _, n := range []int{55, 56, 63, 64, 65, 119, 128, 1000, 10000} {
			agree(t, fmt.Sprintf("%q repeated", unit), []byte(strings.Repeat(unit, n)[:n]))
		}
	}
}

func TestLong(t *testing.T) {
	data := randomBytes(newRand(2), 16<<20+1)
	for _, n := range []int{1 << 12, 1 << 16, 1 << 20, 1 << 24} {
		for d := -1; d <= 1; d++ {
			agreeDefault(t, "random bytes", data[:n+d])
		}
	}
}

// The published files with the digests that were published with them or are
// known from other implementations.
func TestPublicFiles(t *testing.T) {
	for _, f := range []struct {
		name                      string
		size                      int
		plain, mitigated, reduced string
	}{
		{"shattered-1.pdf", 422435, "38762cf7f55934b34d179ae6a4c80cadccbb7f0a", "16e96b70000dd1e7c85b8368ee197754400e58ec", "d3a1d09969c3b57113fd17b23e01dd3de74a99bb"},
		{"shattered-2.pdf", 422435, "38762cf7f55934b34d179ae6a4c80cadccbb7f0a", "e1761773e6a35916d99f891b77663e6405313587", "92246b0b718f4c704d37bb025717cbc66babf102"},
		{"sha-mbles-1.bin", 640, "8ac60ba76f1999a1ab70223f225aefdc78d4ddc0", "4f3d9be4a472c4dae83c6314aa6c36a064c1fd14", "4f3d9be4a472c4dae83c6314aa6c36a064c1fd14"},
		{"sha-mbles-2.bin", 640, "8ac60ba76f1999a1ab70223f225aefdc78d4ddc0", "9ed5d77a4f48be1dbf3e9e15650733eb850897f2", "9ed5d77a4f48be1dbf3e9e15650733eb850897f2"},
		{"valid-file.txt", 32, "2b915da50f163514d390c9d87a4f3e23eb663f8a", "2b915da50f163514d390c9d87a4f3e23eb663f8a", "2b915da50f163514d390c9d87a4f3e23eb663f8a"},
	} {
		data := publicFile(t, f.name)
		if len(data) != f.size {
			t.Fatalf("%s: %d bytes, want %d", f.name, len(data), f.size)
		}
		agree(t, f.name, data)
		for c, want := range map[sha1dc.Config]string{
			{}:                        f.mitigated,
			{ReducedRounds: true}:     f.reduced,
			{Mode: sha1dc.DetectOnly}: f.plain,
		} {
			digest, err := c.Sum(data)
			if hex.EncodeToString(digest[:]) != want || (err != nil) != (f.plain != f.mitigated) {
				t.Errorf("%s, %+v: %x, %v, want %s", f.name, c, digest, err, want)
			}
		}
	}
}

// The heads in testdata are those of the public files.
func TestPublishedHeads(t *testing.T) {
	files := map[string]string{
		"shattered-1": "shattered-1.pdf", "shattered-2": "shattered-2.pdf",
		"sha-mbles-1": "sha-mbles-1.bin", "sha-mbles-2": "sha-mbles-2.bin",
	}
	for _, f := range published {
		agree(t, f.Name, f.Data)
		if name, ok := files[f.Name]; ok {
			delete(files, f.Name)
			if !bytes.HasPrefix(publicFile(t, name), f.Data) {
				t.Errorf("%s is not the beginning of %s", f.Name, name)
			}
		}
	}
	if len(files) > 0 {
		t.Errorf("no heads of %v", files)
	}
}

// An attack shows as soon as its last block is complete, and not before.
func TestEveryPrefix(t *testing.T) {
	for _, f := range published {
		for n := range len(f.Data) {
			agree(t, f.Name, f.Data[:n])
		}
		more := append(bytes.Clone(f.Data), randomBytes(newRand(3), 130)...)
		for n := len(f.Data); n <= len(more); n++ {
			agree(t, f.Name+" and more", more[:n])
		}
	}
}

func TestEveryBitFlipped(t *testing.T) {
	for _, f := range published {
		data := bytes.Clone(f.Data)
		for bit := range 8 * len(data) {
			data[bit/8] ^= 1 << (bit % 8)
			what := fmt.Sprintf("%s with bit %d of byte %d flipped", f.Name, bit%8, bit/8)
			agreeDefault(t, what, data)
			agreeOn(t, what, sha1dc.Config{Mode: sha1dc.DetectOnly, ReducedRounds: true}, data)
			data[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// Attacks only work behind the prefix that they were made for: what stands
// before them matters, what comes after does not.
func TestAttackInContext(t *testing.T) {
	rng := newRand(4)
	shattered := publicFile(t, "shattered-1.pdf")
	for _, c := range []struct {
		name string
		msg  []byte
	}{
		{"X and shattered-1.pdf", append([]byte("X"), shattered...)},
		{"a block of zeros and shattered-1.pdf", append(make([]byte, 64), shattered...)},
		{"shattered-1.pdf as a git blob", append([]byte("blob 422435\x00"), shattered...)},
	} {
		if v := agree(t, c.name, c.msg); v.collision {
			t.Errorf("%s: %v", c.name, v)
		}
	}
	for _, f := range published {
		if !f.Attacked() {
			continue
		}
		for _, tail := range tails(rng) {
			msg := append(bytes.Clone(f.Data), tail...)
			if v := agree(t, f.Name+" and more", msg); !v.collision {
				t.Errorf("%s and %d bytes: not detected", f.Name, len(tail))
			}
			agree(t, "more and "+f.Name, append(bytes.Clone(tail), f.Data...))
		}
		for _, second := range published {
			agree(t, f.Name+" and "+second.Name, append(bytes.Clone(f.Data), second.Data...))
		}
	}
	// Known from other implementations.
	for _, c := range []struct {
		name, plain, mitigated string
		msg                    []byte
	}{
		{"sha-mbles-1.bin and A", "cd7aaa2768d4a48a0769eb52d406a82c7eaed5ee", "695aaa54", append(publicFile(t, "sha-mbles-1.bin"), 'A')},
		{"sha-mbles-2.bin and A", "cd7aaa2768d4a48a0769eb52d406a82c7eaed5ee", "650bacf7", append(publicFile(t, "sha-mbles-2.bin"), 'A')},
		{"head of shattered-1.pdf and 55 A", "2b66929f41fab4687d39d51ddc2481362438d329", "85ed98fc", append(shattered[:320:320], strings.Repeat("A", 55)...)},
		{"head of shattered-2.pdf and 55 A", "2b66929f41fab4687d39d51ddc2481362438d329", "2e3323f5", append(publicFile(t, "shattered-2.pdf")[:320:320], strings.Repeat("A", 55)...)},
		{"both shattered", "022a9c9d3ddfe29360a504245e6a1aa20ba403c4", "fb17492b74ddc539981df64f195f5ae4c5b85c51", append(bytes.Clone(shattered), publicFile(t, "shattered-2.pdf")...)},
	} {
		v := agree(t, c.name, c.msg)
		plain, err := sha1dc.Config{Mode: sha1dc.DetectOnly}.Sum(c.msg)
		if !v.collision || err == nil || hex.EncodeToString(plain[:]) != c.plain || !strings.HasPrefix(hex.EncodeToString(v.digest[:]), c.mitigated) {
			t.Errorf("%s: %v, plain %x, %v; want %s, plain %s", c.name, v, plain, err, c.mitigated, c.plain)
		}
	}
}

// tails returns what may follow an attack: nothing to many blocks, of all
// sorts.
func tails(rng *rand.Rand) [][]byte {
	out := [][]byte{nil, make([]byte, 200), bytes.Repeat([]byte{0xff}, 128)}
	for range 20 {
		out = append(out, randomBytes(rng, rng.IntN(300)))
	}
	for dv := range dvs.Count {
		out = append(out, craft.Bytes(craft.Passing(table, dv, rng)))
	}
	return append(out, survivors(rng, 20), randomBytes(rng, 10000))
}

var table = dvs.Published()

// crowded returns a block that passes the filter for as many vectors as fit
// together, tried in random order.
func crowded(rng *rand.Rand) [16]uint32 {
	var s craft.System
	for _, dv := range rng.Perm(dvs.Count) {
		with := s
		if with.Add(craft.Conditions(table, dv)...) == nil {
			s = with
		}
	}
	return s.Block(rng)
}

// survivors returns n blocks that pass the filter, one for a single vector in
// turn with one for several at once.
func survivors(rng *rand.Rand, n int) []byte {
	var out []byte
	for i := range n {
		if i%2 == 0 {
			out = append(out, craft.Bytes(craft.Passing(table, rng.IntN(dvs.Count), rng))...)
		} else {
			out = append(out, craft.Bytes(crowded(rng))...)
		}
	}
	return out
}

// Blocks that pass the filter are rechecked and found harmless.
func TestCrafted(t *testing.T) {
	rng := newRand(5)
	for dv, v := range dvs.All() {
		for range 30 {
			msg := randomBytes(rng, 64*rng.IntN(4))
			msg = append(msg, craft.Bytes(craft.Passing(table, dv, rng))...)
			msg = append(msg, randomBytes(rng, rng.IntN(150))...)
			agree(t, fmt.Sprintf("block that passes for %v", v), msg)
		}
		for broken, e := range craft.Conditions(table, dv) {
			msg := craft.Bytes(craft.NearMiss(table, dv, broken, rng))
			agree(t, fmt.Sprintf("block that passes for %v but for %v", v, e), msg)
		}
	}
	for range 200 {
		agree(t, "blocks that pass for many vectors", survivors(rng, 1+rng.IntN(30)))
	}
	// More survivors in a row than any buffer for them may hold.
	for _, n := range []int{63, 64, 65, 1023, 1024, 1025, 5000} {
		agreeDefault(t, "only blocks that pass", survivors(rng, n))
	}
}

// Pieces of any sizes, with all that may happen between two of them, add up to
// the same message.
func TestRandomSplits(t *testing.T) {
	rng := newRand(6)
	for n := range 3000 {
		msg := someMessage(rng)
		checkSplits(t, configs[n%len(configs)], msg, rng)
	}
}

// someMessage returns a message of one of the sorts that matter.
func someMessage(rng *rand.Rand) []byte {
	tail := randomBytes(rng, rng.IntN(400))
	switch rng.IntN(4) {
	case 0:
		return append(survivors(rng, rng.IntN(8)), tail...)
	case 1:
		return append(bytes.Clone(published[rng.IntN(len(published))].Data), tail...)
	}
	return append(randomBytes(rng, rng.IntN(1500)), tail...)
}

// checkSplits writes msg to our hash, to upstream's and to sha1cd's in random
// pieces. Between them ours is cloned, saved, restored over an unrelated hash
// and summed.
func checkSplits(t testing.TB, c sha1dc.Config, msg []byte, rng *rand.Rand) {
	t.Helper()
	want := agreeOn(t, "whole", c, msg)
	ours, theirs := c.New(), newUpstream(c)
	other := sha1cd.New().(sha1cd.CollisionResistantHash)
	var history []string
	for rest := msg; len(rest) > 0; {
		n := rng.IntN(min(len(rest), 1<<rng.IntN(12)) + 1)
		if rng.IntN(2) == 0 {
			ours.Write(rest[:n])
		} else {
			ours.WriteString(string(rest[:n]))
		}
		theirs.Write(rest[:n])
		other.Write(rest[:n])
		rest = rest[n:]
		history = append(history, fmt.Sprint(n))
		step := rng.IntN(6)
		switch step {
		case 0:
			clone, err := ours.Clone()
			if err != nil {
				t.Fatal(err)
			}
			ours.Write([]byte("the clone must not see this"))
			ours = clone.(*sha1dc.Digest)
			history = append(history, "clone")
		case 1:
			saved, err := ours.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			dirty := configs[rng.IntN(len(configs))].New()
			dirty.Write(published[rng.IntN(len(published))].Data)
			if err := dirty.UnmarshalBinary(saved); err != nil {
				t.Fatal(err)
			}
			ours = dirty
			history = append(history, "save")
		case 2:
			at := len(msg) - len(rest)
			if got, want := verdictOf(ours), upstreamVerdict(c, msg[:at]); got != want {
				t.Fatalf("%+v, pieces %v: %v after %d bytes, upstream %v", c, history, got, at, want)
			}
			history = append(history, "sum")
		}
	}
	if got := verdictOf(theirs); got != want {
		t.Fatalf("%+v, pieces %v: upstream %v, whole %v", c, history, got, want)
	}
	if got := verdictOf(ours); got != want {
		t.Fatalf("%+v, pieces %v: %v, upstream %v\nmessage %x", c, history, got, want, msg)
	}
	checkError(t, fmt.Sprint("pieces ", history), c, msg, ours.Err())
	if want = upstreamVerdict(sha1dc.Config{}, msg); verdictOf(other) != want {
		t.Fatalf("pieces %v: sha1cd %v, upstream %v", history, verdictOf(other), want)
	}
}

// The plain reference that the module's own tests compare with says what
// upstream says.
func TestReference(t *testing.T) {
	rng := newRand(7)
	for range 200 {
		msg := someMessage(rng)
		for _, c := range configs {
			got := reference.Sum(msg, reference.Options{ReducedRounds: c.ReducedRounds, DisableUBC: c.DisableUBC})
			c.Mode = sha1dc.Mitigate
			want := reference.Result{Plain: sha1.Sum(msg)}
			v := upstreamVerdict(c, msg)
			want.Mitigated, want.Attacked = v.digest, v.collision
			if offset, dv, ok := firstHit(c, msg); ok {
				want.Offset, want.DV = offset, dvs.All()[dv]
			}
			if got != want {
				t.Fatalf("%d bytes, %+v:\nreference %+v\nupstream  %+v", len(msg), c, got, want)
			}
		}
	}
}
