package main

import (
	"strings"
	"testing"

	"github.com/sha1dc/go/forensics"
)

// reported returns the report on a file in words, without its line breaks.
func reported(r *forensics.Report) string {
	return strings.Join(strings.Fields(string(textReport(&subject{name: "x", report: r}))), " ")
}

// attackAt returns an attack of one block at an offset.
func attackAt(offset int64, end forensics.End) forensics.Attack {
	b := forensics.Block{Offset: offset}
	b.Twin[0] = 1
	if end != forensics.Met {
		b.TwinIn[0] = 1
	}
	return forensics.Attack{Blocks: []forensics.Block{b}, End: end}
}

// TestPaddingText checks what is said of an attack on a block that ends in
// padding.
func TestPaddingText(t *testing.T) {
	const shared, no = "end in 2 bytes of SHA-1's padding, which both files share", "collides with no other file"
	a := attackAt(64, forensics.Met)
	for _, c := range []struct {
		size         int64
		padded       bool
		shared, none bool
	}{{126, false, true, false}, {126, true, false, true}, {128, false, false, false}} {
		a.Padded = c.padded
		text := reported(&forensics.Report{Size: c.size, Attacks: []forensics.Attack{a}})
		if strings.Contains(text, shared) != c.shared || strings.Contains(text, no) != c.none {
			t.Errorf("%d bytes, padded: %v: %s", c.size, c.padded, text)
		}
	}
}

// TestWordsFit checks sentences that depend on more than the kind of an attack.
func TestWordsFit(t *testing.T) {
	met, chosen, window := attackAt(64, forensics.Met), attackAt(128, forensics.NoVector), attackAt(192, forensics.WindowStart)
	for name, c := range map[string]struct {
		r    *forensics.Report
		want []string
	}{
		"one":       {&forensics.Report{Size: 256, Attacks: []forensics.Attack{met}}, []string{"--twin=OUT writes it.", "which sha1dcsum prints."}},
		"several":   {&forensics.Report{Size: 256, Attacks: []forensics.Attack{met, chosen}}, []string{"--twin=OUT --attack=1 writes it.", "--twin=OUT --attack=2 writes those."}},
		"no vector": {&forensics.Report{Size: 256, Attacks: []forensics.Attack{chosen}}, []string{"Its first 128 bytes differ too and cannot be computed;"}},
		"window":    {&forensics.Report{Size: 256, Attacks: []forensics.Attack{window}}, []string{"these 64 bytes, and in others in front of them:"}},
		"reduced": {&forensics.Report{Size: 256, Attacks: []forensics.Attack{met}, Options: forensics.Options{ReducedRounds: true}},
			[]string{"the mitigated digest, which sha1dcsum --reduced-round prints."}},
	} {
		text := reported(c.r)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in %s", name, want, text)
			}
		}
	}
}
