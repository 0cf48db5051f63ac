//go:build gc && !purego && !noasm

package sha1dc

import "unsafe"

// manyKernel is a kernel for two messages at once.
type manyKernel struct {
	least int // messages from which on it is faster than one after the other
	backend
}

// manyKernel returns the kernel for many messages to use with b, if there is
// one.
func (b backend) manyKernel() (k manyKernel, ok bool) {
	return manyKernel{least: 2, backend: b}, b != generic
}

// suits reports whether it pays to use the kernel for these messages.
func (k manyKernel) suits(msgs *messages) bool { return msgs.len() >= k.least }

// add does jobs, and leaves their blocks in slots, each of the first messages and
// then each of the second ones.
func (k manyKernel) add(jobs []pairJob, slots *byte, each int) {
	first := (*byte)(unsafe.Pointer(&jobs[0]))
	switch k.backend {
	case sha1NEON:
		pairSHA1NEON(first, len(jobs), slots, each)
	case sha1NEON2:
		pairSHA1NEON2(first, len(jobs), slots, each)
	}
}

// pairJobs is the most jobs of a call. Each may end two messages, and begin two.
const pairJobs = 8

// lanes are two messages being hashed side by side.
type lanes struct {
	slots [(1 + 2*pairBlocks) * pairSlotSize]byte
	lane  [2]lane

	// Of a call:
	jobs   [pairJobs]pairJob
	values [2 + 2*pairJobs][5]uint32 // of the messages in lanes when it begins, and of those begun
	begun  []int                     // messages
	ended  []ended

	// A run that is a copy has no more blocks than a call has jobs, so that what a
	// call leaves of it is done in the next. A job takes no more than two buffers.
	buf  [2 * 2 * (pairJobs + 1)]runBuffer
	next int
}

// lane is a message being hashed.
type lane struct {
	position
	busy  bool   // there is one
	whole bool   // all of it is in the run
	run   []byte // what is left of the run at hand
	cut   cutter // if it is not whole
	value int    // of lanes
}

// position says how far a message has come.
type position struct {
	message int
	done    uint64 // bytes
}

// ended is a message that has ended, and its value.
type ended struct{ message, value int }

func newLanes() *lanes {
	return &lanes{begun: make([]int, 0, 2*pairJobs), ended: make([]ended, 0, 2*pairJobs)}
}

// filling is the state of a call of fill.
type filling struct {
	*lanes
	cfg    Config
	kernel manyKernel
	out    []Result
	msgs   messages
	stop   <-chan struct{}

	order *order
	first int      // message of the window
	after int      // message after the window
	rest  []uint16 // of the window: messages not yet taken
}

// fill sets each of out to the result of its message, or returns early if stop
// is closed.
//
// If a block of a call is an attack, the messages of that call are hashed alone
// from where they were before it. So a message costs at most as much again as it
// does alone, whatever a stranger puts in others.
func (l *lanes) fill(c Config, k manyKernel, out []Result, msgs messages, o *order, stop <-chan struct{}) {
	f := filling{lanes: l, cfg: c, kernel: k, out: out, msgs: msgs, stop: stop, order: o}
	f.refill()
	for l.lane[0].busy && l.lane[1].busy && !stopped(stop) {
		f.call()
	}
	for n := range l.lane {
		if l.lane[n].busy {
			f.finish(l.lane[n].position, l.values[n])
		}
	}
	l.forget()
}

// refill begins with two messages.
func (f *filling) refill() {
	for n := range f.lane {
		f.begin(&f.lane[n], n)
	}
}

// begin gives a lane the next message, with the given value, and reports whether
// there is one.
func (f *filling) begin(l *lane, value int) bool {
	m, ok := f.take()
	if l.busy = ok; !ok {
		return false
	}
	l.message, l.done, l.value = m, 0, value
	f.values[value] = initial
	pieces := f.msgs.at(m)
	if l.whole = len(pieces) == 1 && len(pieces[0]) <= joined; l.whole {
		p := pieces[0]
		l.run = f.buffer()[:(len(p)+padding+BlockSize-1)&^(BlockSize-1)]
		clear(l.run[len(p):])
		pad(l.run, p, uint64(len(p)))
		return true
	}
	l.cut.start(pieces)
	l.run = l.cut.next(f.buffer())
	return true
}

