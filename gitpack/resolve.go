package gitpack

import (
	"bytes"
	"context"
	"io"
	"math/bits"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/sha1dc/go/internal/inflate"
)

// An object is the content of a resolved entry, as long as it is needed.
type object struct {
	entry int
	buf   []byte       // headroom and content
	refs  atomic.Int32 // batches and tasks that need it
	class int          // of the pool that buf is from, or notPooled
}

// content returns the object's content.
func (o *object) content() []byte { return o.buf[headroom:] }

// A task is an entry to be resolved. base is nil for an entry stored whole, and
// where the base's content was dropped to save memory.
type task struct {
	entry int
	base  *object
}

// A resolver is the second pass over a pack: it makes the objects that are
// stored as deltas. Workers walk the trees of deltas from their bases, each
// with a stack of tasks of its own. Of the children of an object the one with
// the largest subtree comes last, when the object itself is no longer needed,
// so that the objects that wait on a stack are at most the logarithm of the
// number of deltas.
type resolver struct {
	*job
	pack     io.ReaderAt
	children children
	claimed  []atomic.Bool // of refs: whether the base has been found

	pool     pool
	crew     []*worker
	nextRoot atomic.Int64
	live     atomic.Int64 // bytes of objects in memory
	resolved atomic.Uint64
	deltas   uint64

	lock   sync.Mutex // of what follows
	wake   sync.Cond
	idle   atomic.Int32
	tasks  []task   // given away by workers
	groups []*group // given away by workers, to be hashed
	done   bool
	tick   ticker
}

// children are the deltas on each entry that name it by its offset.
type children struct {
	start  []uint32 // for each entry, where its children start in list; one more at the end
	list   []uint32
	weight []uint32 // for each entry, the number of entries in its tree
}

// of returns the children of entry n.
func (c *children) of(n int) []uint32 {
	if n+1 >= len(c.start) {
		return nil // added to complete the pack
	}
	return c.list[c.start[n]:c.start[n+1]]
}

func newResolver(j *job, pack io.ReaderAt) *resolver {
	r := &resolver{job: j, pack: pack, claimed: make([]atomic.Bool, len(j.refs)), tick: ticker{report: j.opt.Progress}}
	r.wake.L = &r.lock
	for range r.opt.Threads {
		r.crew = append(r.crew, &worker{resolver: r})
	}
	r.pool.limit = int64(r.opt.Limits.Memory / 2)
	sortRefs(r.refs)
	n := r.table.count
	c := &r.children
	c.start, c.weight = make([]uint32, n+1), make([]uint32, n)
	for i := n - 1; i >= 0; i-- {
		e := r.table.at(i)
		c.weight[i]++
		if e.stored.isDelta() {
			r.deltas++
		}
		if e.base != noBase {
			c.weight[e.base] += c.weight[i]
			c.start[e.base]++
		}
	}
	sum := uint32(0)
	for i, count := range c.start {
		sum += count
		c.start[i] = sum // where the children end, until they are filled in
	}
	c.list = make([]uint32, sum)
	for i := n - 1; i >= 0; i-- {
		if b := r.table.at(i).base; b != noBase {
			c.start[b]--
			c.list[c.start[b]] = uint32(i)
		}
	}
	return r
}

// run resolves what can be reached from the entries stored whole from number
// first on.
func (r *resolver) run(ctx context.Context, first int) error {
	r.nextRoot.Store(int64(first))
	r.done = false
	r.idle.Store(0)
	var wg sync.WaitGroup
	for _, w := range r.crew {
		wg.Go(func() {
			w.ctx = ctx
			if err := w.run(); err != nil {
				r.cancel(err)
				r.stop()
			}
		})
	}
	wg.Wait()
	r.tick.last()
	return context.Cause(ctx)
}

// stop makes all workers return.
func (r *resolver) stop() {
	r.lock.Lock()
	r.done = true
	r.lock.Unlock()
	r.wake.Broadcast()
}

