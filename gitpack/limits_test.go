package gitpack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/sha1dc/go/sha1dc"
)

// chain returns a pack with a chain of deltas, each of which changes the first
// bytes of its base, and whose bases are named by offset or id.
func chain(depth int, named bool) []byte {
	c := startPack()
	at := c.whole(Blob, base)
	content := bytes.Clone(base)
	for n := range depth {
		id := idOf(Blob, content)
		head := fmt.Appendf(nil, "%08d", n)
		d := deltaOf(uint64(len(base)), uint64(len(base)), append(insert(head), copyFrom(8, len(base)-8)...)...)
		copy(content, head)
		if named {
			c.ref(id, d)
		} else {
			at = c.ofs(at, d)
		}
	}
	return c.pack()
}

func TestDeepChains(t *testing.T) {
	depth := 20_000
	if testing.Short() {
		depth = 2000
	}
	for _, named := range []bool{false, true} {
		pack := chain(depth, named)
		for _, memory := range []uint64{0, 1} {
			if memory > 0 && named {
				continue // made again for each group: quadratic, which the limit for all ends
			}
			r, err := receive(t, pack, Options{Limits: Limits{Memory: memory}})
			if err != nil || r.MaxDepth != depth || r.Objects != depth+1 {
				t.Errorf("named %v, memory %d: %+v, error %v", named, memory, r, err)
			}
		}
		_, err := receive(t, pack, Options{Limits: Limits{DeltaDepth: uint64(depth) - 1}})
		var l *LimitError
		if !errors.As(err, &l) || l.Limit != "DeltaDepth" || l.Offset == 0 {
			t.Errorf("named %v: error %v", named, err)
		}
	}
}

// TestBushyTrees checks trees of random shape, with little memory, against
// their contents.
func TestBushyTrees(t *testing.T) {
	for seed := range uint64(6) {
		if testing.Short() && seed > 2 {
			break
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		c := startPack()
		content := [][]byte{text(rng, 50)}
		at := []int{c.whole(Blob, content[0])}
		for n := 1; n < 600; n++ {
			b := rng.IntN(n)
			if seed%2 == 0 {
				b = n - 1 - min(n-1, rng.IntN(2)*rng.IntN(5)) // long spines with twigs
			}
			old := content[b]
			cut := rng.IntN(len(old))
			add := fmt.Appendf(nil, "entry %d", n)
			ops := append(insert(add), copyFrom(cut, len(old)-cut)...)
			now := append(bytes.Clone(add), old[cut:]...)
			if len(now) < 1000 {
				more := text(rng, 20)
				ops, now = append(ops, insert(more)...), append(now, more...)
			}
			content = append(content, now)
			d := deltaOf(uint64(len(old)), uint64(len(now)), ops...)
			if rng.IntN(3) == 0 && seed%3 == 0 {
				at = append(at, c.ref(idOf(Blob, old), d))
			} else {
				at = append(at, c.ofs(at[b], d))
			}
		}
		for _, opt := range []Options{{}, {Threads: 5}, {Threads: 3, Limits: Limits{Memory: 1}}, {Threads: 1, Limits: Limits{Memory: 20_000}}} {
			r, err := receive(t, c.pack(), opt)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for e := range r.Entries() {
				if e.ID != idOf(Blob, content[n]) || e.Type != Blob {
					t.Fatalf("seed %d, %+v: entry %d is %v %v", seed, opt, n, e.Type, e.ID)
				}
				n++
			}
		}
	}
}

// peak returns the most memory in use while f runs, beyond that before.
func peak(f func()) uint64 {
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc))
			select {
			case <-stop:
				done <- most
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	return <-done
}

// bomb returns a zlib stream of zeros.
func bomb(size int) []byte { return deflated(make([]byte, size)) }

