package gitpack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Files says which files to write. The index is always written, with the
// extension .idx instead of .pack if it has no name of its own.
type Files struct {
	// Pack is the name of the pack. If it is empty, a received pack is named
	// pack-CHECKSUM.pack in Dir.
	Pack string

	// Dir is where files without a name of their own go, and must be on the same
	// file system as those with one.
	Dir string

	// Index is the name of the index, if it is not that of the pack with another
	// extension.
	Index string

	// Reverse also writes a reverse index, named like the index with the
	// extension .rev.
	Reverse bool
}

// names returns the names of index and reverse index for a pack.
func (f Files) names(pack string) (index, reverse string, err error) {
	index = f.Index
	if index == "" {
		base, ok := strings.CutSuffix(pack, ".pack")
		if !ok {
			return "", "", fmt.Errorf("the name of pack %q does not end in .pack: name the index too", pack)
		}
		index = base + ".idx"
	}
	if f.Reverse {
		base, ok := strings.CutSuffix(index, ".idx")
		if !ok {
			return "", "", fmt.Errorf("the name of index %q does not end in .idx, so the reverse index has none", index)
		}
		reverse = base + ".rev"
	}
	return index, reverse, nil
}

// targets returns the names of the index and reverse index to write for a pack.
// It is an error if one would replace the pack.
func (f Files) targets(pack string) (index, reverse string, err error) {
	index, reverse, err = f.names(pack)
	if err != nil {
		return "", "", err
	}
	if sameFile(index, pack) {
		return "", "", fmt.Errorf("the index %q would replace the pack: name another file", index)
	}
	if reverse != "" && sameFile(reverse, pack) {
		return "", "", fmt.Errorf("the reverse index %q would replace the pack: rename the pack or name another index", reverse)
	}
	return index, reverse, nil
}

// Receive reads a pack from r as it arrives, checks all of it, and writes it
// and its index. The pack must not exist if files names it. If bases is not nil, it completes a thin pack with the objects
// from there. On any error, which may be a *PackError, a *LimitError, a
// *CollisionError or one of r or the file system, no file is left. It may read
// more from r than the pack. If ctx ends while r waits, Receive returns, but one
// call of r.Read goes on until r is closed.
func Receive(ctx context.Context, r io.Reader, files Files, bases BaseFunc, opt Options) (*Report, error) {
	opt = opt.withDefaults()
	dir, named := files.Dir, files.Pack != ""
	if named {
		dir = filepath.Dir(files.Pack)
		if err := checkFree(files.Pack); err != nil {
			return nil, err
		}
		if _, _, err := files.targets(files.Pack); err != nil {
			return nil, err
		}
	}
	var out outputs
	defer out.discard()
	pack, err := out.create(dir, "tmp_pack_*")
	if err != nil {
		return nil, err
	}
	j, ctx := newJob(ctx, opt)
	defer j.cancel(nil)
	if err := j.firstPass(ctx, r, pack, isFile(r)); err != nil {
		return nil, err
	}
	added, err := j.secondPass(ctx, pack, pack, bases)
	if err != nil {
		return nil, err
	}
	if !named {
		files.Pack = filepath.Join(files.Dir, fmt.Sprintf("pack-%v.pack", j.checksum))
	}
	out.name(pack, files.Pack, named)
	report, err := j.writeIndexes(&out, files)
	if err != nil {
		return nil, err
	}
	report.Added = added
	return report, out.commit()
}

// IndexFile reads the pack named in files, checks all of it, and writes its
// index. Errors are those of Receive.
func IndexFile(ctx context.Context, files Files, opt Options) (*Report, error) {
	opt = opt.withDefaults()
	if _, _, err := files.targets(files.Pack); err != nil {
		return nil, err
	}
	j, ctx := newJob(ctx, opt)
	defer j.cancel(nil)
	if err := j.readFile(ctx, files.Pack); err != nil {
		return nil, err
	}
	var out outputs
	defer out.discard()
	report, err := j.writeIndexes(&out, files)
	if err != nil {
		return nil, err
	}
	return report, out.commit()
}

// newJob returns a job, and a context that ends with it.
func newJob(ctx context.Context, opt Options) (*job, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &job{opt: opt, cancel: cancel}, ctx
}

// readFile reads all of a pack that is a file.
func (j *job) readFile(ctx context.Context, name string) error {
	f, err := openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := j.firstPass(ctx, f, nil, true); err != nil {
		return err
	}
	_, err = j.secondPass(ctx, f, nil, nil)
	return err
}

// openFile opens a file that ends. It looks before it opens, because to open a
// named pipe can wait forever.
func openFile(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return os.Open(name)
}

// errNotRegular is the error for a file that is a directory, a pipe or a device.
var errNotRegular = errors.New("not a regular file (a pack can be received as a stream)")

// isFile reports whether r is a file that ends, unlike a pipe or a terminal.
func isFile(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// secondPass resolves the deltas of the pack. If bases is not nil, it completes
// the pack, in file, and returns the number of objects added.
func (j *job) secondPass(ctx context.Context, pack io.ReaderAt, file *os.File, bases BaseFunc) (added int, err error) {
	r := newResolver(j, pack)
	if r.deltas == 0 {
		return 0, nil
	}
	if err := r.run(ctx, 0); err != nil {
		return 0, err
	}
	missing := r.unresolved()
	switch {
	case len(missing) == 0:
	case bases == nil:
		return 0, r.unresolvedError(missing)
	default:
		if added, err = r.complete(ctx, file, bases); err != nil {
			return 0, err
		}
	}
	return added, nil
}

// sorted returns the numbers of the entries in the order of their ids.
func (j *job) sorted() ([]uint32, error) {
	order := sortedEntries(&j.table, j.opt.Threads)
	if j.opt.AllowDuplicates {
		return order, nil
	}
	return order, duplicate(&j.table, order)
}

// writeIndexes adds the index files to out and returns the report.
func (j *job) writeIndexes(out *outputs, files Files) (*Report, error) {
	order, err := j.sorted()
	if err != nil {
		return nil, err
	}
	index, reverse, err := files.targets(files.Pack)
	if err != nil {
		return nil, err
	}
	if reverse != "" {
		f, err := out.create(filepath.Dir(reverse), "tmp_rev_*")
		if err != nil {
			return nil, err
		}
		out.name(f, reverse, false)
		if err := writeReverseIndex(f, order, j.checksum); err != nil {
			return nil, err
		}
	}
	// The index is last, because a pack is used as soon as that is there.
	f, err := out.create(filepath.Dir(index), "tmp_idx_*")
	if err != nil {
		return nil, err
	}
	out.name(f, index, false)
	report := j.report()
	report.IndexChecksum, err = writeIndex(f, &j.table, order, j.checksum, largeOffset)
	return report, err
}
