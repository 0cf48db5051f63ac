package forensics

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/sha1dc/go/sha1dc"
)

// A scanner is the finder that uses the runtime, at its full speed.
//
// A Digest reports the first attack only, and goes on with the mitigated
// chaining value. So the scanner starts a new one behind every attack, with the
// plain chaining value.
type scanner struct {
	config sha1dc.Config
	digest *sha1dc.Digest // of what came since the latest attack
	whole  *sha1dc.Digest // of everything, once there was an attack
	end    int64          // bytes given to digest
	saved  []byte         // scratch for states
}

func newScanner(reducedRounds bool) *scanner {
	c := sha1dc.Config{ReducedRounds: reducedRounds}
	return &scanner{config: c, digest: c.New()}
}

func (s *scanner) next(blocks []byte) (hit, bool) {
	if s.whole != nil {
		s.whole.Write(blocks)
	}
	h, ok := s.scan(blocks)
	if ok && s.whole == nil {
		whole := *s.digest
		s.whole = &whole
	}
	return h, ok
}

func (s *scanner) resume(h ChainingValue, offset int64, rest []byte) (hit, bool) {
	s.restart(h, offset)
	return s.scan(rest)
}

// scan returns the first attack in blocks. An attack behind their end is one on
// the padding that would follow if the message ended there, and none on it.
func (s *scanner) scan(blocks []byte) (hit, bool) {
	s.digest.Write(blocks)
	s.end += int64(len(blocks))
	var e *sha1dc.CollisionError
	if errors.As(s.digest.Err(), &e) && e.Offset < s.end {
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
	state := s.save(s.digest)
	for n := range h {
		h[n] = binary.BigEndian.Uint32(state[stateChain+4*n:])
	}
	return h
}

// restart starts a new digest at a block boundary of the message.
func (s *scanner) restart(h ChainingValue, offset int64) {
	s.digest = s.config.New()
	state := s.save(s.digest)
	for n, w := range h {
		binary.BigEndian.PutUint32(state[stateChain+4*n:], w)
	}
	binary.BigEndian.PutUint64(state[stateLen:], uint64(offset))
	binary.BigEndian.PutUint32(state[stateCheck:], crc32.ChecksumIEEE(state[:stateCheck]))
	if err := s.digest.UnmarshalBinary(state); err != nil {
		panic(err) // tests would show
	}
	s.end = offset
}

func (s *scanner) sums(tail []byte) (plain, mitigated [sha1dc.Size]byte) {
	d := *s.digest
	if s.whole != nil {
		d = *s.whole
	}
	d.Write(tail)
	d.Sum(mitigated[:0])
	var e *sha1dc.CollisionError
	if errors.As(d.Err(), &e) {
		return e.Plain, mitigated
	}
	return mitigated, mitigated
}
