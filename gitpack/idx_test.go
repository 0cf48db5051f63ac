package gitpack

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"
)

// TestLargeOffsets compares indexes with 64-bit offsets, for packs that are
// small, with git's, and verifies them.
func TestLargeOffsets(t *testing.T) {
	dir := repository(t, history(30, 6))
	name := repack(t, dir)
	j, ctx := newJob(t.Context(), Options{}.withDefaults())
	if err := j.readFile(ctx, name); err != nil {
		t.Fatal(err)
	}
	order, err := j.sorted()
	if err != nil {
		t.Fatal(err)
	}
	third := j.table.at(3).offset
	for _, limit := range []uint64{12, 100, 5000, third - 1, third} {
		index := fmt.Sprintf("%s/limit%d.idx", dir, limit)
		mustGit(t, dir, nil, "index-pack", fmt.Sprintf("--index-version=2,%d", limit), "-o", index, name)
		var ours bytes.Buffer
		if _, err := writeIndex(&ours, &j.table, order, j.checksum, limit+1); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours.Bytes(), read(t, index)) {
			t.Errorf("limit %d: the index differs from git's", limit)
		}
		if _, err := Verify(t.Context(), Files{Pack: name, Index: index}, Options{}); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
		verifyAs := func(p []byte, want error) {
			t.Helper()
			if err := os.WriteFile(index+"2", resealed(p), 0o644); err != nil {
				t.Fatal(err)
			}
			var x *IndexError
			if _, err := Verify(t.Context(), Files{Pack: name, Index: index + "2"}, Options{}); !errors.As(err, &x) || x.Reason != want {
				t.Errorf("limit %d: error %v, want %v", limit, err, want)
			}
		}
		damaged := bytes.Clone(ours.Bytes())
		damaged[len(damaged)-41] ^= 1
		verifyAs(damaged, ErrIndexOffset)

		// The first two 64-bit offsets trade places, and those who refer to them
		// with them.
		damaged = bytes.Clone(ours.Bytes())
		offsets := indexHeader + fanoutSize + (20+4)*len(order)
		for n := range len(order) {
			if p := damaged[offsets+4*n:]; p[0] == 0x80 && p[1] == 0 && p[2] == 0 && p[3] < 2 {
				p[3] ^= 1
			}
		}
		large := damaged[offsets+4*len(order):]
		copy(large, ours.Bytes()[offsets+4*len(order)+8:][:8])
		copy(large[8:], ours.Bytes()[offsets+4*len(order):][:8])
		verifyAs(damaged, ErrIndexLargeOffset)
	}
}

// TestVersion1 verifies indexes of version 1, sound and damaged.
func TestVersion1(t *testing.T) {
	dir := repository(t, history(10, 3))
	name := repack(t, dir)
	index := dir + "/v1.idx"
	mustGit(t, dir, nil, "index-pack", "--index-version=1", "-o", index, name)
	sound := read(t, index)
	verify := func(p []byte) error {
		if err := os.WriteFile(index, p, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Verify(t.Context(), Files{Pack: name, Index: index}, Options{})
		return err
	}
	os.Remove(index)
	if err := verify(sound); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int]error{
		fanoutSize + 3:  ErrIndexOffset,
		fanoutSize + 23: ErrIndexObject,
		len(sound) - 40: ErrIndexPackChecksum,
	} {
		p := bytes.Clone(sound)
		p[at] ^= 1
		if at < len(sound)-40 {
			p = resealed(p)
		}
		if err := verify(p); !errors.Is(err, want) {
			t.Errorf("at %d: error %v, want %v", at, err, want)
		}
	}
	if err := verify(sound[:len(sound)-1]); !errors.Is(err, ErrIndexSize) {
		t.Errorf("cut: error %v", err)
	}
}

// TestEmptyAndSingle compares packs of no and of one object with git's verdict.
func TestEmptyAndSingle(t *testing.T) {
	needGit(t)
	if r := indexBoth(t, startPack().pack(), Options{}); r.Objects != 0 {
		t.Errorf("%+v", r)
	}
	for _, content := range [][]byte{nil, []byte("1"), make([]byte, 20<<20)} {
		c := startPack()
		c.whole(Blob, content)
		r := indexBoth(t, c.pack(), Options{})
		if r.Objects != 1 || r.Types[Blob] != (TypeCount{1, uint64(len(content))}) || r.PackSize != uint64(len(c.pack())) {
			t.Errorf("%d bytes: %+v", len(content), r)
		}
	}
	// Of a large blob that is the base of a delta, memory is taken.
	c := startPack()
	large := make([]byte, 17<<20)
	c.ofs(c.whole(Blob, large), deltaOf(17<<20, 5, append(insert([]byte("four")), copyFrom(1<<20, 1)...)...))
	indexBoth(t, c.pack(), Options{})
	// Duplicates are in the order of the pack.
	c = startPack()
	for range 3 {
		c.whole(Blob, base)
		c.whole(Blob, []byte("1"))
	}
	indexBoth(t, c.pack(), Options{AllowDuplicates: true})
}
