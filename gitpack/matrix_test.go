package gitpack

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
)

// small returns a pack with everything that a pack can have, from git, and its
// index.
func small(t testing.TB) (pack, idx []byte) {
	dir := repository(t, history(8, 3))
	name := repack(t, dir)
	return read(t, name), read(t, name[:len(name)-4]+"idx")
}

// A change makes a damaged file of a sound one.
type change struct {
	name string
	make func(p []byte, at int) []byte
}

var changes = []change{
	{"flip", func(p []byte, at int) []byte { p[at] ^= 1 << (at % 8); return p }},
	{"cut", func(p []byte, at int) []byte { return p[:at] }},
	{"insert", func(p []byte, at int) []byte { return append(p[:at:at], append([]byte{p[at] ^ 0x55}, p[at:]...)...) }},
	{"remove", func(p []byte, at int) []byte { return append(p[:at:at], p[at+1:]...) }},
	{"clear", func(p []byte, at int) []byte { clear(p[at:min(at+20, len(p))]); return p }},
}

// known reports whether err is one of this package's, or nil.
func known(err error) bool {
	var p *PackError
	var x *IndexError
	var l *LimitError
	return err == nil || errors.As(err, &p) || errors.As(err, &x) || errors.As(err, &l)
}

// verdicts damages a file at every byte and has check give the verdicts of this
// package and, for one byte in step, of git, on whether it is accepted. Each
// damage comes with the checksum as it was, and made right.
func verdicts(t *testing.T, p []byte, step int, check func(p []byte, askGit bool) (err error, git bool)) {
	accepted, compared, turn := 0, 0, 0
	for _, c := range changes {
		for at := 0; at < len(p); at++ {
			if at > 100 && at < len(p)-60 {
				stride := 50
				if testing.Short() {
					stride = 250
				}
				at = min(at+stride, len(p)-60)
			}
			for _, reseal := range []bool{false, true} {
				q := c.make(bytes.Clone(p), at)
				if reseal {
					if len(q) < 20 {
						continue
					}
					q = resealed(q)
				}
				turn++
				askGit := turn%step == 0
				err, git := check(q, askGit)
				if !known(err) {
					t.Errorf("%s at %d, resealed %v: error %v", c.name, at, reseal, err)
				}
				if bytes.Equal(p, q) != (err == nil) && !reseal {
					t.Errorf("%s at %d: error %v", c.name, at, err)
				}
				if err == nil {
					accepted++
				}
				if askGit {
					compared++
					if git != (err == nil) {
						t.Errorf("%s at %d, resealed %v: git accepts it: %v, error %v", c.name, at, reseal, git, err)
					}
				}
			}
		}
	}
	t.Logf("%d bytes: %d verdicts of git compared, %d of the changed files accepted", len(p), compared, accepted)
}

func TestEveryByteOfAPack(t *testing.T) {
	pack, _ := small(t)
	dir := t.TempDir()
	verdicts(t, pack, 41, func(p []byte, askGit bool) (error, bool) {
		_, err := Receive(t.Context(), bytes.NewReader(p), Files{Dir: dir, Pack: dir + "/x.pack"}, nil, Options{Threads: 1, AllowDuplicates: true})
		os.Remove(dir + "/x.pack")
		os.Remove(dir + "/x.idx")
		return err, askGit && gitIndexes(t, p)
	})
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%d files are left", len(files))
	}
}

func TestEveryByteOfAnIndex(t *testing.T) {
	pack, idx := small(t)
	name := write(t, "x.pack", pack)
	index := name[:len(name)-4] + "idx"
	verdicts(t, idx, 41, func(p []byte, askGit bool) (error, bool) {
		if err := os.WriteFile(index, p, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Verify(t.Context(), Files{Pack: name}, Options{Threads: 1})
		if !askGit {
			return err, false
		}
		_, gitErr := git(t.TempDir(), nil, "verify-pack", name)
		return err, gitErr == nil
	})
}

func FuzzPack(f *testing.F) {
	for _, d := range damages() {
		f.Add(d.pack)
	}
	f.Add(chain(3, true))
	f.Fuzz(func(t *testing.T, p []byte) {
		dir := t.TempDir()
		limits := Limits{ObjectSize: 1 << 20, InflatedTotal: 1 << 24, Memory: 1 << 16}
		r, err := Receive(t.Context(), bytes.NewReader(p), Files{Dir: dir}, nil, Options{Threads: 2, Limits: limits})
		if !known(err) {
			t.Fatal(err)
		}
		files, _ := os.ReadDir(dir)
		if err != nil && len(files) != 0 || err == nil && len(files) != 2 {
			t.Fatalf("error %v and %d files", err, len(files))
		}
		if err == nil {
			name := dir + "/pack-" + r.PackChecksum.String() + ".pack"
			if _, err := Verify(t.Context(), Files{Pack: name}, Options{Limits: limits}); err != nil {
				t.Fatal(err)
			}
		}
		// With a right checksum the damage behind it is met.
		if len(p) > 20 && errors.Is(err, ErrPackChecksum) {
			if _, err := Receive(t.Context(), bytes.NewReader(resealed(p)), Files{Dir: dir}, nil, Options{Limits: limits}); !known(err) {
				t.Fatal(err)
			}
		}
	})
}

func FuzzIndex(f *testing.F) {
	pack, idx := indexed(f)
	f.Add(idx, true)
	for _, d := range indexDamages(f) {
		f.Add(d.index, true)
	}
	j, ctx := newJob(f.Context(), Options{}.withDefaults())
	if err := j.readFile(ctx, write(f, "x.pack", pack)); err != nil {
		f.Fatal(err)
	}
	order, err := j.sorted()
	if err != nil {
		f.Fatal(err)
	}
	// verify is what Verify does, with the pack read beforehand.
	verify := func(ctx context.Context, p []byte) error {
		x, err := openIndex(bytes.NewReader(p), int64(len(p)))
		if err != nil {
			return err
		}
		if err := x.checkTrailer(ctx, j.checksum); err != nil {
			return err
		}
		return x.compare(ctx, &j.table, order)
	}
	if err := verify(f.Context(), idx); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, p []byte, reseal bool) {
		if reseal && len(p) > 40 {
			p = resealed(append(p[:len(p)-40:len(p)-40], append(bytes.Clone(pack[len(pack)-20:]), p[len(p)-20:]...)...))
		}
		err := verify(t.Context(), p)
		if !known(err) {
			t.Fatal(err)
		}
		if err == nil && !bytes.Equal(p, idx) && bytes.HasPrefix(p, []byte(indexSignature)) {
			t.Fatalf("accepted an index that differs: %x", p)
		}
	})
}
