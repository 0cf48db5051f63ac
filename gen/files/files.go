// Package files writes generated files: all of them, or none.
package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// File is a generated file: its path below the module's root, with slashes,
// and its bytes.
type File struct {
	Path    string
	Content []byte
}

// Write writes the files below root. Each is complete before any is put in its
// place, so an error leaves the old files as they were.
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

// ModuleRoot returns the closest directory upwards that holds a go.mod.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory: run from inside the module")
		}
		dir = parent
	}
}
