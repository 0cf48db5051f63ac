package sha1dc

import (
	"math/bits"
	"runtime"
	"sync"
)

// Result is what came of one of many messages.
type Result struct {
	// Digest is the digest of the message; of an attacked one, the digest that
	// the mode asks for.
	Digest [Size]byte

	// Err is a *CollisionError if the message is part of a collision attack, and
	// nil otherwise.
	Err error
}

// SumMany appends the result of each message to dst, in order, and returns the
// extended slice. The results are those of Config{}.Sum.
//
// It is for many messages that are at hand: with vector instructions it hashes
// up to 16 of them side by side on one core, which is faster than one after the
// other, the more so the more equal they are in length. It starts no
// goroutines; to use more cores, share the messages out. For messages in
// pieces see [Batch], for messages that come one by one [SumSeq] and [SumChan].
func SumMany(dst []Result, msgs [][]byte) []Result { return Config{}.SumMany(dst, msgs) }

// SumMany appends the result of each message to dst, in order, and returns the
// extended slice. The results are those of c.Sum. See the function SumMany.
func (c Config) SumMany(dst []Result, msgs [][]byte) []Result {
	n := len(dst)
	dst = extend(dst, len(msgs))
	out, m := dst[n:], messages{whole: msgs}
	c = c.normal()
	k, ok := c.manyKernel(&m)
	if !ok {
		c.oneByOne(out, m, nil) // without the memory of a batch
		return dst
	}
	b := batches.Get().(*Batch)
	b.cfg = c
	b.hash(k, out, m, nil)
	batches.Put(b)
	return dst
}

var batches = sync.Pool{New: func() any { return new(Batch) }}

// Batch hashes many messages at once, as SumMany does, and keeps the memory
// that it needs for that. Once it has it, it allocates nothing but the errors
// of attacked messages. The zero value works as the zero Config says. A Batch
// must not be used by several goroutines at once; separate ones may.
type Batch struct {
	cfg   Config
	lanes *lanes // nil until they are needed
	order order
}

// NewBatch returns a Batch that works as c says.
func (c Config) NewBatch() *Batch { return &Batch{cfg: c} }

// Sum appends the result of each message to dst, in order, and returns the
// extended slice.
func (b *Batch) Sum(dst []Result, msgs [][]byte) []Result {
	return b.sum(dst, messages{whole: msgs})
}

// SumPieces appends the result of each message to dst, in order, and returns
// the extended slice. Each message is the concatenation of its pieces, as of a
// header and a body, which need not be copied together.
func (b *Batch) SumPieces(dst []Result, msgs [][][]byte) []Result {
	return b.sum(dst, messages{pieces: msgs})
}

func (b *Batch) sum(dst []Result, msgs messages) []Result {
	n := len(dst)
	dst = extend(dst, msgs.len())
	b.fill(dst[n:], msgs, nil)
	return dst
}

// extend returns dst with n more results.
func extend(dst []Result, n int) []Result {
	if free := cap(dst) - len(dst); free < n {
		dst = append(dst[:cap(dst)], make([]Result, n-free)...)[:len(dst)]
	}
	return dst[:len(dst)+n]
}

// fill sets each of out to the result of its message. It stops early if stop
// is closed; then the results mean nothing.
func (b *Batch) fill(out []Result, msgs messages, stop <-chan struct{}) {
	c := b.cfg.normal()
	k, ok := c.manyKernel(&msgs)
	if !ok {
		c.oneByOne(out, msgs, stop)
		return
	}
	b.hash(k, out, msgs, stop)
}

// hash is fill with a kernel for many messages.
func (b *Batch) hash(k manyKernel, out []Result, msgs messages, stop <-chan struct{}) {
	if b.lanes == nil {
		b.lanes = newLanes()
	}
	b.lanes.fill(b.cfg.normal(), k, out, msgs, &b.order, stop)
}

