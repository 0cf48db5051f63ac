package sha1dc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// SelfTest checks that this processor runs every backend of the package as pure
// Go runs the same, and pure Go as published. It takes less than a tenth of a
// second on usual processors, changes nothing that other goroutines use, and may
// be called at any time, for instance when a service starts. The error names the
// backend that fails, and the case.
//
// For each backend in [Backends] it shows that
//   - messages of up to 40 blocks get the same chaining value as in pure Go;
//   - the filter keeps blocks that meet the conditions of a vector, and the
//     recheck that follows reports them, for each of the 32 vectors and in several
//     places of a message, alone and among others to recheck. No collisions are
//     known for 31 of the vectors, so the recheck is handed made-up message
//     differences, with which the block and its twin collide. The blocks are
//     such that a lane of a filter that dismisses any vector too many shows;
//   - the same blocks are no attacks with the true differences;
//   - the published collisions (SHAttered, SHA-mbles) are found where they are.
//
// For each kernel for many messages, which some backends share, it shows
//   - chaining values as in pure Go in every lane, of messages alone and in groups;
//   - every one of these blocks kept in every lane, with all that the recheck needs
//     of it, and the recheck, handed the chaining value of the true twin, finding
//     the attack, and none with the block's own;
//   - the published collisions found among other messages.
//
// For pure Go it shows the published digests, mitigated and not, and that the
// recheck of each vector accepts the true twin of a block and no other value.
//
// It does not show that a filter keeps every block that it must, since it tries
// six for each vector, nor that it dismisses most others; tests of the package do.
// It does not see faults that come and go.
func SelfTest() error {
	var subjects []subject
	for b := range generic {
		if b.runs(host) {
			subjects = append(subjects, subject{b.String(), b.suits(host), b.addWith})
		}
	}
	if err := selfTest(subjects); err != nil {
		return err
	}
	if err := testManyKernels(); err != nil {
		return err
	}
	return testPublic()
}

// subject is a backend under test.
type subject struct {
	name   string
	suited bool // to this processor; others may be a hundred times as slow
	add    func(h *[5]uint32, p []byte, dm *differences) (done int)
}

// publishedAttack is the head of a published message, and its digests.
type publishedAttack struct{ name, message, plain, mitigated string }

// offset is where the attacked block of m starts: it is the last.
func (m *publishedAttack) offset() int { return len(m.message) - BlockSize }

// publishedVector is the mask bit of the vector of all published attacks.
const publishedVector = 27

// selfTest checks pure Go, and then the subjects, which it is the measure of.
func selfTest(subjects []subject) error {
	if err := testGeneric(); err != nil {
		return fault(generic.String(), err)
	}
	for _, s := range subjects {
		for _, test := range []func(*subject) error{(*subject).testClean, (*subject).testVectors, (*subject).testPublished} {
			if err := test(&s); err != nil {
				return fault(s.name, err)
			}
		}
	}
	return nil
}

func fault(backend string, err error) error {
	return fmt.Errorf("self-test: backend %s: %w", backend, err)
}

// trial is a message, and the chaining values before each of its blocks and
// behind the last.
type trial struct {
	message []byte
	values  [][5]uint32
}

// newTrial returns the trial of a message of whole blocks.
func newTrial(message []byte) trial {
	var (
		w  [steps]uint32
		st testStates
	)
	h := initial
	t := trial{message, [][5]uint32{h}}
	for p := message; len(p) > 0; p = p[BlockSize:] {
		compressGeneric(&h, (*[BlockSize]byte)(p), &w, &st)
		t.values = append(t.values, h)
	}
	return t
}

// run adds blocks from to to of the trial to the chaining value before them. The
// first attack with the differences dm is in block at, or at is to.
func (s *subject) run(t *trial, from, to, at int, dm *differences) error {
	h := t.values[from]
	done := s.add(&h, t.message[from*BlockSize:to*BlockSize], dm) / BlockSize
	stop := from + done
	switch {
	case stop < from || stop > to:
		return fmt.Errorf("%d of %d blocks added", done, to-from)
	case h != t.values[stop]:
		return fmt.Errorf("chaining value %08x after %d blocks, want %08x", h, done, t.values[stop])
	case stop > at:
		return fmt.Errorf("no attack found in block %d of %d", at-from, to-from)
	case at == to && stop < to || stop <= at-chunkBlocks:
		return fmt.Errorf("an attack found that is none, within %d blocks from block %d of %d", chunkBlocks, done, to-from)
	}
	return nil
}

