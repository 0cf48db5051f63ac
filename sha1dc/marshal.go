package sha1dc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"strings"
)

// A saved state is, all integers big-endian:
//
//	magic      7 bytes
//	mode       1
//	options    1   bit 0 ReducedRounds, bit 1 DisableUBC
//	found      1   0 or 1: an attack was met
//	dv         1   its vector's mask bit
//	offset     8   where its block starts
//	h         20   chaining value of the mitigated chain
//	plain     20   chaining value of the plain chain
//	x         64   the incomplete block, zero-filled
//	len        8   bytes written
//	check      4   CRC-32 (IEEE) of all before
//
// dv, offset and plain are zero unless found is 1.
const (
	magic         = "sha1dc\x01"
	marshaledSize = len(magic) + 4 + 8 + 20 + 20 + BlockSize + 8 + 4
)

// The bits of the options byte.
const (
	optReducedRounds = 1 << iota
	optDisableUBC
	optUndefined
)

// MarshalBinary returns the state of d: mode, options, all that was written,
// and the attack if one was met.
func (d *Digest) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, marshaledSize))
}

// AppendBinary appends what MarshalBinary returns to b. It allocates only if b
// is too short.
func (d *Digest) AppendBinary(b []byte) ([]byte, error) {
	s := &d.state
	var fresh state
	if !d.ready {
		fresh.h = initial
		s = &fresh
	}
	start := len(b)
	b = append(b, magic...)
	var options, found byte
	if d.cfg.ReducedRounds {
		options |= optReducedRounds
	}
	if d.cfg.DisableUBC {
		options |= optDisableUBC
	}
	if s.found {
		found = 1
	}
	b = append(b, byte(d.cfg.Mode), options, found, s.dv)
	b = binary.BigEndian.AppendUint64(b, s.offset)
	for _, w := range s.h {
		b = binary.BigEndian.AppendUint32(b, w)
	}
	for _, w := range s.plain {
		b = binary.BigEndian.AppendUint32(b, w)
	}
	b = append(b, d.x[:d.nx]...)
	var zero [BlockSize]byte
	b = append(b, zero[d.nx:]...)
	b = binary.BigEndian.AppendUint64(b, d.len)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:])), nil
}

// UnmarshalBinary replaces d by the saved state b, mode and options included.
// A state that is truncated, damaged or another package's (crypto/sha1, sha1cd)
// is an error and leaves d as it was. States carry a checksum against damage,
// none against forgery: who can write a state can also clear its verdict.
func (d *Digest) UnmarshalBinary(b []byte) error {
	if !strings.HasPrefix(string(b[:min(len(b), len(magic))]), magic[:len(magic)-1]) {
		return errors.New("saved hash state: not a state of this package (wrong identifier)")
	}
	if len(b) != marshaledSize {
		return fmt.Errorf("saved hash state: %d bytes, want %d", len(b), marshaledSize)
	}
	if b[len(magic)-1] != magic[len(magic)-1] {
		return fmt.Errorf("saved hash state: format version %d, want %d", b[len(magic)-1], magic[len(magic)-1])
	}
	body := b[:marshaledSize-4]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(b[marshaledSize-4:]) {
		return errors.New("saved hash state: damaged (checksum does not match)")
	}
	body = body[len(magic):]
	mode, options, found, dv := Mode(body[0]), body[1], body[2], body[3]
	body = body[4:]
	n := Digest{
		cfg:   Config{Mode: mode, ReducedRounds: options&optReducedRounds != 0, DisableUBC: options&optDisableUBC != 0},
		ready: true,
	}
	n.found, n.dv, n.offset = found == 1, dv, binary.BigEndian.Uint64(body)
	body = body[8:]
	for i := range n.h {
		n.h[i] = binary.BigEndian.Uint32(body[4*i:])
		n.plain[i] = binary.BigEndian.Uint32(body[20+4*i:])
	}
	body = body[40:]
	copy(n.x[:], body)
	n.len = binary.BigEndian.Uint64(body[BlockSize:])
	n.nx = int(n.len % BlockSize)
	switch {
	case mode > DetectOnly:
		return fmt.Errorf("saved hash state: undefined mode %d", mode)
	case options >= optUndefined:
		return fmt.Errorf("saved hash state: undefined options %#x", options)
	case found > 1 || int(dv) >= len(disturbanceVectors):
		return fmt.Errorf("saved hash state: attack flag %d with vector %d is undefined", found, dv)
	case !n.found && (dv != 0 || n.offset != 0 || n.plain != [5]uint32{}):
		return errors.New("saved hash state: details of an attack without its flag")
	case n.offset%BlockSize != 0:
		return fmt.Errorf("saved hash state: attacked block at byte %d is not aligned to %d", n.offset, BlockSize)
	case n.x != zeroBehind(n.x, n.nx):
		return errors.New("saved hash state: bytes behind the end of the message")
	}
	*d = n
	return nil
}

// zeroBehind returns x with all from byte n on zero.
func zeroBehind(x [BlockSize]byte, n int) [BlockSize]byte {
	clear(x[n:])
	return x
}

// Clone returns an independent copy of d with all of its state. The value is a
// *Digest, the error always nil.
func (d *Digest) Clone() (hash.Cloner, error) {
	c := *d
	return &c, nil
}
