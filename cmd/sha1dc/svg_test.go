package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sha1dc/go/forensics"
	"github.com/sha1dc/go/internal/vectors"
)

// A label is a text of a picture with the place that it takes up.
type label struct {
	text                     string
	left, right, top, bottom float64
}

// labels returns the texts of a picture, which must be well-formed.
func labels(t *testing.T, svg []byte) (out []label, width, height float64) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	var current *label
	for {
		token, err := d.Token()
		if err == io.EOF {
			return out, width, height
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			attributes := map[string]string{}
			for _, a := range token.Attr {
				attributes[a.Name.Local] = a.Value
			}
			number := func(name string) float64 {
				v, err := strconv.ParseFloat(attributes[name], 64)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			switch token.Name.Local {
			case "svg":
				width, height = number("width"), number("height")
			case "text":
				current = &label{left: number("x"), bottom: number("y"), text: attributes["class"]}
			}
		case xml.CharData:
			if current != nil {
				out = append(out, current.place(string(token)))
			}
		case xml.EndElement:
			current = nil
		}
	}
}

// place returns the label with its text, on whose classes its size depends; the
// average sign is taken to be wide.
func (l *label) place(text string) label {
	size, classes := 12., strings.Fields(l.text)
	w := 0.
	for _, c := range classes {
		switch c {
		case "h":
			size = 15
		case "s":
			size = 11
		}
	}
	w = size * .58 * float64(utf8.RuneCountInString(text))
	p := label{text: text, left: l.left, right: l.left + w, top: l.bottom - size*.75, bottom: l.bottom + size*.2}
	for _, c := range classes {
		switch c {
		case "c":
			p.left, p.right = l.left-w/2, l.left+w/2
		case "e":
			p.left, p.right = l.left-w, l.left
		}
	}
	return p
}

// TestPictures checks that pictures of all kinds of attacks are well-formed,
// that no text leaves them, and that none covers another.
func TestPictures(t *testing.T) {
	analyze := func(n int, o forensics.Options) *forensics.Report {
		r, err := forensics.Analyze(bytes.NewReader(vectors.All()[n].Data), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	shattered, shambles := analyze(0, forensics.Options{}), analyze(2, forensics.Options{})
	reduced := analyze(4, forensics.Options{ReducedRounds: true})

	// long returns an attack of n blocks at an offset.
	long := func(n int, offset int64, end forensics.End) forensics.Attack {
		a := forensics.Attack{End: end}
		source := shambles.Attacks[0].Blocks
		for i := range n {
			b := source[(i+len(source)-n%len(source))%len(source)]
			b.Offset = offset + 64*int64(i)
			a.Blocks = append(a.Blocks, b)
		}
		return a
	}
	many := &forensics.Report{Size: 1 << 40, Omitted: 7}
	for n := range int64(9) {
		many.Attacks = append(many.Attacks, long(1+int(n), n*n<<33, forensics.NoVector))
	}
	pictures := map[string]*forensics.Report{
		"shattered": shattered, "shambles": shambles, "reduced": reduced, "many": many,
		"window": analyze(2, forensics.Options{Window: 3}),
		"start":  {Size: 1 << 10, Attacks: []forensics.Attack{long(2, 0, forensics.MessageStart)}},
	}
	for _, n := range []int{1, 2, 3, 5, 9, 10, 11, 12, 4096} {
		for _, offset := range []int64{64, 99_968, 1 << 40} {
			pictures[fmt.Sprint(n, " blocks at ", offset)] = &forensics.Report{Size: 1 << 41, Attacks: []forensics.Attack{long(n, offset, forensics.NoVector)}}
		}
	}
	for name, r := range pictures {
		svg := drawing(&subject{name: strings.Repeat("a <name> & \x00\xff\ufffe", 9), report: r})
		all, width, height := labels(t, svg)
		for i, l := range all {
			if l.left < 0 || l.right > width || l.top < 0 || l.bottom > height {
				t.Errorf("%s: %q leaves the picture: %v", name, l.text, l)
			}
			for _, m := range all[:i] {
				if l.left < m.right && m.left < l.right && l.top < m.bottom && m.top < l.bottom {
					t.Errorf("%s: %q and %q cover each other", name, m.text, l.text)
				}
			}
		}
		if len(svg) > 200_000 || len(all) < 15 {
			t.Errorf("%s: %d bytes, %d texts", name, len(svg), len(all))
		}
	}
}

// TestLongReport checks that a report shows some of many blocks, and says so.
func TestLongReport(t *testing.T) {
	for n, want := range map[int]string{12: "", 13: "1 more block;", 4096: "4084 more blocks;"} {
		r := &forensics.Report{Size: 1 << 20, Omitted: 2, Attacks: []forensics.Attack{{Blocks: make([]forensics.Block, n)}}}
		text := string(textReport(&subject{name: "x", report: r}))
		if strings.Count(text, "more block") != 2*min(len(want), 1) || !strings.Contains(text, want) || !strings.Contains(text, "\n  2 more attacks not described here.\n") {
			t.Errorf("%d blocks: %.2000q", n, text)
		}
		if lines := strings.Count(text, "\n"); lines > 200 {
			t.Errorf("%d blocks: %d lines", n, lines)
		}
	}
}

// TestShorten checks that names keep both ends, and fit.
func TestShorten(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "short": "short", "exactly ten": "exact… ten", "0123456789": "0123456789", "0123456789a": "01234…789a",
		"漢字漢字漢": "漢字漢字漢", "漢字漢字漢字": "漢字…漢字", "aaaaaa漢字": "aaaaaa漢字", "漢\x00\xff字z": "漢\ufffd\ufffd字z",
	} {
		if have := shorten(name, 10); have != want {
			t.Errorf("%q: %q, want %q", name, have, want)
		}
	}
}