// take returns the next message.
func (f *filling) take() (message int, ok bool) {
	if len(f.rest) == 0 {
		if f.after == len(f.out) {
			return 0, false
		}
		f.first = f.after
		n := f.order.start(&f.msgs, f.first)
		f.after += n
		f.rest = f.order.window[:n]
	}
	message = f.first + int(f.rest[0])
	f.rest = f.rest[1:]
	return message, true
}

// buffer returns room for a copy.
func (l *lanes) buffer() *runBuffer {
	if l.next++; l.next == len(l.buf) {
		l.next = 0
	}
	return &l.buf[l.next]
}

// more reports whether the message in a lane has more blocks, and cuts the next
// run if the one at hand has none.
func (f *filling) more(l *lane) bool {
	if len(l.run) > 0 {
		return true
	}
	if l.whole || l.cut.padded {
		return false
	}
	l.run = l.cut.next(f.buffer())
	return true
}

// call adds blocks to both messages, and to those that take their places, as many
// as fit in a call.
func (f *filling) call() {
	before := [2]position{f.lane[0].position, f.lane[1].position}
	values := [2][5]uint32(f.values[:])
	f.begun, f.ended = f.begun[:0], f.ended[:0]
	jobs, each := 0, 0
	for jobs < pairJobs && each < pairBlocks-1 && f.lane[0].busy && f.lane[1].busy {
		each += f.job(&f.jobs[jobs], pairBlocks-1-each) + 1
		jobs++
	}
	slots := &f.slots[pairSlotSize]
	f.kernel.add(f.jobs[:jobs], slots, each)
	if recheckSHA1(slots, 2*each, &messageDifferences) {
		f.alone(&before, &values)
		return
	}
	for _, e := range f.ended {
		r := &f.out[e.message]
		putValue(&r.Digest, &f.values[e.value])
		r.Err = nil
	}
	for n := range f.lane {
		if l := &f.lane[n]; l.value != n {
			f.values[n] = f.values[l.value]
			l.value = n
		}
	}
}

// job makes a job of the blocks at hand of both messages, at most so many, and
// returns their number. It lets messages that end with it be followed by others.
func (f *filling) job(j *pairJob, most int) (n int) {
	n = min(most, len(f.lane[0].run)/BlockSize, len(f.lane[1].run)/BlockSize)
	j.n = n
	for i := range f.lane {
		l := &f.lane[i]
		j.blocks[i], j.values[i] = &l.run[0], &f.values[l.value]
		l.run = l.run[n*BlockSize:]
		l.done += uint64(n * BlockSize)
		if f.more(l) {
			continue
		}
		f.ended = append(f.ended, ended{l.message, l.value})
		if f.begin(l, 2+len(f.begun)) {
			f.begun = append(f.begun, l.message)
		}
	}
	return n
}

// alone hashes the messages of a call with an attack, one after the other, and
// goes on with others: the two that were in lanes before it, which had the given
// values, and those begun.
func (f *filling) alone(before *[2]position, values *[2][5]uint32) {
	for n, p := range before {
		f.finish(p, values[n])
	}
	for _, m := range f.begun {
		f.finish(position{message: m}, initial)
	}
	f.refill()
}

// finish hashes what is left of a message with the given value.
func (f *filling) finish(p position, value [5]uint32) {
	if stopped(f.stop) {
		return
	}
	var (
		cut cutter
		buf runBuffer
	)
	cut.start(f.msgs.at(p.message))
	run := cut.next(&buf)
	for p.done >= cut.offset+uint64(len(run)) {
		run = cut.next(&buf)
	}
	s := state{h: value}
	cut.finish(&s, f.cfg, run[p.done-cut.offset:], f.stop)
	f.out[p.message].set(&s, f.cfg.Mode)
}

// forget keeps nothing of the caller's.
func (l *lanes) forget() {
	l.lane = [2]lane{}
	clear(l.jobs[:])
}
