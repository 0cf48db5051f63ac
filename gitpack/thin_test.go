package gitpack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// baseMap gives blobs from outside a pack.
type baseMap map[ID][]byte

func (m baseMap) object(_ context.Context, id ID) (ObjectType, []byte, error) {
	if p, ok := m[id]; ok {
		return Blob, p, nil
	}
	return 0, nil, fs.ErrNotExist
}

// TestThinPack completes a thin pack that git made, and has git verify it.
func TestThinPack(t *testing.T) {
	dir := repository(t, history(60, 12))
	repack(t, dir)
	list := "refs/heads/main\n--not\nrefs/heads/main~20\n"
	thin := []byte(mustGitRaw(t, dir, list, "pack-objects", "--thin", "--stdout", "--revs", "-q"))
	if _, err := receive(t, thin, Options{}); !errors.Is(err, ErrUnresolved) {
		t.Fatalf("the pack is not thin: %v", err)
	}
	asked := 0
	fromGit := func(_ context.Context, id ID) (ObjectType, []byte, error) {
		asked++
		name, err := git(dir, nil, "cat-file", "-t", id.String())
		if err != nil {
			return 0, nil, fs.ErrNotExist
		}
		for o := Commit; o <= Tag; o++ {
			if o.String() == strings.TrimSpace(name) {
				return o, []byte(mustGitRaw(t, dir, "", "cat-file", o.String(), id.String())), nil
			}
		}
		return 0, nil, fmt.Errorf("type %q", name)
	}
	out := t.TempDir()
	r, err := Receive(t.Context(), bytes.NewReader(thin), Files{Dir: out, Reverse: true}, fromGit, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Added == 0 || r.Added != asked {
		t.Errorf("%d objects added, %d asked for", r.Added, asked)
	}
	name := filepath.Join(out, "pack-"+r.PackChecksum.String())
	mustGit(t, out, nil, "index-pack", "--rev-index", "-o", name+"2.idx", name+".pack")
	for _, ext := range []string{".idx", ".rev"} {
		if !bytes.Equal(read(t, name+ext), read(t, name+"2"+ext)) {
			t.Errorf("%s differs from git's", ext)
		}
	}
	if _, err := Verify(t.Context(), Files{Pack: name + ".pack", Reverse: true}, Options{}); err != nil {
		t.Error(err)
	}
}

// mustGitRaw runs git and returns its output as it is.
func mustGitRaw(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	out, err := git(dir, []byte(stdin), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestThinErrors(t *testing.T) {
	n := uint64(len(base))
	id := idOf(Blob, base)
	c := startPack()
	at := c.ref(id, deltaOf(n, n+1, append(insert([]byte("1")), copyAll(len(base))...)...))
	pack := c.pack()
	dead := errors.New("disk is dead")
	for name, f := range map[string]struct {
		bases BaseFunc
		want  error
	}{
		"none":       {nil, ErrUnresolved},
		"missing":    {baseMap{}.object, ErrUnresolved},
		"another":    {baseMap{id: []byte("other")}.object, ErrBaseCorrupt},
		"broken":     {func(context.Context, ID) (ObjectType, []byte, error) { return 0, nil, dead }, dead},
		"fine":       {baseMap{id: base}.object, nil},
		"wrong type": {func(context.Context, ID) (ObjectType, []byte, error) { return Tree, base, nil }, ErrBaseCorrupt},
	} {
		dir := t.TempDir()
		_, err := Receive(t.Context(), bytes.NewReader(pack), Files{Dir: dir}, f.bases, Options{})
		if !errors.Is(err, f.want) {
			t.Errorf("%s: error %v, want %v", name, err, f.want)
		}
		var p *PackError
		if errors.As(err, &p) && (p.Offset != uint64(at) || p.Object != id) {
			t.Errorf("%s: at %d, object %v", name, p.Offset, p.Object)
		}
		if files, _ := os.ReadDir(dir); (len(files) == 0) != (err != nil) {
			t.Errorf("%s: %d files, error %v", name, len(files), err)
		}
	}
	if _, err := Receive(t.Context(), bytes.NewReader(pack), Files{Dir: t.TempDir()}, func(context.Context, ID) (ObjectType, []byte, error) { return 5, base, nil }, Options{}); err == nil {
		t.Error("a base of type 5 is accepted")
	}
	if _, err := Receive(t.Context(), bytes.NewReader(pack), Files{Dir: t.TempDir()}, baseMap{id: base}.object, Options{Limits: Limits{Objects: 1}}); !errors.Is(err, ErrTooManyBases) {
		t.Errorf("error %v, want %v", err, ErrTooManyBases)
	}
}
