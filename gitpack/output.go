package gitpack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// outputs are the files that a run writes. They have temporary names beside
// their final ones until all are complete.
type outputs struct {
	files []output
}

type output struct {
	file  *os.File
	path  string // the final name
	fresh bool   // it must be free
}

// create adds a file. Its final name may be set later.
func (o *outputs) create(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	o.files = append(o.files, output{file: f})
	return f, nil
}

// name sets the final name of a file, and whether it must be free.
func (o *outputs) name(f *os.File, path string, fresh bool) {
	for n := range o.files {
		if o.files[n].file == f {
			o.files[n].path, o.files[n].fresh = path, fresh
		}
	}
}

// move gives the file its final name.
func (f output) move() error {
	if !f.fresh {
		return os.Rename(f.file.Name(), f.path)
	}
	// Unlike a check before a rename, a link lets one of several runs win.
	if os.Link(f.file.Name(), f.path) == nil {
		os.Remove(f.file.Name())
		return nil
	}
	if err := checkFree(f.path); err != nil {
		return err
	}
	return os.Rename(f.file.Name(), f.path) // where there are no hard links
}

// checkFree reports a pack that is there. As git has it: it may be another one,
// and is never replaced.
func checkFree(pack string) error {
	if _, err := os.Lstat(pack); err == nil {
		return fmt.Errorf("the pack %q exists: remove it or name another file", pack)
	}
	return nil
}

// sameFile reports whether two names, whose files need not exist, are of one
// entry of a directory.
func sameFile(a, b string) bool {
	same := func(stat func(string) (os.FileInfo, error), a, b string) bool {
		x, err := stat(a)
		if err != nil {
			return false
		}
		y, err := stat(b)
		return err == nil && os.SameFile(x, y)
	}
	return same(os.Lstat, a, b) || // also where names differ in case only
		filepath.Base(a) == filepath.Base(b) && same(os.Stat, filepath.Dir(a), filepath.Dir(b))
}

// discard removes the files that do not have their final names.
func (o *outputs) discard() {
	for _, f := range o.files {
		f.file.Close()
		os.Remove(f.file.Name())
	}
	o.files = nil
}

// commit makes the files durable and gives them their final names, in the
// order in which they were created. If that fails, none is left that was not
// there before.
func (o *outputs) commit() (err error) {
	var created []string
	defer func() {
		if err != nil {
			for _, path := range created {
				os.Remove(path)
			}
		}
		o.discard()
	}()
	for _, f := range o.files {
		// As git has it: a pack is never changed.
		if err := errors.Join(f.file.Chmod(0o444), f.file.Sync(), f.file.Close()); err != nil {
			return err
		}
	}
	dirs := make(map[string]bool)
	for len(o.files) > 0 {
		f := o.files[0]
		_, missing := os.Lstat(f.path)
		if err := f.move(); err != nil {
			return err
		}
		if missing != nil {
			created = append(created, f.path)
		}
		dirs[filepath.Dir(f.path)] = true
		o.files = o.files[1:]
	}
	for dir := range dirs {
		syncDir(dir)
	}
	return nil
}

// syncDir makes the names in a directory durable, where the system can do that.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