// testClean hashes messages of all short lengths. In one, every block has to be
// rechecked, in the other none.
func (s *subject) testClean() error {
	const most = 40
	kept, clear := newTrial([]byte(keptBlocks)), newTrial(bytes.Repeat([]byte(clearBlock), most))
	stride := 1
	if !s.suited {
		stride = 9
	}
	for n := 1; n <= most; n += stride {
		if err := s.run(&kept, 3*n, 4*n, 4*n, &messageDifferences); err != nil {
			return fmt.Errorf("message without an attack: %w", err)
		}
		if err := s.run(&clear, 0, n, n, &messageDifferences); err != nil {
			return fmt.Errorf("message without an attack: %w", err)
		}
	}
	return nil
}

// testVectors makes attacks of the blocks kept for each vector.
func (s *subject) testVectors() error {
	const vectors = len(disturbanceVectors)
	const clear = 2*chunkBlocks + 9 // blocks of the message in which one survives
	const lanes = 8                 // blocks that some kernels take at once
	// In the first chunk, in the middle, at either end of one, in the last, and in
	// what is left for kernels that take eight blocks at once.
	positions := [...]int{0, 1, chunkBlocks - 1, chunkBlocks, chunkBlocks + 5, 2*chunkBlocks - 1, 2 * chunkBlocks, clear - 1}
	kept := newTrial([]byte(keptBlocks))
	sets := len(keptBlocks) / BlockSize / vectors
	dm := messageDifferences
	for dv := range vectors {
		// attack runs blocks of a trial with the one at position made an attack.
		attack := func(t *trial, from, to, at int) error {
			dm[dv] = t.collide(at, dv)
			if err := s.run(t, from, to, at, &dm); err != nil {
				return fmt.Errorf("attack with %v in block %d: %w", disturbanceVectors[dv].dv, at-from, err)
			}
			return nil
		}
		for set := range sets {
			at := set*vectors + dv
			if err := attack(&kept, at, at+1, at); err != nil {
				return err
			}
		}
		for lane := range lanes {
			if at := vectors + dv; s.suited || lane == dv%lanes {
				if err := attack(&kept, at-lane, at-lane+lanes, at); err != nil {
					return err
				}
			}
		}
		for n, position := range positions {
			if !s.suited && n != dv%len(positions) {
				continue
			}
			at := n%sets*vectors + dv
			alone := bytes.Repeat([]byte(clearBlock), clear)
			copy(alone[position*BlockSize:], keptBlocks[at*BlockSize:][:BlockSize])
			t := newTrial(alone)
			if err := attack(&t, 0, clear, position); err != nil {
				return err
			}
			if !s.suited || n%2 != 0 {
				continue
			}
			from := max(0, at-position)
			if err := attack(&kept, from, min(from+clear, len(kept.values)-1), at); err != nil {
				return err
			}
		}
		dm[dv] = messageDifferences[dv]
	}
	return nil
}

// collide returns message differences with which a block of the trial and its
// twin, for the vector with mask bit dv, have the same outgoing chaining value.
// They are zero where the vector's are and both messages share their state. They
// are arbitrary elsewhere, but for the last five before, which lead the twin to
// that state.
func (t *trial) collide(block, dv int) (dm [steps]uint32) {
	var (
		w  [steps]uint32
		st testStates
	)
	in, out := t.values[block], t.values[block]
	compressGeneric(&out, (*[BlockSize]byte)(t.message[block*BlockSize:]), &w, &st)
	run := func(s [5]uint32, from, to int) [5]uint32 {
		for t := from; t < to; t++ {
			s = [5]uint32{
				s[4] + (w[t] ^ dm[t]) + roundFunc(t, s[1], s[2], s[3]) + bits.RotateLeft32(s[0], 5),
				s[0], bits.RotateLeft32(s[1], 30), s[2], s[3],
			}
		}
		return s
	}
	lo := disturbanceVectors[dv].testStep
	for messageDifferences[dv][lo-1] == 0 {
		lo--
	}
	shared := run(in, 0, lo)
	for t := range dm {
		dm[t] = (uint32(t) + in[0] | 1) * 0x9e3779b9 // neither zero nor alike
	}
	for t := lo; messageDifferences[dv][t] == 0; t++ {
		dm[t] = 0
	}
	s := run(shared, lo, steps)
	for n := range s {
		s[n] = out[n] - s[n]
	}
	first := lo - len(shared)
	s = run(s, 0, first)
	// The words of a state are what the last five steps added, the older ones
	// rotated.
	for n := range shared {
		want := shared[len(shared)-1-n]
		if n < 3 {
			want = bits.RotateLeft32(want, 2)
		}
		dm[first+n] = w[first+n]
		dm[first+n] ^= want - run(s, first+n, first+n+1)[0]
		s = run(s, first+n, first+n+1)
	}
	return dm
}

