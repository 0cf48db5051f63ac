package gitpack

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNothingIsLeft makes each step of giving the files their names fail.
func TestNothingIsLeft(t *testing.T) {
	pack, _ := indexed(t)
	for _, blocked := range []string{"x.pack", "x.rev", "x.idx"} {
		dir := t.TempDir()
		// A directory that is not empty cannot be replaced.
		if err := os.MkdirAll(filepath.Join(dir, blocked, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := Receive(t.Context(), bytes.NewReader(pack), Files{Pack: filepath.Join(dir, "x.pack"), Reverse: true}, nil, Options{})
		if err == nil {
			t.Errorf("%s: no error", blocked)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("%s: %v are left", blocked, files)
		}
	}
	if _, err := Receive(t.Context(), bytes.NewReader(pack), Files{Dir: filepath.Join(t.TempDir(), "nosuch")}, nil, Options{}); err == nil {
		t.Error("no error for a directory that is missing")
	}
	for _, f := range []Files{{Pack: "x"}, {Pack: "x.pack", Index: "y", Reverse: true}} {
		if _, err := Receive(t.Context(), bytes.NewReader(pack), f, nil, Options{}); err == nil {
			t.Errorf("%+v: no error", f)
		}
	}
}

// TestReplace makes sure that no other pack is replaced, that an index is, and
// that no pack is left if a later step fails.
func TestReplace(t *testing.T) {
	pack, idx := indexed(t)
	dir := t.TempDir()
	files := Files{Pack: filepath.Join(dir, "x.pack")}
	receive := func() error {
		_, err := Receive(t.Context(), bytes.NewReader(pack), files, nil, Options{})
		return err
	}
	if err := receive(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(files.Pack, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files.Pack, []byte("another pack"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := receive(); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a pack in the way: %v", err)
	}
	if got := read(t, files.Pack); string(got) != "another pack" {
		t.Errorf("the pack in the way is now %d bytes", len(got))
	}

	files.Pack = filepath.Join(dir, "y.pack")
	files.Index = filepath.Join(dir, "x.idx")
	if err := receive(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, files.Index), idx) {
		t.Error("another index")
	}

	files.Pack = filepath.Join(dir, "z.pack")
	files.Index = filepath.Join(dir, "z.idx")
	if err := os.MkdirAll(filepath.Join(files.Index, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := receive(); err == nil {
		t.Error("no error")
	}
	if _, err := os.Lstat(files.Pack); err == nil {
		t.Error("the pack is left without an index")
	}
}

// TestReplaceMeanwhile makes sure that a pack stays that gets the name while
// another is received, as when several are received at once.
func TestReplaceMeanwhile(t *testing.T) {
	pack, _ := indexed(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "x.pack")
	r := io.MultiReader(bytes.NewReader(pack), readerFunc(func([]byte) (int, error) {
		if err := os.WriteFile(name, []byte("another pack"), 0o644); err != nil {
			t.Error(err)
		}
		return 0, io.EOF
	}))
	if _, err := Receive(t.Context(), r, Files{Pack: name, Reverse: true}, nil, Options{}); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a pack in the way: %v", err)
	}
	if got := read(t, name); string(got) != "another pack" {
		t.Errorf("the pack in the way is now %d bytes", len(got))
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%v are left", files)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestIndexNamedLikePack makes sure that no index takes the place of its pack.
func TestIndexNamedLikePack(t *testing.T) {
	pack, _ := indexed(t)
	dir := t.TempDir()
	t.Chdir(dir)
	link := "."
	if err := os.Symlink(".", "link"); err == nil {
		link = "link"
	}
	for _, f := range []Files{
		{Pack: "x.pack", Index: "x.pack"},
		{Pack: "x.pack", Index: filepath.Join(dir, "x.pack")},
		{Pack: "x.pack", Index: link + "/x.pack"},
		{Pack: "x.rev", Index: "x.idx", Reverse: true},
	} {
		if _, err := Receive(t.Context(), bytes.NewReader(pack), f, nil, Options{}); err == nil {
			t.Errorf("%+v: received", f)
		}
		if _, err := os.Lstat(f.Pack); err == nil {
			t.Errorf("%+v: a file is left", f)
		}
		if err := os.WriteFile(f.Pack, pack, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := IndexFile(t.Context(), f, Options{}); err == nil {
			t.Errorf("%+v: indexed", f)
		}
		if !bytes.Equal(read(t, f.Pack), pack) {
			t.Errorf("%+v: the pack is gone", f)
		}
		os.Remove(f.Pack)
	}
	// Other names in one directory, and equal names in two, are fine.
	os.Mkdir("other", 0o755)
	if _, err := Receive(t.Context(), bytes.NewReader(pack), Files{Pack: "x.pack", Index: "other/x.pack"}, nil, Options{}); err != nil {
		t.Error(err)
	}
}
