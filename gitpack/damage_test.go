package gitpack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// receive reads a pack as a stream and makes sure that an error leaves no file.
func receive(t testing.TB, pack []byte, opt Options) (*Report, error) {
	t.Helper()
	dir := t.TempDir()
	r, err := Receive(t.Context(), bytes.NewReader(pack), Files{Dir: dir}, nil, opt)
	files, _ := os.ReadDir(dir)
	if want := 2; err == nil && len(files) != want || err != nil && len(files) != 0 {
		t.Errorf("error %v and %d files", err, len(files))
	}
	return r, err
}

// gitIndexes reports whether git index-pack accepts a pack.
func gitIndexes(t testing.TB, pack []byte) bool {
	t.Helper()
	_, err := git(t.TempDir(), nil, "index-pack", write(t, "x.pack", pack))
	return err == nil
}

// base is an object to make deltas on, with an entry of its own in each pack.
var base = bytes.Repeat([]byte("0123456789"), 20)

// A damaged pack, what is wrong with it, and where that is reported.
type damage struct {
	name    string
	pack    []byte
	reason  error
	offset  int
	differs string // why git's verdict differs, if it does
}

// damages returns one pack for each way in which a pack can be damaged.
func damages() []damage {
	var out []damage
	good := startPack()
	good.whole(Blob, base)
	whole := good.pack()

	add := func(name string, reason error, offset int, pack []byte) *damage {
		out = append(out, damage{name: name, pack: pack, reason: reason, offset: offset})
		return &out[len(out)-1]
	}
	entry := func(name string, reason error, parts ...[]byte) *damage {
		c := startPack()
		c.whole(Blob, base)
		at := c.raw(parts...)
		return add(name, reason, at, c.pack())
	}
	delta := func(name string, reason error, d []byte) *damage {
		c := startPack()
		at := c.ofs(c.whole(Blob, base), d)
		return add(name, reason, at, c.pack())
	}
	changed := func(at int, b byte) []byte {
		p := bytes.Clone(whole)
		p[at] = b
		return resealed(p)
	}
	header := func(t ObjectType, size int) []byte { return appendEntryHeader(nil, t, uint64(size)) }
	n := uint64(len(base))

	add("nothing", ErrTruncated, 0, nil)
	add("signature", ErrSignature, 0, changed(0, 'p'))
	add("half a signature", ErrTruncated, 3, []byte("PAC"))
	add("version 0", ErrVersion, 4, changed(7, 0))
	add("version 4", ErrVersion, 4, changed(7, 4))
	add("header cut", ErrTruncated, 9, whole[:9])
	add("cut in an entry", ErrTruncated, 20, whole[:20])
	add("no checksum", ErrTruncated, len(whole)-20, whole[:len(whole)-20])
	add("checksum cut", ErrTruncated, len(whole)-1, whole[:len(whole)-1])
	add("more objects in the header", ErrTruncated, len(whole), bytes.Replace(whole, []byte{0, 0, 0, 1}, []byte{0, 0, 0, 2}, 1)).reason = nil
	add("checksum", ErrPackChecksum, len(whole)-20, append(bytes.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1))
	add("zero checksum", ErrPackChecksum, len(whole)-20, append(bytes.Clone(whole[:len(whole)-20]), make([]byte, 20)...))
	add("trailing byte", ErrTrailingData, len(whole), append(bytes.Clone(whole), 0))
	add("trailing pack", ErrTrailingData, len(whole), append(bytes.Clone(whole), whole...))
	fewer := bytes.Clone(whole)
	fewer[11] = 0
	add("fewer objects in the header", ErrPackChecksum, 12, fewer)

	entry("type 0", ErrObjectType, header(0, 4), deflated([]byte("four")))
	entry("type 5", ErrObjectType, header(5, 4), deflated([]byte("four")))
	entry("size of 68 bits", ErrSizeOverflow, []byte{0xb4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, deflated([]byte("four"))).
		differs = "" // git takes the low bits, and then the content does not fit
	entry("size of 65 bits", ErrSizeOverflow, []byte{0xb4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10}, deflated([]byte("four"))).
		differs = "git drops the bits above 64"
	entry("shorter than declared", ErrTooShort, header(Blob, 5), deflated([]byte("four")))
	entry("longer than declared", ErrTooLong, header(Blob, 3), deflated([]byte("four")))
	entry("much shorter than declared", ErrTooShort, header(Blob, smallObject+1), deflated([]byte("four")))
	entry("much longer than declared", ErrTooLong, header(Blob, smallObject+1), deflated(make([]byte, smallObject+2)))
	entry("empty but declared", ErrTooShort, header(Blob, 1), deflated(nil))
	entry("declared empty", ErrTooLong, header(Blob, 0), deflated([]byte("1")))
	z := deflated([]byte("four"))
	flip := func(at int) []byte {
		p := bytes.Clone(z)
		p[at] ^= 0x10
		return p
	}
	entry("zlib header", ErrCompression, header(Blob, 4), flip(0))
	entry("deflate block type", ErrCompression, header(Blob, 4), z[:2], []byte{7}, z[3:])
	entry("Adler-32", ErrCompression, header(Blob, 4), flip(len(z)-1))
	entry("preset dictionary", ErrCompression, header(Blob, 4), []byte{0x78, 0xbb, 0, 0, 0, 1}, z[2:])

	c := startPack()
	at := c.whole(Blob, base)
	d := deflated(deltaOf(n, 4, insert([]byte("four"))...))
	self := c.raw(header(OfsDelta, 8), []byte{0}, d)
	add("distance 0", ErrBaseOffset, self, c.pack())
	for name, dist := range map[string]uint64{"before the pack": 1 << 20, "at the start of the pack": uint64(self), "of 63 bits": math.MaxInt64} {
		c := startPack()
		c.whole(Blob, base)
		c.raw(header(OfsDelta, 8), distance(dist), d)
		add("distance "+name, ErrBaseOffset, self, c.pack())
	}
	c = startPack()
	c.whole(Blob, base)
	c.raw(header(OfsDelta, 8), bytes.Repeat([]byte{0xff}, 12), []byte{0x7f}, d)
	add("distance of 90 bits", ErrBaseOffset, self, c.pack())
	c = startPack()
	c.whole(Blob, base)
	c.raw(header(OfsDelta, 8), distanceBeyond(uint64(self-at)), d)
	add("distance of 64 bits more", ErrBaseOffset, self, c.pack())
	for name, dist := range map[string]int{"into the base": self - at - 1, "to the header": self - 4} {
		c := startPack()
		c.whole(Blob, base)
		c.raw(header(OfsDelta, 8), distance(uint64(dist)), d)
		add("distance "+name, ErrBaseNotFound, self, c.pack())
	}
	c = startPack()
	at = c.ref(idOf(Blob, []byte("elsewhere")), deltaOf(n, 4, insert([]byte("four"))...))
	add("base elsewhere", ErrUnresolved, at, c.pack())
	c = startPack()
	at = c.ref(idOf(Blob, base), deltaOf(n, n, copyAll(len(base))...))
	add("base is itself", ErrUnresolved, at, c.pack())
	one, two := append([]byte("1"), base...), append([]byte("2"), base...)
	c = startPack()
	at = c.ref(idOf(Blob, two), deltaOf(n+1, n+1, append(insert([]byte("1")), copyFrom(1, len(base))...)...))
	c.ref(idOf(Blob, one), deltaOf(n+1, n+1, append(insert([]byte("2")), copyFrom(1, len(base))...)...))
	add("bases are each other", ErrUnresolved, at, c.pack())

	delta("no delta", ErrDeltaHeader, nil)
	delta("delta of 3 bytes", ErrDeltaHeader, deltaOf(n, 0))
	delta("base size cut", ErrDeltaHeader, []byte{0x80, 0x80, 0x80, 0x80})
	delta("result size cut", ErrDeltaHeader, []byte{0xc8, 1, 0x80, 0x80}).
		differs = "git takes a size that is cut off for what there is of it"
	delta("base size of 70 bits", ErrDeltaHeader, append(bytes.Repeat([]byte{0xff}, 10), 1, 1, 1, 'x'))
	delta("base size", ErrDeltaBaseSize, deltaOf(n+1, 4, insert([]byte("four"))...))
	delta("opcode 0", ErrDeltaOpcode, deltaOf(n, 4, append([]byte{0}, insert([]byte("four"))...)...))
	delta("copy past the base", ErrDeltaCopy, deltaOf(n, 10, copyFrom(len(base)-9, 10)...))
	delta("copy far past the base", ErrDeltaCopy, deltaOf(n, 10, 0xff, 0xff, 0xff, 0xff, 0xff, 10, 0, 0))
	delta("copy size 0 is 65536", ErrDeltaCopy, deltaOf(n, 0x10000, 0x80))
	delta("copy cut", ErrDeltaEnd, deltaOf(n, 10, 0x91, 1))
	delta("copy offset cut", ErrDeltaEnd, deltaOf(n, 10, 0x8f, 1, 1))
	delta("insert cut", ErrDeltaEnd, deltaOf(n, 10, 10, 'x'))
	delta("result too long by insert", ErrDeltaResult, deltaOf(n, 3, insert([]byte("four"))...))
	delta("result too long by copy", ErrDeltaResult, deltaOf(n, 3, copyFrom(0, 4)...))
	delta("result too short", ErrDeltaResult, deltaOf(n, 5, insert([]byte("four"))...))
	delta("result of 2^60 bytes", ErrDeltaResult, deltaOf(n, 1<<60, insert([]byte("four"))...))

	c = startPack()
	c.whole(Blob, base)
	at = c.whole(Blob, base)
	add("object twice", ErrDuplicate, at, c.pack()).differs = "git accepts duplicates unless told to be strict"
	c = startPack()
	at = c.whole(Blob, base)
	at = c.ofs(at, deltaOf(n, n, copyAll(len(base))...))
	add("delta makes its base", ErrDuplicate, at, c.pack()).differs = "git accepts duplicates unless told to be strict"

	kept := out[:0]
	for _, d := range out {
		if d.reason != nil {
			kept = append(kept, d)
		}
	}
	return kept
}

// copyFrom returns the instruction that copies from the base.
func copyFrom(from, size int) []byte {
	return []byte{0xbf, byte(from), byte(from >> 8), byte(from >> 16), byte(from >> 24), byte(size), byte(size >> 8)}
}

// copyAll returns the instructions that copy a base of some size.
func copyAll(size int) []byte { return copyFrom(0, size) }

func TestDamagedPacks(t *testing.T) {
	for _, d := range damages() {
		t.Run(d.name, func(t *testing.T) {
			for _, threads := range []int{1, 3} {
				_, err := receive(t, d.pack, Options{Threads: threads})
				var p *PackError
				if !errors.Is(err, d.reason) || !errors.As(err, &p) || p.Offset != uint64(d.offset) {
					t.Errorf("error %v, want %v at %d", err, d.reason, d.offset)
				}
				name := write(t, "x.pack", d.pack)
				_, err = IndexFile(t.Context(), Files{Pack: name}, Options{Threads: threads})
				if !errors.Is(err, d.reason) {
					t.Errorf("of a file: error %v, want %v", err, d.reason)
				}
				if files, _ := os.ReadDir(filepath.Dir(name)); len(files) != 1 {
					t.Errorf("%d files beside the pack", len(files)-1)
				}
			}
			needGit(t)
			if accepted := gitIndexes(t, d.pack); accepted != (d.differs != "") {
				t.Errorf("git accepts it: %v", accepted)
			}
		})
	}
}

// TestReasonsAreMet makes sure that every reason is tested.
func TestReasonsAreMet(t *testing.T) {
	met := make(map[error]bool)
	for _, d := range damages() {
		met[d.reason] = true
	}
	for _, d := range indexDamages(t) {
		met[d.reason] = true
	}
	for _, reason := range []error{
		ErrSignature, ErrVersion, ErrTruncated, ErrObjectType, ErrSizeOverflow, ErrCompression, ErrTooShort, ErrTooLong,
		ErrBaseOffset, ErrBaseNotFound, ErrUnresolved, ErrDeltaHeader, ErrDeltaBaseSize, ErrDeltaOpcode, ErrDeltaCopy,
		ErrDeltaEnd, ErrDeltaResult, ErrDuplicate, ErrPackChecksum, ErrTrailingData,
		ErrIndexSize, ErrIndexVersion, ErrIndexFanout, ErrIndexOrder, ErrIndexLargeOffset, ErrIndexCount, ErrIndexObject,
		ErrIndexOffset, ErrIndexCRC, ErrIndexPackChecksum, ErrIndexChecksum,
	} {
		if !met[reason] {
			t.Errorf("no test for %q", reason)
		}
	}
}

// An indexDamage is a damaged index of the pack that indexed returns.
type indexDamage struct {
	name   string
	index  []byte
	reason error
	offset int
}

// indexed returns a pack of a few objects and its index.
func indexed(t testing.TB) (pack, idx []byte) {
	c := startPack()
	for n := range 40 {
		c.whole(Blob, fmt.Appendf(nil, "object %d", n))
	}
	return c.pack(), index(t, c.pack(), Options{})
}

// indexDamages returns one index for each way in which an index can be damaged.
func indexDamages(t testing.TB) []indexDamage {
	_, idx := indexed(t)
	const count = 40
	fanout, names := indexHeader, indexHeader+fanoutSize
	crcs := names + 20*count
	offsets := crcs + 4*count
	end := offsets + 4*count

	var out []indexDamage
	add := func(name string, reason error, offset int, p []byte) {
		out = append(out, indexDamage{name, p, reason, offset})
	}
	flip := func(at int) []byte {
		p := bytes.Clone(idx)
		p[at] ^= 1
		return p
	}
	set := func(at int, v uint32) []byte {
		p := bytes.Clone(idx)
		binary.BigEndian.PutUint32(p[at:], v)
		return resealed(p)
	}
	add("empty", ErrIndexSize, 0, nil)
	add("short", ErrIndexSize, 0, idx[:1000])
	add("cut", ErrIndexSize, len(idx)-1, idx[:len(idx)-1])
	add("a byte more", ErrIndexSize, len(idx)+1, append(bytes.Clone(idx), 0))
	add("version 3", ErrIndexVersion, 4, set(4, 3))
	add("fan-out decreases", ErrIndexFanout, fanout+4*201, set(fanout+4*200, 1000))
	add("fan-out is huge", ErrIndexSize, len(idx), set(fanout+4*255, 0x7fffffff))
	p := bytes.Clone(idx)
	at := fanout
	for binary.BigEndian.Uint32(p[at:]) == 0 {
		at += 4
	}
	// The first name is counted a byte too early.
	add("fan-out does not fit the names", ErrIndexFanout, at-4, set(at-4, 1))
	p = bytes.Clone(idx)
	copy(p[names:], idx[names+20:names+40])
	copy(p[names+20:], idx[names:names+20])
	add("names swapped", ErrIndexObject, names, resealed(p))
	p = bytes.Clone(idx)
	copy(p[names+20:names+40], make([]byte, 20))
	add("names not sorted", ErrIndexOrder, names+20, resealed(p))
	add("name", ErrIndexObject, names+19, resealed(flip(names+19)))
	out[len(out)-1].offset = names
	add("CRC-32", ErrIndexCRC, crcs, resealed(flip(crcs)))
	add("offset", ErrIndexOffset, offsets, resealed(flip(offsets+3)))
	add("64-bit offset that is not there", ErrIndexLargeOffset, offsets, set(offsets, 1<<31))
	add("64-bit offset far outside", ErrIndexLargeOffset, offsets, set(offsets, 1<<32-1))
	p = append(bytes.Clone(idx[:end]), make([]byte, 8)...)
	add("64-bit offset without use", ErrIndexLargeOffset, end, sealed(append(p, idx[end:end+20]...)))
	add("checksum of the pack", ErrIndexPackChecksum, end, flip(end))
	add("checksum", ErrIndexChecksum, end+20, flip(end+20))
	add("name, checksum not adapted", ErrIndexChecksum, end+20, flip(names))

	c := startPack()
	for n := range 41 {
		c.whole(Blob, fmt.Appendf(nil, "object %d", n))
	}
	pack, _ := indexed(t)
	p = index(t, c.pack(), Options{})
	copy(p[len(p)-40:], pack[len(pack)-20:])
	add("one object more", ErrIndexCount, fanout+4*255, resealed(p))
	return out
}

func TestDamagedIndexes(t *testing.T) {
	pack, idx := indexed(t)
	verify := func(idx []byte) (err error, accepted bool) {
		name := write(t, "x.pack", pack)
		if err := os.WriteFile(name[:len(name)-4]+"idx", idx, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err = Verify(t.Context(), Files{Pack: name}, Options{})
		needGit(t)
		_, gitErr := git(t.TempDir(), nil, "verify-pack", name)
		return err, gitErr == nil
	}
	if err, accepted := verify(idx); err != nil || !accepted {
		t.Fatalf("the sound index: error %v, git accepts it: %v", err, accepted)
	}
	for _, d := range indexDamages(t) {
		err, accepted := verify(d.index)
		var x *IndexError
		if !errors.Is(err, d.reason) || !errors.As(err, &x) || x.Offset != uint64(d.offset) {
			t.Errorf("%s: error %v, want %v at %d", d.name, err, d.reason, d.offset)
		}
		if accepted {
			t.Errorf("%s: git accepts it", d.name)
		}
	}
}

// TestChangedMeanwhile changes a pack between the two passes: to another that is
// sound, and to less of it.
func TestChangedMeanwhile(t *testing.T) {
	of := func(b byte) []byte {
		c := startPack()
		at := c.whole(Blob, bytes.Repeat([]byte{b}, 40))
		c.ofs(at, deltaOf(40, 50, append([]byte{0x90, 40}, insert(bytes.Repeat([]byte{b + 1}, 10))...)...))
		return c.pack()
	}
	before, after := of('a'), of('b')
	for what, p := range map[string][]byte{"another": after, "a part": before[:packHeader+2], "nothing": nil} {
		name := write(t, "x.pack", before)
		changed := false
		opt := Options{Threads: 1, Limits: Limits{Memory: 1}}
		opt.Progress = func(g Progress) {
			if g.Phase == Reading && g.Done == g.Total {
				changed = true
				if err := os.WriteFile(name, p, 0o644); err != nil {
					t.Error(err)
				}
			}
		}
		_, err := IndexFile(t.Context(), Files{Pack: name}, opt)
		if !errors.Is(err, ErrCompression) || !strings.Contains(err.Error(), "changed while it was read") || !changed {
			t.Errorf("%s: error %v, changed: %v", what, err, changed)
		}
	}
}

// TestShortenedMeanwhile cuts an index off in each of its tables while it is
// read.
func TestShortenedMeanwhile(t *testing.T) {
	pack, idx := indexed(t)
	j, ctx := newJob(t.Context(), Options{}.withDefaults())
	if err := j.readFile(ctx, write(t, "x.pack", pack)); err != nil {
		t.Fatal(err)
	}
	order, err := j.sorted()
	if err != nil {
		t.Fatal(err)
	}
	for end := len(idx) - 41; end >= indexHeader+fanoutSize; end -= 4 {
		x, err := openIndex(bytes.NewReader(idx), int64(len(idx)))
		if err != nil {
			t.Fatal(err)
		}
		x.ReaderAt = bytes.NewReader(idx[:end])
		if err := x.compare(ctx, &j.table, order); !errors.Is(err, ErrIndexSize) {
			t.Errorf("%d bytes: %v", end, err)
		}
	}
}
