//go:build gc && !purego && !noasm

package sha1dc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// manySubject is a kernel for many messages under test.
type manySubject struct {
	name     string // of the backend
	kernel   manyKernel
	add      func(p *part, area *manyArea, group, from, n, more, groups int) (done int)
	addSame  func(sums *[steps]uint32, area *manyArea, group int)
	attacked func(area *manyArea, first, n int) bool
}

// subject returns the kernel as it is.
func (k manyKernel) subject(backend string) manySubject {
	return manySubject{backend, k, k.add, k.addSame, k.attacked}
}

// testManyKernels checks the kernels for many messages that this processor can
// run, each once, in the name of the first backend that has it.
func testManyKernels() error {
	type kind struct {
		lanes int
		shani bool
	}
	blocks := newManyBlocks()
	seen := make(map[kind]bool)
	for b := range generic {
		k, ok := b.manyKernel()
		if !ok || !b.runs(host) || seen[kind{k.lanes, k.shani}] {
			continue
		}
		seen[kind{k.lanes, k.shani}] = true
		s := k.subject(b.String())
		if err := s.test(blocks); err != nil {
			return err
		}
	}
	return nil
}

// test runs all tests of a kernel.
func (s *manySubject) test(blocks *manyBlocks) error {
	t := manyTest{manySubject: s, blocks: blocks, lanes: newLanes()}
	for _, test := range []func() error{t.testRecords, t.testRuns, t.testGroups, t.testSame, t.testPublished} {
		if err := test(); err != nil {
			return fault(s.name, fmt.Errorf("kernel for %d messages: %w", s.kernel.lanes, err))
		}
	}
	return nil
}

// manyBlock is a block and what pure Go makes of it.
type manyBlock struct {
	bytes   []byte
	in, out [5]uint32
	w       [steps]uint32
	st      testStates
	mask    uint32    // the vector kept, as a bit, or none
	twin    [5]uint32 // outgoing chaining value with which it is an attack
}

// newManyBlock returns the block number n of keptBlocks, or the one that filters
// dismiss if n is clearNumber.
func newManyBlock(n int, in [5]uint32) *manyBlock {
	b := &manyBlock{bytes: []byte(clearBlock), in: in, out: in}
	vectors := len(disturbanceVectors)
	if n != clearNumber {
		b.bytes = []byte(keptBlocks[n*BlockSize:][:BlockSize])
		b.mask = 1 << (n % vectors)
	}
	compressGeneric(&b.out, (*[BlockSize]byte)(b.bytes), &b.w, &b.st)
	if n != clearNumber {
		_, b.twin = twin(n%vectors, &b.w, &b.st)
	}
	return b
}

const clearNumber = -1

// manyBlocks are the blocks kept for each vector, at the beginning of a message.
type manyBlocks [len(keptBlocks) / BlockSize]*manyBlock

func newManyBlocks() *manyBlocks {
	var all manyBlocks
	for n := range all {
		all[n] = newManyBlock(n, initial)
	}
	return &all
}

// manyTest is a test of a kernel, and the memory that it works in.
type manyTest struct {
	*manySubject
	blocks *manyBlocks
	lanes  *lanes

	// Blocks in lanes, counting those of all groups, in order.
	message [manyGroups * manyMaxLanes][]*manyBlock
}

// put appends a block to the message of a lane.
func (t *manyTest) put(lane, number int) {
	m := &t.message[lane]
	in := initial
	if n := len(*m); n > 0 {
		in = (*m)[n-1].out
	}
	if number != clearNumber && in == initial {
		*m = append(*m, t.blocks[number])
		return
	}
	*m = append(*m, newManyBlock(number, in))
}

// start empties the lanes and slots.
func (t *manyTest) start() {
	t.message = [manyGroups * manyMaxLanes][]*manyBlock{}
	a := t.lanes.area
	a.used, a.idle = 0, [manyMaxLanes]uint32{}
	for group := range a.value {
		a.value[group] = initialRows
	}
}

// part returns the blocks from the given one on of a group's messages.
func (t *manyTest) part(group, first int) (p part) {
	for lane := range t.kernel.lanes {
		for _, b := range t.message[group*manyMaxLanes+lane][first:] {
			p[lane] = append(p[lane], b.bytes...)
		}
	}
	return p
}

