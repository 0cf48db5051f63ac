package gitpack

import (
	"context"
	"hash/crc32"
	"io"
	"math"

	"github.com/sha1dc/go/internal/inflate"
)

const (
	// groupBytes and groupObjects bound the objects that are hashed together.
	groupBytes   = 2 << 20
	groupObjects = 256
)

// A group is a number of objects that are hashed together.
type group struct {
	objects  []*object
	messages [][]byte
	results  []HashResult
	bytes    int
}

// A worker resolves deltas. See resolver.
type worker struct {
	*resolver
	ctx     context.Context
	hasher  Hasher
	inf     inflater
	stack   []task
	trimmed int // the tasks below have no base in memory
	group   *group
	packed  []byte // of an entry, as it is in the pack
	payload []byte // of a delta
	types   [objectTypes]TypeCount
}

// run resolves deltas until there are none left.
func (w *worker) run() error {
	defer w.countTypes()
	if w.group == nil {
		w.group, w.hasher = &group{}, w.opt.NewHasher()
	}
	for {
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		t, ok := w.next()
		if !ok {
			return nil
		}
		if err := w.resolve(t); err != nil {
			return err
		}
	}
}

// countTypes adds the objects resolved to those of the job.
func (w *worker) countTypes() {
	w.job.mu.Lock()
	defer w.job.mu.Unlock()
	for t, c := range w.types {
		w.job.types[t].Objects += c.Objects
		w.job.types[t].Bytes += c.Bytes
	}
	clear(w.types[:])
}

// next returns what to do next: the task on top of the stack, else the next
// root, else what others give away.
func (w *worker) next() (task, bool) {
	for {
		if n := len(w.stack) - 1; n >= 0 {
			t := w.stack[n]
			w.stack = w.stack[:n]
			w.trimmed = min(w.trimmed, n)
			return t, true
		}
		if n, ok := w.root(); ok {
			return task{entry: n}, true
		}
		if len(w.group.objects) > 0 {
			w.hash(w.group)
			continue
		}
		t, g, ok := w.take()
		if !ok {
			return task{}, false
		}
		if g == nil {
			return t, true
		}
		w.hash(g)
	}
}

// take waits for a task or a group that another worker gives away. ok is false
// if there is nothing left to do.
func (w *worker) take() (t task, g *group, ok bool) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if int(w.idle.Add(1)) == len(w.crew) && len(w.tasks)+len(w.groups) == 0 {
		w.done = true
		w.wake.Broadcast()
	}
	for len(w.tasks)+len(w.groups) == 0 && !w.done {
		w.wake.Wait()
	}
	if w.done {
		return t, nil, false
	}
	w.idle.Add(-1)
	if n := len(w.tasks) - 1; n >= 0 {
		t, w.tasks = w.tasks[n], w.tasks[:n]
		return t, nil, true
	}
	n := len(w.groups) - 1
	g, w.groups = w.groups[n], w.groups[:n]
	return t, g, true
}

// share gives away the lower half of the stack, which has most below it, if a
// worker waits for something to do.
func (w *worker) share() {
	if w.idle.Load() == 0 || len(w.stack) < 2 {
		return
	}
	w.lock.Lock()
	if int(w.idle.Load()) > len(w.tasks)+len(w.groups) {
		half := len(w.stack) / 2
		w.tasks = append(w.tasks, w.stack[:half]...)
		w.stack = w.stack[:copy(w.stack, w.stack[half:])]
		w.trimmed = max(0, w.trimmed-half)
		w.wake.Broadcast()
	}
	w.lock.Unlock()
}

