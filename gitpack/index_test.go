package gitpack

import (
	"bytes"
	"path/filepath"
	"testing"
)

// indexBoth indexes a pack with git and with this package, as a file and as a
// stream, and compares the indexes.
func indexBoth(t *testing.T, pack []byte, opt Options) *Report {
	t.Helper()
	ours := write(t, "ours.pack", pack)
	theirs := write(t, "theirs.pack", pack)
	mustGit(t, t.TempDir(), nil, "index-pack", "--rev-index", theirs)
	report, err := IndexFile(t.Context(), Files{Pack: ours, Reverse: true}, opt)
	if err != nil {
		t.Fatal(err)
	}
	same := func(what, a, b string) {
		t.Helper()
		if !bytes.Equal(read(t, a), read(t, b)) {
			t.Errorf("%s: the %s differs from git's", what, filepath.Ext(a))
		}
	}
	base := func(name string) string { return name[:len(name)-len(".pack")] }
	same("file", base(ours)+".idx", base(theirs)+".idx")
	same("file", base(ours)+".rev", base(theirs)+".rev")
	if _, err := Verify(t.Context(), Files{Pack: theirs, Reverse: true}, opt); err != nil {
		t.Errorf("verify: %v", err)
	}

	dir := t.TempDir()
	report, err = Receive(t.Context(), bytes.NewReader(pack), Files{Dir: dir, Reverse: true}, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "pack-"+report.PackChecksum.String())
	same("stream", name+".pack", theirs)
	same("stream", name+".idx", base(theirs)+".idx")
	same("stream", name+".rev", base(theirs)+".rev")
	return report
}

func TestEqualsGit(t *testing.T) {
	dir := repository(t, history(60, 12))
	for _, c := range []struct {
		name string
		args []string
	}{
		{"offsets", nil},
		{"names", []string{"-c", "repack.useDeltaBaseOffset=false"}},
		{"deep", []string{"-c", "pack.depth=4000", "-c", "pack.window=200"}},
		{"whole", []string{"-c", "pack.depth=0", "-c", "pack.window=0"}},
		{"stored", []string{"-c", "pack.compression=0"}},
	} {
		pack := read(t, repack(t, dir, c.args...))
		for _, threads := range []int{1, 2, 7} {
			r := indexBoth(t, pack, Options{Threads: threads})
			if deltas := c.name != "whole"; (r.Deltas > 0) != deltas || r.Types[Tag].Objects != 1 || r.Types[Commit].Objects != 60 {
				t.Errorf("%s, %d threads: %+v", c.name, threads, r)
			}
		}
		// Without memory everything is made again when it is needed.
		indexBoth(t, pack, Options{Limits: Limits{Memory: 1}})
	}
}
