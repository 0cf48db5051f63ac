//go:build gc && !purego && !noasm

package sha1dc

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// manyKernel is a kernel for many messages.
type manyKernel struct {
	lanes int // messages that it hashes side by side
	least int // messages from which on it goes on with lanes that stay empty
	shani bool
}

// manyKernel returns the kernel for many messages to use with b, if there is
// one.
func (b backend) manyKernel() (k manyKernel, ok bool) {
	switch b {
	case shaniAVX512, shaniAVX512Intel:
		return manyKernel{lanes: 16, least: 8, shani: true}, true
	case avx512Kernel:
		return manyKernel{lanes: 16, least: 3}, true
	case shaniAVX2, shaniAVX2Intel:
		return manyKernel{lanes: 8, least: 6, shani: true}, true
	case avx2Kernel:
		return manyKernel{lanes: 8, least: 3}, true
	}
	return manyKernel{}, false
}

// suits reports whether it pays to use the kernel for these messages. If lanes stay
// empty, short messages cost less one after the other: where there are SHA
// instructions, a block in all lanes costs as much as six of a message alone, a
// call five more, and the care of a message in a lane one.
func (k manyKernel) suits(msgs *messages) bool {
	n := msgs.len()
	if n < k.least || n >= k.lanes || !k.shani {
		return n >= k.least
	}
	least, most := exactClasses, 0
	for i := range n {
		blocks := int(min(lengthClass(length(msgs.at(i))), exactClasses))
		least, most = min(least, blocks), max(most, blocks)
	}
	group := least == most && msgs.whole != nil && k.groups(n, most)
	return n*(most-1) > 5+6*most || group && n*most >= 8+6*most
}

// part is a slice of blocks for each lane.
type part [manyMaxLanes][]byte

// add adds blocks to all lanes of groups of messages from the given one on: n
// from byte from of the part p on, then more from the part that follows it, and
// so on with two parts for each group. It returns how many of them it added,
// and may stop after any.
func (k manyKernel) add(p *part, area *manyArea, group, from, n, more, groups int) (done int) {
	slices, memory := (*[manyMaxLanes][]byte)(p), (*byte)(unsafe.Pointer(area))
	if k.lanes == 8 {
		return blocksManyAVX2(slices, memory, group, from, n, more, groups)
	}
	return blocksManyAVX512(slices, memory, group, from, n, more, groups)
}

// addSame adds a block that is the same in all lanes to a group: sums are its
// expanded words plus the constants of their steps.
func (k manyKernel) addSame(sums *[steps]uint32, area *manyArea, group int) {
	memory := (*byte)(unsafe.Pointer(area))
	if k.lanes == 8 {
		sameManyAVX2(sums, memory, group)
	} else {
		sameManyAVX512(sums, memory, group)
	}
}

// lanes are messages being hashed side by side.
type lanes struct {
	blocks  part              // what is left of the run at hand
	message [manyMaxLanes]int // or none
	cut     [manyMaxLanes]cutter
	buf     [manyMaxLanes]runBuffer
	grouped grouped
	area    *manyArea

	waiting [manySlots]int // messages of the slots in use
	known   int            // number of them
}

// none stands for a message that is no longer wanted.
const none = -1

// idleBlocks are what lanes without a message work on.
var idleBlocks [callBlocks / 8 * BlockSize]byte

// newLanes returns lanes without messages. It must not be inlined: the area is
// aligned, so it must stay where it is, on the heap.
//
//go:noinline
func newLanes() *lanes {
	memory := make([]byte, unsafe.Sizeof(manyArea{})+manyAlign)
	skip := -uintptr(unsafe.Pointer(&memory[0])) & (manyAlign - 1)
	return &lanes{area: (*manyArea)(unsafe.Pointer(&memory[skip]))}
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

	busy uint32 // lanes with a message, as bits
}

// fill sets each of out to the result of its message, or returns early if stop
// is closed.
//
// A message whose blocks survive the filter goes on at once; the blocks are
// rechecked some at a time. If one of them is an attack, the message is hashed
// again from its beginning, alone. So lanes never go back, and a message costs
// at most as much again as it does alone, whatever a stranger puts in it.
func (l *lanes) fill(c Config, k manyKernel, out []Result, msgs messages, o *order, stop <-chan struct{}) {
	f := filling{lanes: l, cfg: c, kernel: k, out: out, msgs: msgs, stop: stop, order: o}
	l.known, l.area.used = 0, 0 // the call before may have ended in a panic
	for n := range k.lanes {
		f.refill(n)
	}
	for bits.OnesCount32(f.busy) >= k.least && !stopped(stop) {
		f.advance()
	}
	f.finish()
	f.recheck()
	l.forget()
}

