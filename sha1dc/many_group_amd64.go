//go:build gc && !purego && !noasm

package sha1dc

import "encoding/binary"

// A group is as many short messages as there are lanes, or somewhat fewer, all
// with the same number of blocks. Groups begin and end together, and several are
// hashed in one call, so that their messages need less care than those of lanes
// that are refilled.
type grouped struct {
	parts   [manyGroups][2]part            // whole blocks of the messages, and the rest with the padding
	message [manyGroups * manyMaxLanes]int // or none
	tail    [manyGroups * manyMaxLanes][2 * BlockSize]byte
	last    lastBlock
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

// groups hashes what groups there are in the window, and leaves the other
// messages to the lanes, whose state it keeps.
func (f *filling) groups() {
	value, idle := f.area.value[0], f.area.idle
	f.area.idle = [manyMaxLanes]uint32{}
	lanes, kept := f.kernel.lanes, 0
	for rest := f.rest; len(rest) > 0 && !stopped(f.stop); {
		class := f.order.class[rest[0]]
		same, most := 1, min(len(rest), lanes*manyGroups)
		for same < most && f.order.class[rest[same]] == class {
			same++
		}
		n := 0
		if class < exactClasses {
			n = min(same/lanes, callBlocks/(lanes*int(class))) * lanes
			if n == 0 && f.kernel.groups(same, int(class)) {
				n = same
			}
		}
		if n > 0 {
			f.hashGroups(rest[:n], int(class))
			if n < lanes {
				f.area.idle = [manyMaxLanes]uint32{}
			}
			rest = rest[n:]
			continue
		}
		kept += copy(f.rest[kept:], rest[:same])
		rest = rest[same:]
	}
	f.rest = f.rest[:kept]
	f.area.value[0], f.area.idle = value, idle
}

// groups reports whether it pays to hash n messages of so many blocks, which are
// fewer than there are lanes, as a group. The care of some eight messages in lanes
// that are refilled costs as much as a block in all lanes, of which others could
// fill those that stay idle.
func (k manyKernel) groups(n, blocks int) bool {
	return n >= k.least && n*k.lanes >= 8*blocks*(k.lanes-n)
}

// hashGroups hashes messages of the window that all have the given number of
// blocks: those of whole groups, or those of one that leaves lanes idle.
func (f *filling) hashGroups(messages []uint16, blocks int) {
	g, lanes := &f.grouped, f.kernel.lanes
	least, most := f.lengths(messages)
	whole := least / BlockSize
	groups := max(len(messages)/lanes, 1)
	// The last block of messages of the same length is the same if nothing of
	// them is in it.
	last := least == most && least%BlockSize == 0 && g.last.of(least)
	for i := range groups {
		f.area.value[i] = initialRows
		for n, m := range messages[i*lanes : min((i+1)*lanes, len(messages))] {
			message, at := f.first+int(m), i*manyMaxLanes+n
			p := f.msgs.whole[message]
			g.message[at] = message
			g.parts[i][0][n] = p
			if last {
				continue
			}
			t := &g.tail[at]
			*t = [2 * BlockSize]byte{}
			t[copy(t[:], p[whole*BlockSize:])] = 0x80
			binary.BigEndian.PutUint64(t[(blocks-whole)*BlockSize-8:], uint64(len(p))<<3)
			g.parts[i][1][n] = t[:]
		}
	}
	if len(messages) < lanes {
		f.idle(len(messages))
	}
	if last {
		blocks--
	}
	for done := 0; done < groups*blocks; {
		done += f.addGroups(done, groups, whole, blocks)
		f.survivors(g.message[:])
	}
	for i := range groups {
		if last {
			f.kernel.addSame(&g.last.sums, f.area, i)
		}
		for n, m := range g.message[i*manyMaxLanes:][:lanes] {
			if m != none {
				f.store(&f.area.value[i], n, m)
			}
		}
	}
}

// idle lets the lanes from n on idle in the first group.
func (f *filling) idle(n int) {
	g := &f.grouped
	for ; n < f.kernel.lanes; n++ {
		g.message[n] = none
		g.parts[0][0][n], g.parts[0][1][n] = idleBlocks[:], idleBlocks[:]
		f.area.idle[n] = ^uint32(0)
	}
}

// lengths returns the least and the most bytes of messages of the window.
func (f *filling) lengths(messages []uint16) (least, most int) {
	least = len(f.msgs.whole[f.first+int(messages[0])])
	most = least
	for _, m := range messages {
		n := len(f.msgs.whole[f.first+int(m)])
		least, most = min(least, n), max(most, n)
	}
	return least, most
}

// lastBlock is the last block of messages of a length that is a multiple of
// BlockSize: padding and nothing else.
type lastBlock struct {
	known  bool
	length int
	clean  bool          // it is no attack, whatever came before
	sums   [steps]uint32 // expanded words plus the constants of their steps
}

// of makes b the last block of messages of the given length, and reports
// whether it is no attack.
func (b *lastBlock) of(length int) bool {
	if b.known && b.length == length {
		return b.clean
	}
	var (
		block [BlockSize]byte
		h     [5]uint32
		w     [steps]uint32
		st    testStates
	)
	pad(block[:], nil, uint64(length))
	compressGeneric(&h, &block, &w, &st)
	b.known, b.length, b.clean = true, length, filterGeneric(&w) == 0
	for t, word := range w {
		b.sums[t] = word + [4]uint32{k0, k1, k2, k3}[t/20]
	}
	return b.clean
}

// addGroups adds blocks to groups of which so many blocks are done, and returns
// how many it added. The first of each group, whole ones, are where the message
// is.
func (f *filling) addGroups(done, groups, whole, blocks int) int {
	i, at := done/blocks, done%blocks
	left := groups - i
	if at > 0 {
		left = 1 // what is left of a group comes alone
	}
	parts := &f.grouped.parts[i]
	if at >= whole {
		return f.kernel.add(&parts[1], f.area, i, (at-whole)*BlockSize, blocks-at, 0, left)
	}
	return f.kernel.add(&parts[0], f.area, i, at*BlockSize, whole-at, blocks-whole, left)
}

// drop lets no lane store a result of a message. The lane goes on as before
// until its blocks end.
func (l *lanes) drop(message int) {
	for n, m := range l.message {
		if m == message {
			l.message[n] = none
		}
	}
	for n, m := range l.grouped.message {
		if m == message {
			l.grouped.message[n] = none
		}
	}
}
