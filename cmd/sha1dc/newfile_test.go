package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/cli"
)

// TestCreate checks that a file appears whole or not at all.
func TestCreate(t *testing.T) {
	t.Chdir(t.TempDir())
	broken := errors.New("broken")
	hello := func(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }
	if err := create("a", func(w io.Writer) error { hello(w); return broken }); err != broken {
		t.Errorf("%v, want %v", err, broken)
	}
	if names := listing(t); len(names) > 0 {
		t.Errorf("left behind: %q", names)
	}
	if err := create("a", hello); err != nil || read(t, "a") != "hello" {
		t.Errorf("%v", err)
	}
	// Nor is another's temporary file.
	stale := fmt.Sprintf(".sha1dc-%d-0.tmp", os.Getpid())
	write(t, stale, "another's")
	if err := create("a2", hello); err != nil || read(t, "a2") != "hello" || read(t, stale) != "another's" {
		t.Errorf("%v, the other temporary file is %q", err, read(t, stale))
	}
	os.Remove(stale)
	os.Remove("a2")
	// A file that appeared meanwhile is not replaced.
	err := create("b", func(w io.Writer) error { write(t, "b", "another's"); return hello(w) })
	if !errors.Is(err, fs.ErrExist) || read(t, "b") != "another's" {
		t.Errorf("%v, b is %q", err, read(t, "b"))
	}
	if err := create("gone/c", hello); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if names := listing(t); !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("left behind: %q", names)
	}
}

// TestMoveNew checks both ways to move a file.
func TestMoveNew(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "from", "new")
	write(t, "to", "old")
	if err := moveNew("from", "to"); !errors.Is(err, fs.ErrExist) || read(t, "to") != "old" {
		t.Errorf("%v", err)
	}
	if err := moveNew("gone", "free"); err == nil {
		t.Error("a missing file was moved")
	}
	if err := os.Mkdir("dir", 0o777); err != nil { // which cannot be linked
		t.Fatal(err)
	}
	if err := moveNew("dir", "to"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if err := moveNew("dir", "moved"); err != nil {
		t.Error(err)
	}
}

// TestNoSuchName checks that a name that no file can have is refused at once, or
// with no more than the reason.
func TestNoSuchName(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("x", 300)
	reason := cli.Reason(os.WriteFile(long, nil, 0o666))
	if err := checkNew(long); err == nil || !strings.HasSuffix(err.Error(), ": "+reason) {
		t.Errorf("%v, want the reason %q", err, reason)
	}
	err := create(long, func(w io.Writer) error { return nil })
	if err == nil || cli.Reason(err) != reason {
		t.Errorf("%v, want the reason %q", err, reason)
	}
	if names := listing(t); len(names) > 0 {
		t.Errorf("left behind: %q", names)
	}
}

// TestChangedMeanwhile checks that no twin is written of a file that changes
// between the two times it is read.
func TestChangedMeanwhile(t *testing.T) {
	all := inDirectory(t)
	original := all["shattered-1"] + "suffix"
	for name, c := range map[string]struct{ data, reason string }{
		"in a block":       {original[:200] + "x" + original[201:], "byte 200 was"},
		"in front":         {"x" + original[1:], "would not be attacked"},
		"behind":           {original[:len(original)-1] + "y", "the other one would have the SHA-1"},
		"shorter":          {original[:len(original)-1], "it had 326 bytes and has 325"},
		"much shorter":     {original[:70], "it had 326 bytes and has 70"},
		"longer":           {original + "x", "it had 326 bytes and has 327"},
		"not at all there": {"", "it had 326 bytes and has 0"},
	} {
		write(t, "in", original)
		f, err := os.Open("in")
		if err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		e := &explainer{
			explainOptions: explainOptions{twin: "out"},
			printer:        streams{nil, io.Discard, &stderr}.printer(),
		}
		e.analysis.Window = 9
		s := e.analyze("in", f)
		write(t, "in", c.data)
		e.writeTwin(s, f)
		f.Close()
		if !e.failed || !strings.Contains(stderr.String(), c.reason) || !strings.HasPrefix(stderr.String(), "sha1dc: out: not written: ") {
			t.Errorf("%s: %q", name, stderr.String())
		}
		if names := listing(t); slices.Contains(names, "out") || slices.ContainsFunc(names, func(s string) bool { return strings.HasPrefix(s, ".") }) {
			t.Errorf("%s: left behind: %q", name, names)
		}
	}
}