func TestLimits(t *testing.T) {
	big := startPack()
	big.whole(Blob, base)
	bigAt := big.raw(appendEntryHeader(nil, Blob, 40<<20), bomb(40<<20))

	// A delta of 7 bytes for each MiB of its result.
	var ops []byte
	for range 40 << 4 {
		ops = append(ops, 0x80|0x10, 0) // copies 0x10000 bytes
	}
	grow := startPack()
	growAt := grow.ofs(grow.whole(Blob, make([]byte, 0x10000)), deltaOf(0x10000, 40<<20, ops...))
	many := startPack()
	for n := range 1000 {
		many.whole(Blob, fmt.Appendf(nil, "%d", n))
	}
	lie := startPack()
	lieAt := lie.raw(appendEntryHeader(nil, Blob, 1<<62), bomb(1<<20))
	lieDelta := startPack()
	lieDelta.whole(Blob, base)
	lieDeltaAt := lieDelta.raw(appendEntryHeader(nil, OfsDelta, 1<<62), distance(uint64(lieDelta.Len()-packHeader)), bomb(1<<20))

	for _, c := range []struct {
		name   string
		pack   []byte
		limits Limits
		limit  string
		offset int
	}{
		{"objects", many.pack(), Limits{Objects: 999}, "Objects", 8},
		{"bytes of the pack", many.pack(), Limits{PackSize: 500}, "PackSize", 500},
		{"size", big.pack(), Limits{ObjectSize: 40<<20 - 1}, "ObjectSize", bigAt},
		{"size of a result", grow.pack(), Limits{ObjectSize: 40<<20 - 1}, "ObjectSize", growAt},
		{"size that lies", lie.pack(), Limits{}, "ObjectSize", lieAt},
		{"size of a delta that lies", lieDelta.pack(), Limits{}, "ObjectSize", lieDeltaAt},
		{"all", big.pack(), Limits{InflatedTotal: 40 << 20}, "InflatedTotal", bigAt},
		{"all with results", grow.pack(), Limits{InflatedTotal: 40 << 20}, "InflatedTotal", growAt},
	} {
		_, err := receive(t, c.pack, Options{Limits: c.limits})
		var l *LimitError
		if !errors.As(err, &l) || !errors.Is(err, ErrLimit) || l.Limit != c.limit || l.Offset != uint64(c.offset) {
			t.Errorf("%s: error %v, want %s at %d", c.name, err, c.limit, c.offset)
		}
	}
	for name, pack := range map[string][]byte{"big": big.pack(), "grow": grow.pack(), "many": many.pack()} {
		if _, err := receive(t, pack, Options{}); err != nil {
			t.Errorf("%s without limits: %v", name, err)
		}
	}
}

// TestMemoryForLies makes sure that what a pack claims costs no memory.
func TestMemoryForLies(t *testing.T) {
	const size = 1 << 30
	count := startPack()
	count.whole(Blob, base)
	count.objects = 1<<32 - 1
	blob := startPack()
	blob.raw(appendEntryHeader(nil, Blob, size), deflated(base))
	deltaSize := startPack()
	deltaSize.whole(Blob, base)
	deltaSize.raw(appendEntryHeader(nil, OfsDelta, size), distance(uint64(deltaSize.Len()-packHeader)), deflated(base))
	result := startPack()
	result.ofs(result.whole(Blob, base), deltaOf(uint64(len(base)), size, insert(base)...))
	real := startPack()
	real.raw(appendEntryHeader(nil, Blob, 64<<20), bomb(64<<20)) // streamed
	for name, c := range map[string]*craft{"objects": count, "size": blob, "size of a delta": deltaSize, "result": result, "large blob": real} {
		pack := c.pack()
		var err error
		if used := peak(func() { _, err = receive(t, pack, Options{Threads: 1}) }); used > 10<<20 {
			t.Errorf("%s: %d bytes in use", name, used)
		}
		if (err == nil) != (name == "large blob") {
			t.Errorf("%s: error %v", name, err)
		}
	}

	_, idx := indexed(t)
	binary.BigEndian.PutUint32(idx[indexHeader+4*255:], 0x7fffffff)
	if used := peak(func() {
		if _, err := openIndex(bytes.NewReader(idx), int64(len(idx))); !errors.Is(err, ErrIndexSize) {
			t.Errorf("index: error %v", err)
		}
	}); used > 1<<20 {
		t.Errorf("index: %d bytes in use", used)
	}
}

