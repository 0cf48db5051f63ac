// Package files writes generated files.
package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// File is a generated file: its path below the module's root, with slashes,
// and its bytes.
type File struct {
	Path    string
	Content []byte
}

// Write writes the files below root. All are complete on the disk before the
// first takes its place, so what commonly goes wrong, a directory that is
// missing or cannot be written, or a full disk, leaves the old files as they
// were. An error after that names how many files are new.
func Write(root string, files []File) (err error) {
	var temps []string
	defer func() {
		if err != nil {
			for _, t := range temps {
				err = errors.Join(err, os.Remove(t))
			}
		}
	}()
	for _, f := range files {
		path := filepath.Join(root, filepath.FromSlash(f.Path))
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s: stands in the way, and is no regular file", f.Path)
		}
		t, err := os.CreateTemp(filepath.Dir(path), ".gen-*")
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		temps = append(temps, t.Name())
		_, err = t.Write(f.Content)
		if err = errors.Join(err, t.Chmod(0o644), t.Close()); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	for n, f := range files {
		if err := os.Rename(temps[0], filepath.Join(root, filepath.FromSlash(f.Path))); err != nil {
			return fmt.Errorf("%s: %w (%d files before it are already new)", f.Path, err, n)
		}
		temps = temps[1:]
	}
	return nil
}

// module is the line of this module's go.mod that names it.
const module = "module github.com/sha1dc/go\n"

// ModuleRoot returns the root of this module, in or below which the working
// directory must be.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if strings.HasPrefix(string(text), module) {
			return dir, nil
		}
		if err == nil {
			return "", fmt.Errorf("%s is the root of another module: run from inside github.com/sha1dc/go", dir)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory: run from inside github.com/sha1dc/go")
		}
		dir = parent
	}
}
