//go:build gc && !purego && !noasm

package sha1dc

import "encoding/binary"

// A group is as many short messages as there are lanes, all with the same
// number of blocks. It begins and ends together, so that it needs less care for
// each message than lanes that are refilled.
type group struct {
	parts   [2]part           // whole blocks of the message, and the rest with the padding
	message [manyMaxLanes]int // or none
	tail    [manyMaxLanes][2 * BlockSize]byte
}

// initialRows are the chaining values of messages that begin.
var initialRows = func() (rows [5][manyMaxLanes]uint32) {
	for i := range rows {
		for n := range rows[i] {
			rows[i][n] = initial[i]
		}
	}
	return rows
}()

// groups hashes the groups of the window, and leaves the other messages to the
// lanes, whose state it keeps.
func (f *filling) groups() {
	value, idle := f.area.value, f.area.idle
	f.area.idle = [manyMaxLanes]uint32{}
	lanes, kept := f.kernel.lanes, 0
	for at := 0; at < len(f.rest); {
		class := f.order.class[f.rest[at]]
		if class < exactClasses && at+lanes <= len(f.rest) && f.order.class[f.rest[at+lanes-1]] == class {
			f.group(f.rest[at:at+lanes], int(class))
			at += lanes
			continue
		}
		f.rest[kept] = f.rest[at]
		kept++
		at++
	}
	f.rest = f.rest[:kept]
	f.area.value, f.area.idle = value, idle
}

// group hashes messages of the window that all have the given number of blocks.
func (f *filling) group(messages []uint16, blocks int) {
	g := &f.grouped
	whole := blocks
	for n, m := range messages {
		message := f.first + int(m)
		p := f.msgs.whole[message]
		g.message[n] = message
		g.parts[0][n] = p
		whole = min(whole, len(p)/BlockSize)
	}
	for n, p := range g.parts[0][:len(messages)] {
		t := &g.tail[n]
		*t = [2 * BlockSize]byte{}
		rest := copy(t[:], p[whole*BlockSize:])
		t[rest] = 0x80
		binary.BigEndian.PutUint64(t[(blocks-whole)*BlockSize-8:], uint64(len(p))<<3)
		g.parts[1][n] = t[:]
	}
	f.area.value = initialRows
	f.add(&g.parts, &g.message, whole, blocks-whole)
	for n, m := range g.message[:len(messages)] {
		if m != none {
			f.store(n, m)
		}
	}
}

// drop lets no lane store a result of a message. The lane goes on as before
// until its blocks end.
func (l *lanes) drop(message int) {
	for n := range l.message {
		if l.message[n] == message {
			l.message[n] = none
		}
		if l.grouped.message[n] == message {
			l.grouped.message[n] = none
		}
	}
}