// take returns the next message.
func (f *filling) take() (message int, ok bool) {
	for len(f.rest) == 0 {
		if f.after == len(f.out) {
			return 0, false
		}
		f.first = f.after
		n := f.order.start(&f.msgs, f.first)
		f.after += n
		f.rest = f.order.window[:n]
		if n >= f.kernel.least && f.msgs.whole != nil {
			f.groups()
		}
	}
	message = f.first + int(f.rest[0])
	f.rest = f.rest[1:]
	return message, true
}

// refill gives a lane the next message, or lets it idle if there is none.
func (f *filling) refill(n int) {
	m, ok := f.take()
	if !ok {
		f.busy &^= 1 << n
		f.area.idle[n] = ^uint32(0)
		f.blocks[n] = idleBlocks[:]
		return
	}
	f.message[n] = m
	f.cut[n].start(f.msgs.at(m))
	f.blocks[n] = f.cut[n].next(&f.buf[n])
	for i, w := range initial {
		f.area.value[0][i][n] = w
	}
	f.area.idle[n] = 0
	f.busy |= 1 << n
}

// advance adds blocks to all lanes, until one of them has no more at hand.
func (f *filling) advance() {
	n := callBlocks / f.kernel.lanes
	for set := f.busy; set != 0; set &= set - 1 {
		n = min(n, len(f.blocks[bits.TrailingZeros32(set)])/BlockSize)
	}
	for done := 0; done < n; {
		done += f.kernel.add(&f.blocks, f.area, 0, done*BlockSize, n-done, 0, 1)
		f.survivors(f.message[:])
	}
	for set := f.busy; set != 0; set &= set - 1 {
		i := bits.TrailingZeros32(set)
		if f.message[i] == none {
			f.refill(i)
			continue
		}
		if b := f.blocks[i][n*BlockSize:]; len(b) > 0 {
			f.blocks[i] = b
			continue
		}
		if run := f.cut[i].next(&f.buf[i]); run != nil {
			f.blocks[i] = run
			continue
		}
		f.store(&f.area.value[0], i, f.message[i])
		f.refill(i)
	}
}

// store stores the chaining value of a lane as the result of its message.
func (f *filling) store(v *[5][manyMaxLanes]uint32, lane, message int) {
	d := &f.out[message].Digest
	lane %= manyMaxLanes
	binary.BigEndian.PutUint32(d[0:], v[0][lane])
	binary.BigEndian.PutUint32(d[4:], v[1][lane])
	binary.BigEndian.PutUint32(d[8:], v[2][lane])
	binary.BigEndian.PutUint32(d[12:], v[3][lane])
	binary.BigEndian.PutUint32(d[16:], v[4][lane])
	f.out[message].Err = nil
}

// forget keeps nothing of the caller's.
func (l *lanes) forget() {
	l.blocks = part{}
	l.grouped.parts = [manyGroups][2]part{}
	clear(l.cut[:])
}

// finish hashes what is left of the messages in lanes, one after the other.
func (f *filling) finish() {
	for set := f.busy; set != 0 && !stopped(f.stop); set &= set - 1 {
		n := bits.TrailingZeros32(set)
		if f.message[n] == none {
			continue
		}
		var s state
		for i := range s.h {
			s.h[i] = f.area.value[0][i][n]
		}
		f.cut[n].finish(&s, f.cfg, f.blocks[n], f.stop)
		f.out[f.message[n]].set(&s, f.cfg.Mode)
	}
}

// survivors notes whose blocks have come to slots, and rechecks them if many
// wait for it.
func (f *filling) survivors(message []int) {
	for ; f.known < int(f.area.used); f.known++ {
		m := message[f.area.owner[f.known]]
		f.waiting[f.known] = m
		if m == none {
			f.area.slot(f.known).clear()
		}
	}
	if f.known > manySlots-2*manyMaxLanes {
		f.recheck()
	}
}

// recheck rechecks the blocks in slots.
func (f *filling) recheck() {
	if f.kernel.attacked(f.area, 0, f.known) {
		for n, m := range f.waiting[:f.known] {
			if f.kernel.attacked(f.area, n, 1) {
				f.alone(m)
			}
		}
	}
	f.known, f.area.used = 0, 0
}

// alone hashes an attacked message alone, and drops what lanes have of it.
func (f *filling) alone(message int) {
	f.cfg.sumPieces(&f.out[message], f.msgs.at(message), f.stop)
	for n, m := range f.waiting[:f.known] {
		if m == message {
			f.area.slot(n).clear()
		}
	}
	f.drop(message)
}