// root returns the next entry that is stored whole and may be a base.
func (r *resolver) root() (int, bool) {
	for {
		n := int(r.nextRoot.Add(1)) - 1
		if n >= r.table.count {
			return 0, false
		}
		if r.table.at(n).stored.isDelta() {
			continue
		}
		if len(r.children.of(n)) > 0 || r.named(r.table.at(n).id) {
			return n, true
		}
	}
}

// firstRef returns the index of the first delta whose base is named id, or of
// where it would be.
func (r *resolver) firstRef(id ID) int {
	return sort.Search(len(r.refs), func(n int) bool { return bytes.Compare(r.refs[n].base[:], id[:]) >= 0 })
}

// named reports whether a delta names id as its base.
func (r *resolver) named(id ID) bool {
	n := r.firstRef(id)
	return n < len(r.refs) && r.refs[n].base == id
}

// claim returns the entries of the deltas whose base is named id, and that no
// other entry with that id has claimed.
func (r *resolver) claim(id ID) (entries []int) {
	for n := r.firstRef(id); n < len(r.refs) && r.refs[n].base == id; n++ {
		if r.claimed[n].CompareAndSwap(false, true) {
			entries = append(entries, int(r.refs[n].entry))
		}
	}
	return entries
}

// extent returns where entry n is in the pack.
func (r *resolver) extent(n int) (from, to uint64) {
	e := r.table.at(n)
	to = r.end
	if n+1 < r.table.count {
		to = r.table.at(n + 1).offset
	}
	return e.offset, to
}

// notPooled is the class of buffers that are not reused.
const notPooled = -1

// classes is more than the number of classes of buffers.
const classes = 4 * 64

// class returns the class of buffers with room for n bytes, and their size:
// there are four to a power of two.
func class(n int) (class, size int) {
	n = max(n, 64)
	shift := bits.Len(uint(n-1)) - 3
	steps := (n-1)>>shift + 1 // 5 to 8
	return 4*shift + steps - 5, steps << shift
}

// A pool holds objects whose buffers can be reused. Together with those in use
// they take no more than the memory that there may be, so that little is left
// to the garbage collector.
type pool struct {
	mu    sync.Mutex
	free  [classes][]*object
	idle  int64 // bytes in free
	limit int64
}

// get returns an object of a class, or nil. Before that it frees others until
// there is room for size bytes beside live ones.
func (p *pool) get(class, size int, live int64) *object {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free[class]) - 1; n >= 0 {
		o := p.free[class][n]
		p.free[class] = p.free[class][:n]
		p.idle -= int64(cap(o.buf))
		return o
	}
	for c := classes - 1; c >= 0 && p.idle > 0 && live+p.idle+int64(size) > p.limit; c-- {
		for _, o := range p.free[c] {
			p.idle -= int64(cap(o.buf))
		}
		clear(p.free[c])
		p.free[c] = p.free[c][:0]
	}
	return nil
}

// put gives back an object, beside live bytes of others.
func (p *pool) put(o *object, live int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if size := int64(cap(o.buf)); live+p.idle+size <= p.limit {
		p.free[o.class] = append(p.free[o.class], o)
		p.idle += size
	}
}

// newObject returns an object with room for a content of some size.
func (r *resolver) newObject(entry, size int) *object {
	c, room := class(headroom + size + inflate.Slack)
	o := r.pool.get(c, room, r.live.Load())
	r.live.Add(int64(room))
	if o == nil {
		o = &object{buf: make([]byte, room), class: c}
	}
	o.entry = entry
	o.buf = o.buf[:headroom+size]
	return o
}

// release gives up one use of an object.
func (r *resolver) release(o *object) {
	if o.refs.Add(-1) > 0 || o.class == notPooled {
		return
	}
	r.pool.put(o, r.live.Add(-int64(cap(o.buf))))
}