// resolve makes the object of a task, and puts its children on the stack.
func (w *worker) resolve(t task) error {
	e := w.table.at(t.entry)
	if !e.stored.isDelta() {
		o, err := w.whole(t.entry)
		if err != nil {
			return err
		}
		o.refs.Store(1)
		w.push(o, w.children.of(t.entry))
		w.found(o)
		return nil
	}
	if t.base == nil {
		base, err := w.rebuild(int(e.base))
		if err != nil {
			return err
		}
		base.refs.Store(1)
		t.base = base
	}
	o, err := w.apply(t.entry, t.base)
	if err != nil {
		return err
	}
	b := w.table.at(t.base.entry)
	e.object, e.depth = b.object, b.depth+1
	if uint64(e.depth) > w.opt.Limits.DeltaDepth {
		return &LimitError{Limit: "DeltaDepth", Max: w.opt.Limits.DeltaDepth, Offset: e.offset}
	}
	w.release(t.base)
	w.types[e.object].Objects++
	w.types[e.object].Bytes += uint64(len(o.content()))
	o.refs.Store(1)
	w.push(o, w.children.of(t.entry))
	w.add(o)
	w.trim(o)
	w.share()
	w.count()
	return nil
}

// count counts a resolved delta for the progress.
func (w *worker) count() {
	n := w.resolved.Add(1)
	if n%tickerCalls != 0 && n != w.deltas {
		return
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.tick.count += tickerCalls - w.tick.count%tickerCalls - 1
	w.tick.tell(Progress{Resolving, max(n, w.tick.latest.Done), w.deltas, w.end + trailerSize})
}

// push puts the children of an object on the stack, that with the largest tree
// first.
func (w *worker) push(o *object, list []uint32) {
	if len(list) == 0 {
		return
	}
	o.refs.Add(int32(len(list)))
	bottom := len(w.stack)
	for _, c := range list {
		w.stack = append(w.stack, task{int(c), o})
		if top := len(w.stack) - 1; w.children.weight[c] > w.children.weight[w.stack[bottom].entry] {
			w.stack[bottom], w.stack[top] = w.stack[top], w.stack[bottom]
		}
	}
}

// add adds an object to those to be hashed.
func (w *worker) add(o *object) {
	g := w.group
	g.objects = append(g.objects, o)
	g.messages = append(g.messages, message(w.table.at(o.entry).object, o.buf))
	g.bytes += len(o.buf)
	if g.bytes < groupBytes && len(g.objects) < groupObjects {
		return
	}
	if w.idle.Load() > 0 {
		w.lock.Lock()
		if int(w.idle.Load()) > len(w.tasks)+len(w.groups) {
			w.groups = append(w.groups, g)
			w.group = &group{}
			w.wake.Signal()
			g = nil
		}
		w.lock.Unlock()
	}
	if g != nil {
		w.hash(g)
	}
}

// hash hashes a group and empties it.
func (w *worker) hash(g *group) {
	n := len(g.messages)
	if cap(g.results) < n {
		g.results = make([]HashResult, groupObjects)
	}
	g.results = g.results[:n]
	w.hasher.SumMany(g.results, g.messages)
	for n, o := range g.objects {
		w.hashed(w.table.at(o.entry), g.results[n])
		w.found(o)
		g.objects[n], g.messages[n] = nil, nil
	}
	g.objects, g.messages, g.bytes = g.objects[:0], g.messages[:0], 0
}

// found puts the deltas on the stack that name the object by its id, and gives
// up one use of it.
func (w *worker) found(o *object) {
	if len(w.refs) > 0 {
		for _, n := range w.claim(w.table.at(o.entry).id) {
			w.table.at(n).base = uint32(o.entry)
			o.refs.Add(1)
			w.stack = append(w.stack, task{n, o})
		}
		w.trim(nil)
	}
	w.release(o)
}

// trim drops objects that wait on the stack while there are too many bytes in
// memory, those needed last first. They are made again when it is their turn.
// The object that was made last is not dropped.
func (w *worker) trim(last *object) {
	for w.trimmed < len(w.stack) && w.live.Load() > int64(w.opt.Limits.Memory/2) {
		t := &w.stack[w.trimmed]
		if t.base == last && last != nil {
			return
		}
		if t.base != nil {
			w.release(t.base)
			t.base = nil
		}
		w.trimmed++
	}
}

// whole returns the object of an entry that is stored whole.
func (w *worker) whole(n int) (*object, error) {
	e := w.table.at(n)
	if p := w.keptBytes(e); p != nil {
		return &object{entry: n, buf: p, class: notPooled}, nil
	}
	o := w.newObject(n, int(e.size))
	return o, w.inflateTo(o.content(), n)
}

// keptBytes returns headroom and content of an entry, or its delta, if they
// were kept.
func (w *worker) keptBytes(e *entry) []byte {
	if e.kept.slab == 0 {
		return nil
	}
	p := w.batches.slabs[e.kept.slab-1][e.kept.offset:]
	return p[: headroom+e.size : headroom+e.size]
}

// inflateTo inflates entry n to dst. Its id rests on what the first pass read, so
// it must be the same still.
func (w *worker) inflateTo(dst []byte, n int) error {
	e := w.table.at(n)
	from, to := w.extent(n)
	size := to - from
	to = min(to+inflate.Slack, w.end+trailerSize) // only for speed
	if to-from > math.MaxInt {
		return entryError(ErrTooLong, e.offset)
	}
	w.packed = grown(w.packed, int(to-from))
	got, err := w.pack.ReadAt(w.packed, int64(from))
	if err != nil && err != io.EOF {
		return err
	}
	p := w.packed[:got]
	if uint64(got) < size || crc32.ChecksumIEEE(p[:size]) != e.crc {
		return entryError(damaged("it changed while it was read"), e.offset)
	}
	if _, err = w.inf.inflate(dst, p[e.header:]); err == errMoreInput {
		err = damaged("it goes on after the end of the entry")
	}
	return entryError(err, e.offset)
}

// grown returns a slice of n bytes, b if it has the room.
func grown(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n, n+n/4+inflate.Slack)
	}
	return b[:n]
}

