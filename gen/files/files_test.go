package files

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		b, _ := os.ReadFile(filepath.Join(root, name))
		return string(b)
	}
	if err := Write(root, []File{{"a/x", []byte("1")}, {"y", []byte("2")}}); err != nil {
		t.Fatal(err)
	}
	if read("a/x") != "1" || read("y") != "2" {
		t.Errorf("%q, %q", read("a/x"), read("y"))
	}
	if err := Write(root, []File{{"a/x", []byte("new")}, {"missing/z", nil}}); err == nil {
		t.Error("a missing directory is no error")
	}
	if err := Write(root, []File{{"y", []byte("new")}, {"a", nil}}); err == nil || read("y") != "2" {
		t.Errorf("a directory in the way: error %v, %q written", err, read("y"))
	}
	if read("a/x") != "1" {
		t.Errorf("an error left %q in a file", read("a/x"))
	}
	left, _ := filepath.Glob(filepath.Join(root, "*", ".gen-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestModuleRoot(t *testing.T) {
	root, err := ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "gen", "files")); err != nil {
		t.Error(err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module example.com/x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(other)
	if root, err := ModuleRoot(); err == nil {
		t.Errorf("another module's root %s taken for this one's", root)
	}
	t.Chdir("/")
	if root, err := ModuleRoot(); err == nil {
		t.Errorf("a module at %s", root)
	}
}