// values checks the chaining values of a group after so many blocks of it.
func (t *manyTest) values(group, done int) error {
	for lane := range t.kernel.lanes {
		want := initial
		if done > 0 {
			want = t.message[group*manyMaxLanes+lane][done-1].out
		}
		for i, w := range want {
			if have := t.lanes.area.value[group][i][lane]; have != w {
				return fmt.Errorf("word %d of the chaining value of lane %d is %08x after %d blocks, want %08x", i, lane, have, done, w)
			}
		}
	}
	return nil
}

// slots checks the slots: they must have the blocks kept of those from first to
// end of the messages of a group, and of no idle lane. They are empty then.
func (t *manyTest) slots(group, first, end int) error {
	a := t.lanes.area
	var left [manyMaxLanes]uint64 // blocks still to be found
	for lane := range t.kernel.lanes {
		for n := first; n < end; n++ {
			if t.message[group*manyMaxLanes+lane][n].mask&^a.idle[lane] != 0 {
				left[lane] |= 1 << n
			}
		}
	}
	if a.used > manySlots {
		return fmt.Errorf("%d slots in use of %d", a.used, manySlots)
	}
	used := int(a.used)
	for n := range used {
		owner := int(a.owner[n])
		if owner/manyMaxLanes != group || owner%manyMaxLanes >= t.kernel.lanes {
			return fmt.Errorf("a block of lane %d kept", owner)
		}
		lane := owner % manyMaxLanes
		w, st, out := a.slot(n).expand()
		found := false
		for i, b := range t.message[owner] {
			if left[lane]>>i&1 == 0 || b.w != w {
				continue
			}
			left[lane] &^= 1 << i
			found = true
			if a.slot(n).word(manySlotMask) != b.mask || out != b.out || st != b.st {
				return fmt.Errorf("lane %d: another vector, state or chaining value kept of a block for %v", lane, vectorOf(b.mask))
			}
			if err := t.recheck(n, b); err != nil {
				return fmt.Errorf("lane %d, %v: %w", lane, vectorOf(b.mask), err)
			}
			break
		}
		if !found {
			return fmt.Errorf("lane %d: a block kept that is another, or should not be", lane)
		}
	}
	for lane := range t.kernel.lanes {
		if left[lane] != 0 {
			b := t.message[group*manyMaxLanes+lane][bits.TrailingZeros64(left[lane])]
			return fmt.Errorf("lane %d: a block dismissed that meets the conditions of %v", lane, vectorOf(b.mask))
		}
	}
	if t.attacked(a, 0, used) {
		return errors.New("an attack found that is none")
	}
	a.used = 0
	return nil
}

func vectorOf(mask uint32) DV {
	for n := range disturbanceVectors {
		if mask>>n&1 != 0 {
			return disturbanceVectors[n].dv
		}
	}
	return DV{}
}

// recheck makes an attack of the block in a slot, and no attack again.
func (t *manyTest) recheck(n int, b *manyBlock) error {
	slot := t.lanes.area.slot(n)
	slot.setOut(&b.twin)
	hit := t.attacked(t.lanes.area, n, 1)
	slot.setOut(&b.out)
	if !hit {
		return errors.New("no attack found")
	}
	return nil
}

// setOut sets the outgoing chaining value.
func (s manySlot) setOut(out *[5]uint32) {
	for n := range 4 {
		binary.LittleEndian.PutUint32(s[manySlotOut+4*(3-n):], out[n])
	}
	binary.LittleEndian.PutUint32(s[manySlotOutE:], out[4])
}

// testRecords hashes messages of one block, which is kept in each lane: every
// block in every lane, of several groups.
func (t *manyTest) testRecords() error {
	vectors := len(disturbanceVectors)
	for shift := range t.blocks {
		group := shift % manyGroups
		t.start()
		for lane := range t.kernel.lanes {
			t.put(group*manyMaxLanes+lane, (shift+lane*(vectors+1))%len(t.blocks))
			if shift%7 == 0 {
				t.lanes.area.idle[lane] = -uint32((lane + shift/7) % 2)
			}
		}
		p := t.part(group, 0)
		if done := t.add(&p, t.lanes.area, group, 0, 1, 0, 1); done != 1 {
			return fmt.Errorf("%d blocks added, want 1", done)
		}
		if err := errors.Join(t.values(group, 1), t.slots(group, 0, 1)); err != nil {
			return err
		}
	}
	return nil
}