// apply returns the object of entry n, a delta on base.
func (w *worker) apply(n int, base *object) (*object, error) {
	e := w.table.at(n)
	var p []byte
	if kept := w.keptBytes(e); kept != nil {
		p = kept[headroom:]
	} else {
		w.payload = grown(w.payload, int(e.size))
		p = w.payload
		if err := w.inflateTo(p, n); err != nil {
			return nil, err
		}
	}
	d, err := parseDelta(p)
	if err == nil {
		err = d.check(uint64(len(base.content())))
	}
	if err != nil {
		return nil, entryError(err, e.offset)
	}
	if d.result > w.opt.Limits.ObjectSize {
		return nil, &LimitError{Limit: "ObjectSize", Max: w.opt.Limits.ObjectSize, Offset: e.offset}
	}
	if err := w.inflated(d.result, e.offset); err != nil {
		return nil, err
	}
	o := w.newObject(n, int(d.result))
	d.apply(o.content(), base.content())
	return o, nil
}

// rebuildCost is what making a delta's object again counts as at least towards
// the limit for all: small objects take time too.
const rebuildCost = 4 << 10

// rebuild makes a resolved object once more.
func (w *worker) rebuild(n int) (*object, error) {
	var chain []int
	for w.table.at(n).stored.isDelta() {
		chain = append(chain, n)
		n = int(w.table.at(n).base)
	}
	if err := w.inflated(w.table.at(n).size, w.table.at(n).offset); err != nil {
		return nil, err
	}
	o, err := w.whole(n)
	for len(chain) > 0 && err == nil {
		if w.ctx.Err() != nil {
			return nil, context.Cause(w.ctx)
		}
		if err = w.inflated(rebuildCost, w.table.at(n).offset); err != nil {
			return nil, err
		}
		base := o
		base.refs.Store(1)
		o, err = w.apply(chain[len(chain)-1], base)
		w.release(base)
		chain = chain[:len(chain)-1]
	}
	return o, err
}
