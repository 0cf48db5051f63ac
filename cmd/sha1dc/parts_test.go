package main

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sha1dc/go/forensics"
)

func TestFileType(t *testing.T) {
	for data, want := range map[string]string{
		"": "", "text": "", "%PDF-1.7 and much more": "PDF document", "\x00\x00\x00\x18ftypmp42": "MP4 or HEIF media", "ftyp": "",
		"\x7fELF": "ELF program", "\x7fEL": "", "blob 12\x00": "git object",
	} {
		for _, r := range []io.Reader{strings.NewReader(data), iotest.OneByteReader(strings.NewReader(data))} {
			h := &headReader{r: r}
			if all, err := io.ReadAll(h); err != nil || string(all) != data || len(h.head) > headSize {
				t.Errorf("%q, %v, %d bytes kept", all, err, len(h.head))
			}
			if have := fileType(h.head); have != want {
				t.Errorf("%q: %q, want %q", data, have, want)
			}
		}
	}
}

// TestChosen checks which attack's other file is written.
func TestChosen(t *testing.T) {
	complete := forensics.Attack{Blocks: make([]forensics.Block, 1)}
	reduced := forensics.Attack{Blocks: make([]forensics.Block, 1)}
	reduced.Blocks[0].TwinOut[0] = 1
	list := []forensics.Attack{reduced, complete, complete}
	for number, want := range []*forensics.Attack{&list[1], nil, &list[1], &list[2], nil} {
		e := &explainer{explainOptions: explainOptions{attack: number}}
		have, err := e.chosen(&subject{report: &forensics.Report{Attacks: list}})
		if have != want || (err == nil) != (want != nil) {
			t.Errorf("--attack %d: %v, %v", number, have, err)
		}
		broken := &subject{report: &forensics.Report{Attacks: list}, err: io.ErrUnexpectedEOF}
		if have, err := e.chosen(broken); have != nil || err == nil {
			t.Errorf("--attack %d of a file read in part: %v, %v", number, have, err)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		width      int
		text, want string
	}{
		{20, "", "- \n"},
		{20, "one", "- one\n"},
		{9, "one two", "- one two\n"},
		{8, "one two", "- one\n  two\n"},
		{3, "longer words", "- longer\n  words\n"},
	} {
		if have := wrap("- ", "  ", c.width, c.text); have != c.want {
			t.Errorf("%d columns: %q, want %q", c.width, have, c.want)
		}
	}
}