// testRuns hashes a message in each lane, of which all blocks are kept, or few,
// or none.
func (t *manyTest) testRuns() error {
	const blocks = 13
	for _, stride := range []int{1, 2, 5, blocks, blocks * manyMaxLanes} {
		t.start()
		for lane := range t.kernel.lanes {
			for n := range blocks {
				number := clearNumber
				if (lane*blocks+n)%stride == stride-1 {
					number = (lane*blocks + n) % len(t.blocks)
				}
				t.put(lane, number)
			}
		}
		p := t.part(0, 0)
		for from := 0; from < blocks; {
			done := t.add(&p, t.lanes.area, 0, from*BlockSize, blocks-from, 0, 1)
			if done < 1 || done > blocks-from {
				return fmt.Errorf("%d of %d blocks added", done, blocks-from)
			}
			if err := errors.Join(t.values(0, from+done), t.slots(0, from, from+done)); err != nil {
				return err
			}
			from += done
		}
	}
	return nil
}

// testGroups hashes groups of messages in two parts, in which one block is kept.
func (t *manyTest) testGroups() error {
	const first, groups, n, more = 1, 3, 2, 1
	for at := range groups * (n + more) {
		t.start()
		for group := first; group < first+groups; group++ {
			for lane := range t.kernel.lanes {
				for i := range n + more {
					number := clearNumber
					if (group-first)*(n+more)+i == at && lane == at%t.kernel.lanes {
						number = at
					}
					t.put(group*manyMaxLanes+lane, number)
				}
			}
		}
		var parts [groups][2]part
		for i := range parts {
			parts[i] = [2]part{t.part(first+i, 0), t.part(first+i, n)}
		}
		if done := t.add(&parts[0][0], t.lanes.area, first, 0, n, more, groups); done != groups*(n+more) {
			return fmt.Errorf("%d blocks added to groups, want %d", done, groups*(n+more))
		}
		for i := range groups {
			if err := t.values(first+i, n+more); err != nil {
				return err
			}
		}
		if err := t.slots(first+at/(n+more), 0, n+more); err != nil {
			return fmt.Errorf("groups: %w", err)
		}
	}
	return nil
}

// testSame adds the same block to all lanes.
func (t *manyTest) testSame() error {
	b, sums := newManyBlock(clearNumber, initial), [steps]uint32{}
	for i, w := range b.w {
		sums[i] = w + [4]uint32{k0, k1, k2, k3}[i/20]
	}
	for group := range manyGroups {
		t.start()
		for lane := range t.kernel.lanes {
			t.put(group*manyMaxLanes+lane, lane)
			t.put(group*manyMaxLanes+lane, clearNumber)
			for i, w := range t.message[group*manyMaxLanes+lane][0].out {
				t.lanes.area.value[group][i][lane] = w
			}
		}
		t.addSame(&sums, t.lanes.area, group)
		if err := t.values(group, 2); err != nil {
			return fmt.Errorf("the same block in all lanes: %w", err)
		}
	}
	return nil
}

// testPublished hashes the published attacks in lanes among other messages, once
// of the same length, as groups, and once of others.
func (t *manyTest) testPublished() error {
	var o order
	for _, m := range publishedAttacks {
		for n := range 4 {
			var msgs [][]byte
			for i := range t.kernel.lanes + n {
				msgs = append(msgs, []byte(keptBlocks[:len(m.message)-n%2*i*3]))
			}
			at := (5 * n) % len(msgs)
			msgs[at] = []byte(m.message)
			out := make([]Result, len(msgs))
			t.lanes.fill(Config{Mode: Mitigate}.normal(), t.kernel, out, messages{whole: msgs}, &o, nil)
			for i := range out {
				var e *CollisionError
				attack := errors.As(out[i].Err, &e)
				switch {
				case attack != (i == at):
					return fmt.Errorf("%s in lane %d: message %d is an attack: %v", m.name, at, i, attack)
				case attack && (string(out[i].Digest[:]) != m.mitigated || e.Offset != int64(m.offset())):
					return fmt.Errorf("%s in lane %d: digest %x, want %x", m.name, at, out[i].Digest, m.mitigated)
				case !attack:
					v := newTrial(padded(string(msgs[i]))).values
					s := state{h: v[len(v)-1]}
					if want := s.digest(Mitigate); out[i].Digest != want {
						return fmt.Errorf("message of %d bytes beside %s: digest %x, want %x", len(msgs[i]), m.name, out[i].Digest, want)
					}
				}
			}
		}
	}
	return nil
}
