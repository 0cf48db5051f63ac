package main

import (
	"crypto/sha1"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pjbgf/sha1cd/cgo"

	"github.com/sha1dc/go/internal/dvs"
)

func TestRows(t *testing.T) {
	if err := verify(rows()); err != nil {
		t.Fatal(err)
	}
	wrong := row{"wrong", func(digests [][sha1.Size]byte, msgs [][]byte) {
		baseline.hash(digests, msgs)
		digests[len(digests)-1][19] ^= 1
	}}
	idle := row{"idle", func([][sha1.Size]byte, [][]byte) {}}
	for _, r := range []row{wrong, idle} {
		if err := verify([]row{baseline, r}); err == nil || !strings.Contains(err.Error(), "row "+r.name) {
			t.Errorf("row %s is not rejected: %v", r.name, err)
		}
	}
}

func TestRowNames(t *testing.T) {
	want := "crypto/sha1, sha1cd, sha1cd/cgo, sha1dc"
	if !cgoEnabled {
		want = "crypto/sha1, sha1cd, sha1dc"
	}
	if got := list(rows(), func(r row) string { return r.name }); got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
}

func TestMessagesAreDistinct(t *testing.T) {
	f := newFeed(inputs[0])
	for _, size := range []int{64, 1 << 10, 1 << 20, poolSize} {
		msgs := make([][]byte, min(200_000, 4*poolSize/size))
		f.messages(msgs, size)
		seen := make(map[[64]byte]bool)
		for _, m := range msgs {
			if len(m) != size {
				t.Fatalf("message of %d bytes, want %d", len(m), size)
			}
			seen[[64]byte(m)] = true
		}
		// A message as large as the pool can only be the pool.
		if size < poolSize && len(seen) < len(msgs)*99/100 {
			t.Errorf("%d bytes: %d distinct messages of %d", size, len(seen), len(msgs))
		}
	}
}

// TestWholeBlocks demands messages whose blocks are those of the pool.
func TestWholeBlocks(t *testing.T) {
	i := slices.IndexFunc(inputs, func(in input) bool { return in.align == 64 })
	f := newFeed(inputs[i])
	blocks := make(map[[64]byte]bool)
	for b := range slices.Chunk(f.pool, 64) {
		blocks[[64]byte(b)] = true
	}
	msgs, lengths := make([][]byte, 5000), make([]int, 5000)
	for n := range lengths {
		lengths[n] = 64 + n
	}
	f.lengths(msgs, lengths)
	for n, m := range msgs {
		if len(m) != lengths[n] || !blocks[[64]byte(m)] {
			t.Fatalf("message %d of %d bytes, want %d from the start of a block", n, len(m), lengths[n])
		}
	}
}

func TestSurvivingInput(t *testing.T) {
	i := slices.IndexFunc(inputs, func(in input) bool { return in.name == "surviving" })
	pool := make([]byte, 64*1000)
	inputs[i].fill(pool)
	vectors := 0
	for block := range slices.Chunk(pool, 64) {
		var words [16]uint32
		for n := range words {
			b := block[4*n:]
			words[n] = uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
		}
		w := dvs.Expand(words)
		mask := dvs.Mask(cgo.CalculateDvMask(&w))
		if mask == 0 {
			t.Fatalf("block %x does not pass the filter", block)
		}
		vectors += mask.Len()
	}
	if vectors < 2*1000 {
		t.Errorf("%d vectors for 1000 blocks, want several a block", vectors)
	}
}

func TestParse(t *testing.T) {
	o, err := parse(strings.Fields("-rounds 3 -time 1ms -sizes 64,16K,1M -rows sha1dc -markdown -spread"))
	if err != nil {
		t.Fatal(err)
	}
	if o.rounds != 3 || o.time != time.Millisecond || !slices.Equal(o.sizes, []int{64, 16 << 10, 1 << 20}) ||
		len(o.rows) != 2 || o.rows[0].name != baseline.name || o.rows[1].name != "sha1dc" || !o.markdown || !o.spread {
		t.Errorf("%+v", o)
	}
	for args, want := range map[string]string{
		"-sizes 0":            "out of range",
		"-sizes -1K":          "out of range",
		"-sizes 17M":          "out of range",
		"-sizes 99999999999M": "out of range",
		"-sizes 64,":          `"" is not a size`,
		"-sizes 4x":           `"4x" is not a size`,
		"-rows sha2":          `no "sha2", have crypto/sha1`,
		"-input secret":       `no "secret", have random`,
		"-rounds 0":           "-rounds 0",
		"-time 0s":            "-time 0s",
		"fast":                `"fast"`,
		"-fast":               "not defined: -fast",
	} {
		if _, err := parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", args, err, want)
		}
	}
}

func TestOutput(t *testing.T) {
	for _, in := range inputs {
		o := options{rounds: 3, time: time.Microsecond, sizes: []int{64, 1000}, rows: rows(), input: in, spread: true}
		for _, o.markdown = range []bool{false, true} {
			var b strings.Builder
			if err := run(&b, o); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(b.String()), "\n")
			want := 2 + 1 + len(o.rows)
			if o.markdown {
				want++
			}
			if len(lines) != want || !strings.Contains(lines[0], in.name+" input") || !strings.Contains(lines[2], "1000 B") ||
				!strings.Contains(lines[len(lines)-1], "sha1dc") {
				t.Errorf("%s input:\n%s", in.name, b.String())
			}
		}
	}
}

func TestManyOutput(t *testing.T) {
	var b strings.Builder
	if err := runMany(&b, options{rounds: 2, time: time.Microsecond, input: inputs[0]}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "\n"); got != 3+len(workloads) || !strings.Contains(b.String(), "objects in git") {
		t.Errorf("%d lines:\n%s", got, b.String())
	}
	percent := 0
	for _, s := range objectSizes {
		percent += s.percent
	}
	if percent != 100 {
		t.Errorf("sizes of %d %% of the objects", percent)
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{1, 2, 3, 4, 5}
	if a, b, c := quantile(v, 1), quantile(v, 2), quantile(v, 3); a != 2 || b != 3 || c != 4 {
		t.Errorf("quartiles %v %v %v", a, b, c)
	}
	if q := quantile([]float64{7}, 2); q != 7 {
		t.Errorf("median of one value: %v", q)
	}
}