// TestMemoryIsBounded reads a pack whose objects need far more memory than they
// may take.
func TestMemoryIsBounded(t *testing.T) {
	const size = 1 << 20
	rng := rand.New(rand.NewPCG(5, 6))
	first := make([]byte, size)
	for n := range first {
		first[n] = byte(rng.Uint32())
	}
	c := startPack()
	at := []int{c.whole(Blob, first)}
	for n := range 120 { // a binary tree: every object waits for a second child
		head := fmt.Appendf(nil, "%08d", n)
		var ops []byte
		ops = append(ops, insert(head)...)
		for from := 8; from < size; from += 0xffff {
			ops = append(ops, copyFrom(from, min(0xffff, size-from))...)
		}
		at = append(at, c.ofs(at[n/2], deltaOf(size, size, ops...)))
	}
	pack := c.pack()
	for _, threads := range []int{1, 2} {
		var err error
		used := peak(func() {
			_, err = receive(t, pack, Options{Threads: threads, Limits: Limits{Memory: 8 << 20}})
		})
		if err != nil {
			t.Fatal(err)
		}
		if limit := uint64(64+threads*12) << 20; used > limit {
			t.Errorf("%d threads: %d MiB in use, want at most %d", threads, used>>20, limit>>20)
		}
	}
}

// flagging is a Hasher that takes some objects for attacks.
type flagging struct {
	hash.Hash
	attacked func(ID) bool
}

func (f flagging) SumMany(results []HashResult, messages [][]byte) {
	for n, m := range messages {
		f.Reset()
		f.Write(m)
		results[n] = f.Result()
	}
}

func (f flagging) Result() HashResult {
	r := HashResult{ID: ID(f.Sum(nil))}
	if f.attacked(r.ID) {
		r.Attack = &sha1dc.CollisionError{Plain: r.ID, Mitigated: [20]byte{1}, Offset: 192, DV: sha1dc.DV{Type: 2, K: 52}}
	}
	return r
}

// TestCollisions takes objects of every kind for attacks: stored whole, small
// and large, as deltas of both kinds, and added to complete the pack.
func TestCollisions(t *testing.T) {
	large := make([]byte, smallObject+1)
	n := uint64(len(base))
	c := startPack()
	var objects []ID
	var offsets []int
	add := func(at int, content []byte) {
		objects, offsets = append(objects, idOf(Blob, content)), append(offsets, at)
	}
	add(c.whole(Blob, base), base)
	add(c.raw(appendEntryHeader(nil, Blob, uint64(len(large))), deflated(large)), large)
	first := append([]byte("1"), base...)
	add(c.ofs(offsets[0], deltaOf(n, n+1, append(insert([]byte("1")), copyAll(len(base))...)...)), first)
	second := append([]byte("2"), base...)
	add(c.ref(objects[0], deltaOf(n, n+1, append(insert([]byte("2")), copyAll(len(base))...)...)), second)
	whole := c.pack()
	outside := append([]byte("0"), base...)
	c.ref(idOf(Blob, outside), deltaOf(n+1, n+1, append(insert([]byte("3")), copyFrom(1, len(base))...)...))
	thin := c.pack()
	bases := baseMap{idOf(Blob, outside): outside}.object

	for n, target := range append(objects, idOf(Blob, outside)) {
		pack, offset := thin, len(thin)-20
		if n < len(offsets) {
			pack, offset = whole, offsets[n]
		}
		for _, threads := range []int{1, 3} {
			opt := Options{Threads: threads, NewHasher: func() Hasher {
				return flagging{detectOnly.New(), func(id ID) bool { return id == target }}
			}}
			check := func(api string, err error) {
				t.Helper()
				var e *CollisionError
				if !errors.As(err, &e) || !errors.Is(err, sha1dc.ErrCollision) || e.Object != target || e.Offset != uint64(offset) ||
					e.BlockOffset != 192 || e.DV.String() != "II(52,0)" || e.Type != Blob || e.Mitigated != (ID{1}) {
					t.Errorf("object %d, %d threads, %s: error %v", n, threads, api, err)
				}
			}
			dir := t.TempDir()
			_, err := Receive(t.Context(), bytes.NewReader(pack), Files{Dir: dir}, bases, opt)
			check("Receive", err)
			if n < len(offsets) {
				name := write(t, "x.pack", pack)
				_, err = IndexFile(t.Context(), Files{Pack: name}, opt)
				check("IndexFile", err)
				if _, err := IndexFile(t.Context(), Files{Pack: name}, Options{}); err != nil {
					t.Fatal(err)
				}
				_, err = Verify(t.Context(), Files{Pack: name}, opt)
				check("Verify", err)
			}
			opt.Collisions = ListCollisions
			r, err := Receive(t.Context(), bytes.NewReader(pack), Files{Dir: dir}, bases, opt)
			if err != nil || len(r.Collisions) != 1 {
				t.Fatalf("object %d: error %v, %+v", n, err, r)
			}
			check("list", r.Collisions[0])
		}
	}
	all := Options{Collisions: ListCollisions, NewHasher: func() Hasher {
		return flagging{detectOnly.New(), func(ID) bool { return true }}
	}}
	r, err := Receive(t.Context(), bytes.NewReader(thin), Files{Dir: t.TempDir()}, bases, all)
	if err != nil || len(r.Collisions) != 6 || r.Added != 1 {
		t.Fatalf("error %v, %+v", err, r)
	}
	for n, a := range r.Collisions[1:] {
		if a.Offset <= r.Collisions[n].Offset {
			t.Errorf("attack %d is out of order", n+1)
		}
	}
}

