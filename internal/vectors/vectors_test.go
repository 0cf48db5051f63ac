package vectors

import (
	"crypto/sha1"
	"strings"
	"testing"
)

func TestAll(t *testing.T) {
	files := All()
	if len(files) != 5 {
		t.Fatalf("%d files", len(files))
	}
	for _, f := range files {
		if sha1.Sum(f.Data) != f.Plain {
			t.Errorf("%s: plain digest is not the SHA-1 of the data", f.Name)
		}
		if f.Reduced == f.Plain || f.Attacked() == (f.Name == "reduced-round") {
			t.Errorf("%s: mitigated digests do not fit the file", f.Name)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const ok = "plain: 38762cf7f55934b34d179ae6a4c80cadccbb7f0a\n"
	for text, want := range map[string]string{
		ok + "0g":            "2: ",
		ok + ok:              "2: want a digest",
		ok:                   "1: no digest",
		"other: 00\n":        "1: want a digest",
		"\n# x\nplain: 00\n": "3: want a digest",
	} {
		if _, err := parse("x", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
