package gitpack

import (
	"sync"

	"github.com/sha1dc/go/internal/inflate"
)

const (
	// slabSize is the memory of a batch of small objects, and firstSlab that of
	// the first one, from which on it doubles.
	slabSize  = 1 << 20
	firstSlab = 1 << 16

	// slabEntries is the most entries in a batch.
	slabEntries = 4096
)

// A place is where the content of an entry, or its delta, is kept. The zero
// value stands for nowhere.
type place struct {
	slab   uint32 // number of the slab, from 1
	offset uint32 // of the headroom
}

// A batch is a number of small objects that are hashed together.
type batch struct {
	slab     []byte // what is used of it
	number   uint32 // of the slab if it is kept, else 0
	entries  []*entry
	messages [][]byte
	results  []HashResult
}

// kept reports whether the contents stay for the second pass.
func (b *batch) kept() bool { return b.number != 0 }

// fits reports whether n bytes more fit in.
func (b *batch) fits(n int) bool {
	return cap(b.slab)-len(b.slab) >= n+inflate.Slack && len(b.entries) < slabEntries
}

// take returns n bytes of the slab for an entry. What follows in the slab is not
// yet in use.
func (b *batch) take(e *entry, n int) []byte {
	at := len(b.slab)
	b.slab = b.slab[:at+n]
	if b.kept() {
		e.kept = place{b.number, uint32(at)}
	}
	return b.slab[at : at+n]
}

// add adds a message to hash, which is in the slab.
func (b *batch) add(e *entry, message []byte) {
	b.entries = append(b.entries, e)
	b.messages = append(b.messages, message)
}

// batches makes, hashes and recycles batches. The slabs of the first ones are
// kept as long as memory may be used for that.
type batches struct {
	job     *job
	inline  Hasher // if there is one thread
	queue   chan *batch
	free    chan *batch
	workers sync.WaitGroup

	slabs [][]byte // those kept
	room  uint64   // bytes that may still be kept
	size  int      // of the next slab
}

// startBatches starts as many goroutines to hash as there are threads beside
// the one that reads the pack.
func startBatches(j *job, keep uint64) *batches {
	b := &batches{job: j, room: keep, size: firstSlab, free: make(chan *batch, j.opt.Threads+1)}
	if j.opt.Threads == 1 {
		b.inline = j.opt.NewHasher()
		return b
	}
	b.queue = make(chan *batch, j.opt.Threads)
	for range j.opt.Threads - 1 {
		b.workers.Go(func() {
			h := j.opt.NewHasher()
			for batch := range b.queue {
				b.hash(h, batch)
			}
		})
	}
	return b
}

// get returns an empty batch with room for n bytes.
func (b *batches) get(n int) *batch {
	var c *batch
	select {
	case c = <-b.free:
	default:
		c = &batch{}
	}
	if cap(c.slab) < n+inflate.Slack {
		for b.size < n+inflate.Slack {
			b.size *= 2
		}
		c.slab = make([]byte, 0, b.size)
		b.size = min(2*b.size, slabSize)
	}
	if size := cap(c.slab); b.room >= uint64(size) {
		b.room -= uint64(size)
		b.slabs = append(b.slabs, c.slab[:size])
		c.number = uint32(len(b.slabs))
	}
	return c
}

// put gives back a batch, to be hashed.
func (b *batches) put(c *batch) {
	if b.queue == nil {
		b.hash(b.inline, c)
	} else {
		b.queue <- c
	}
}

// hash hashes a batch and recycles it.
func (b *batches) hash(h Hasher, c *batch) {
	n := len(c.messages)
	if cap(c.results) < n {
		c.results = make([]HashResult, n, max(n, 2*cap(c.results)))
	}
	c.results = c.results[:n]
	h.SumMany(c.results, c.messages)
	for n, e := range c.entries {
		b.job.hashed(e, c.results[n])
	}
	c.entries, c.messages, c.results = c.entries[:0], c.messages[:0], c.results[:0]
	c.slab = c.slab[:0]
	if c.kept() {
		c.slab, c.number = nil, 0
	}
	select {
	case b.free <- c:
	default:
	}
}

// wait returns when all batches have been hashed. No more can be put.
func (b *batches) wait() {
	if b.queue != nil {
		close(b.queue)
		b.workers.Wait()
	}
}