// testPublished looks for the published attacks.
func (s *subject) testPublished() error {
	for _, m := range publishedAttacks {
		t := newTrial([]byte(m.message + clearBlock))
		n := len(t.values) - 1
		if err := s.run(&t, 0, n, m.offset()/BlockSize, &messageDifferences); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// testGeneric compares pure Go with what is published, and its rechecks with
// twins.
func testGeneric() error {
	for _, m := range publishedAttacks {
		t := newTrial(padded(m.message))
		s := state{h: t.values[len(t.values)-1]}
		if got := s.digest(Mitigate); string(got[:]) != m.plain {
			return fmt.Errorf("%s: SHA-1 %x, want %x", m.name, got, m.plain)
		}
		s = state{h: initial}
		end := m.offset() + BlockSize
		s.chunk(Config{}, t.message[:end], end, 0)
		if !s.found || s.dv != publishedVector || s.offset != uint64(m.offset()) {
			return fmt.Errorf("%s: the attack is not found", m.name)
		}
		s.chunk(Config{}, t.message[end:], len(t.message)-end, uint64(end))
		if got := s.digest(Mitigate); string(got[:]) != m.mitigated {
			return fmt.Errorf("%s: mitigated digest %x, want %x", m.name, got, m.mitigated)
		}
	}
	for dv := range disturbanceVectors {
		if err := testGenericVector(dv); err != nil {
			return fmt.Errorf("%v: %w", disturbanceVectors[dv].dv, err)
		}
	}
	return nil
}

// testGenericVector filters and rechecks the crafted block of a vector.
func testGenericVector(dv int) error {
	var (
		block, twinBlock [BlockSize]byte
		w, twinW         [steps]uint32
		st, twinSt       testStates
	)
	copy(block[:], keptBlocks[dv*BlockSize:])
	in, out := initial, initial
	compressGeneric(&out, &block, &w, &st)
	if mask := filterGeneric(&w); mask != 1<<dv {
		return fmt.Errorf("the filter keeps %08x, want %08x", mask, uint32(1)<<dv)
	}
	twinIn, twinOut := twin(dv, &w, &st)
	for t, d := range messageDifferences[dv][:BlockSize/4] {
		binary.BigEndian.PutUint32(twinBlock[4*t:], w[t]^d)
	}
	end := twinIn
	compressGeneric(&end, &twinBlock, &twinW, &twinSt)
	if end != twinOut {
		return errors.New("the twin block does not lead where its recheck says")
	}
	if _, ok := attacked(1<<dv, &w, &st, &in, &out, false); ok {
		return errors.New("the recheck accepts a block that is no attack")
	}
	if _, ok := attacked(1<<dv, &w, &st, &in, &twinOut, false); !ok {
		return errors.New("the recheck refuses a true twin")
	}
	for n := range twinOut {
		off := twinOut
		off[n] ^= 1 << dv
		if _, ok := attacked(1<<dv, &w, &st, &in, &off, false); ok {
			return errors.New("the recheck accepts a twin that is none")
		}
	}
	return nil
}

// padded returns a message with its padding.
func padded(message string) []byte {
	buf := make([]byte, len(message)+padding+BlockSize)
	return buf[:pad(buf, []byte(message), uint64(len(message)))]
}

// testPublic hashes the published attacks as users do, with the backend in use.
func testPublic() error {
	for _, m := range publishedAttacks {
		for _, c := range []Config{{Mode: Mitigate}, {Mode: DetectOnly}} {
			want := m.mitigated
			if c.Mode == DetectOnly {
				want = m.plain
			}
			digest, err := c.Sum([]byte(m.message))
			var e *CollisionError
			if string(digest[:]) != want || !errors.As(err, &e) || e.Offset != int64(m.offset()) {
				return fault(active.String(), fmt.Errorf("%s: %x and error %v in mode %v, want %x and the attack", m.name, digest, err, c.Mode, want))
			}
		}
	}
	return nil
}
