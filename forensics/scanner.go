package forensics

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/sha1dc/go/sha1dc"
)

// A scanner is the finder that uses the runtime, at its full speed.
//
// A Digest reports the first attack only, and looks for others on the mitigated
// chain. So the scanner starts new ones, from chaining values: one on the plain
// chain behind every attack, and one on the mitigated chain behind the first.
type scanner struct {
	config    sha1dc.Config
	plain     *sha1dc.Digest // without an attack yet
	mitigated *sha1dc.Digest // nil while the chains are one
	end       int64          // bytes given to plain
	saved     []byte         // scratch for states
}

func newScanner(reducedRounds bool) *scanner {
	c := sha1dc.Config{ReducedRounds: reducedRounds}
	return &scanner{config: c, plain: c.New()}
}

func (s *scanner) next(blocks []byte) (hit, bool) {
	if s.mitigated != nil {
		s.mitigated.Write(blocks)
	}
	h, ok := s.scan(blocks)
	if ok && s.mitigated == nil {
		s.mitigated = s.start(s.chain(), s.end) // behind the attack, as the digest goes on
	}
	return h, ok
}

func (s *scanner) resume(h ChainingValue, offset int64, rest []byte) (hit, bool) {
	s.plain, s.end = s.start(h, offset), offset
	return s.scan(rest)
}

// scan returns the first attack in blocks. An attack behind their end is one on
// the padding that would follow if the message ended there, and none on it.
func (s *scanner) scan(blocks []byte) (hit, bool) {
	s.plain.Write(blocks)
	s.end += int64(len(blocks))
	var e *sha1dc.CollisionError
	if errors.As(s.plain.Err(), &e) && e.Offset < s.end {
		return hit{e.Offset, e.DV}, true
	}
	return hit{}, false
}

// The places of what the scanner reads and writes in a Digest's saved state,
// version 1. Restoring a state of another size or version is an error.
const (
	stateChain = 19 // chaining value
	stateLen   = 123
	stateCheck = 131 // CRC-32 of all before
	stateSize  = 135
)

// save returns the saved state of d.
func (s *scanner) save(d *sha1dc.Digest) []byte {
	var err error
	if s.saved, err = d.AppendBinary(s.saved[:0]); err != nil || len(s.saved) != stateSize {
		panic("the saved state of a Digest is not as expected") // tests would show
	}
	return s.saved
}

func (s *scanner) chain() (h ChainingValue) {
	state := s.save(s.plain)
	for n := range h {
		h[n] = binary.BigEndian.Uint32(state[stateChain+4*n:])
	}
	return h
}

// start returns a digest at a block boundary of a message.
func (s *scanner) start(h ChainingValue, offset int64) *sha1dc.Digest {
	d := s.config.New()
	state := s.save(d)
	for n, w := range h {
		binary.BigEndian.PutUint32(state[stateChain+4*n:], w)
	}
	binary.BigEndian.PutUint64(state[stateLen:], uint64(offset))
	binary.BigEndian.PutUint32(state[stateCheck:], crc32.ChecksumIEEE(state[:stateCheck]))
	if err := d.UnmarshalBinary(state); err != nil {
		panic(err) // tests would show
	}
	return d
}

func (s *scanner) sums(tail []byte) (plain, mitigated [sha1dc.Size]byte) {
	d := *s.plain
	d.Write(tail)
	d.Sum(plain[:0])
	mitigated = plain
	var e *sha1dc.CollisionError
	if errors.As(d.Err(), &e) { // in the padding
		plain = e.Plain
	}
	if s.mitigated != nil {
		d = *s.mitigated
		d.Write(tail)
		d.Sum(mitigated[:0])
	}
	return plain, mitigated
}
