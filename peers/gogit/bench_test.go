package gogit

import (
	"bytes"
	"hash"
	"io"
	"os"
	"testing"
	"time"

	"github.com/pjbgf/sha1cd"

	"github.com/sha1dc/go/gitpack"
	"github.com/sha1dc/go/sha1dc"
)

// benchmark compares a parser of packs with go-git's own hash and with ours, in
// one run, one after the other. SHA1DC_PACK names the pack.
func benchmark(b *testing.B, register func(func() hash.Hash), parse func(io.Reader) error) {
	name := os.Getenv("SHA1DC_PACK")
	if name == "" {
		b.Skip("SHA1DC_PACK is not set")
	}
	pack, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	defer register(sha1cd.New)
	var before, after time.Duration
	timed := func(total *time.Duration, h func() hash.Hash) {
		register(h)
		start := time.Now()
		if err := parse(bytes.NewReader(pack)); err != nil {
			b.Fatal(err)
		}
		*total += time.Since(start)
	}
	for b.Loop() {
		timed(&before, sha1cd.New)
		timed(&after, sha1dc.New)
	}
	start := time.Now()
	if _, err := gitpack.Receive(b.Context(), bytes.NewReader(pack), gitpack.Files{Dir: b.TempDir()}, nil, gitpack.Options{}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(before.Seconds()/float64(b.N), "s-sha1cd")
	b.ReportMetric(after.Seconds()/float64(b.N), "s-sha1dc")
	b.ReportMetric(before.Seconds()/after.Seconds(), "ratio")
	b.ReportMetric(time.Since(start).Seconds(), "s-gitpack")
}
