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