func TestDetectingHasher(t *testing.T) {
	h := newDetecting()
	var results [1]HashResult
	msg := []byte("blob 3\x00abc")
	h.SumMany(results[:], [][]byte{msg})
	h.Reset()
	h.Write(msg)
	if want := (HashResult{ID: idOf(Blob, []byte("abc"))}); results[0] != want || h.Result() != want {
		t.Errorf("%v and %v, want %v", results[0], h.Result(), want)
	}
}

var _ io.Writer = flagging{}

// TestRebuildingIsLimited reads a pack that is small in every respect, but for
// which a small memory means making the same objects again and again.
func TestRebuildingIsLimited(t *testing.T) {
	c := startPack()
	n := uint64(len(base))
	grown := func(mark string) []byte {
		return append(insert([]byte(mark)), copyFrom(len(mark), len(base)-len(mark))...)
	}
	at := c.whole(Blob, base)
	for i := range 1000 { // a spine with twigs of two deltas
		twig := c.ofs(at, deltaOf(n, n, grown(fmt.Sprintf("t%07d", i))...))
		c.ofs(twig, deltaOf(n, n, grown(fmt.Sprintf("u%07d", i))...))
		at = c.ofs(at, deltaOf(n, n, grown(fmt.Sprintf("s%07d", i))...))
	}
	if _, err := receive(t, c.pack(), Options{}); err != nil {
		t.Fatal(err)
	}
	var l *LimitError
	_, err := receive(t, c.pack(), Options{Threads: 1, Limits: Limits{Memory: 1, InflatedTotal: 100 << 20}})
	if !errors.As(err, &l) || l.Limit != "InflatedTotal" {
		t.Errorf("error %v", err)
	}
}

// TestLargestSubtreeLast reads a long chain each object of which has another
// child. The chain goes on last, so that none of its objects waits for that.
func TestLargestSubtreeLast(t *testing.T) {
	const size, depth = 64 << 10, 600
	first := make([]byte, size)
	delta := func(mark string) []byte {
		return deltaOf(size, size, append(insert([]byte(mark)), copyFrom(len(mark), size-len(mark))...)...)
	}
	for _, chainFirst := range []bool{false, true} {
		c := startPack()
		at := c.whole(Blob, first)
		for n := range depth {
			base := at
			if chainFirst {
				at = c.ofs(base, delta(fmt.Sprintf("c%06d", n)))
			}
			c.ofs(base, delta(fmt.Sprintf("l%06d", n)))
			if !chainFirst {
				at = c.ofs(base, delta(fmt.Sprintf("c%06d", n)))
			}
		}
		pack := c.pack()
		var err error
		used := peak(func() { _, err = receive(t, pack, Options{Threads: 1, Limits: Limits{Memory: 1 << 30}}) })
		if err != nil || used > 24<<20 {
			t.Errorf("chain first %v: %d MiB in use, error %v", chainFirst, used>>20, err)
		}
	}
}