// manyKernel returns the kernel for messages, if it pays to use one.
func (c Config) manyKernel(msgs *messages) (k manyKernel, ok bool) {
	k, ok = active.manyKernel()
	return k, ok && !c.ReducedRounds && !c.DisableUBC && k.suits(msgs)
}

// oneByOne is fill without a kernel for many messages.
func (c Config) oneByOne(out []Result, msgs messages, stop <-chan struct{}) {
	for n := range out {
		if stopped(stop) {
			return
		}
		c.sumPieces(&out[n], msgs.at(n), stop)
	}
}

// stopped reports whether stop is closed. A nil channel never is.
func stopped(stop <-chan struct{}) bool {
	if runtime.GOARCH == "wasm" && stop != nil {
		runtime.Gosched() // nothing else runs there, and no timer ends, while this goroutine goes on
	}
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// sumPieces sets r to the result of one message. If stop is closed meanwhile,
// the result means nothing.
func (c Config) sumPieces(r *Result, pieces [][]byte, stop <-chan struct{}) {
	var s state
	if len(pieces) == 1 && (stop == nil || len(pieces[0]) <= longestRun) {
		c.hash(&s, pieces[0])
	} else {
		var cut cutter
		cut.start(pieces)
		s.h = initial
		cut.finish(&s, c, nil, stop)
	}
	r.set(&s, c.Mode)
}

// set sets r to the result of a finished message.
func (r *Result) set(s *state, m Mode) {
	s.put(&r.Digest, m)
	r.Err = nil
	if s.found {
		r.Err = s.err()
	}
}

// messages is a list of messages, whole or in pieces.
type messages struct {
	whole  [][]byte
	pieces [][][]byte
}

// len returns the number of messages.
func (m *messages) len() int { return max(len(m.whole), len(m.pieces)) }

// at returns the pieces of message n.
func (m *messages) at(n int) [][]byte {
	if m.whole != nil {
		return m.whole[n : n+1]
	}
	return m.pieces[n]
}

// length returns the number of bytes in pieces.
func length(pieces [][]byte) uint64 {
	var n uint64
	for _, p := range pieces {
		n += uint64(len(p))
	}
	return n
}

// order is the order in which messages are taken: within a window the longest
// first, roughly, so that messages side by side end at about the same time and
// none is left alone at the end that could have had company.
type order struct {
	window [1024]uint16
	class  [1024]uint8
	count  [256]uint16
}

// exactClasses is the number of classes of messages that all have the same
// number of blocks, which is that of the class.
const exactClasses = 32

// start fills the window with the messages from first on, counted from there,
// and returns their number.
func (o *order) start(msgs *messages, first int) int {
	n := min(msgs.len()-first, len(o.window))
	least, most := uint8(255), uint8(0)
	for i := range n {
		c := lengthClass(length(msgs.at(first + i)))
		o.class[i] = c
		least, most = min(least, c), max(most, c)
	}
	if least == most {
		copy(o.window[:n], unsorted[:])
		return n
	}
	clear(o.count[:])
	for _, c := range o.class[:n] {
		o.count[c]++
	}
	var sum uint16
	for c := int(most); c >= int(least); c-- {
		o.count[c], sum = sum, sum+o.count[c]
	}
	for i, c := range o.class[:n] {
		o.window[o.count[c]] = uint16(i)
		o.count[c]++
	}
	return n
}

// unsorted is the window of messages of one class.
var unsorted = func() (window [len(order{}.window)]uint16) {
	for i := range window {
		window[i] = uint16(i)
	}
	return window
}()

// lengthClass returns a number that grows with the number of blocks of a
// message of n bytes, four to an octave beyond the exact classes.
func lengthClass(n uint64) uint8 {
	blocks := (n+padding-1)/BlockSize + 1
	if blocks < exactClasses {
		return uint8(blocks)
	}
	octave := bits.Len64(blocks) // at least 6
	return uint8(exactClasses + 4*(octave-6) + int(blocks>>(octave-3)&3))
}
