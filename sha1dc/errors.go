package sha1dc

import (
	"errors"
	"fmt"
)

// ErrCollision is what errors.Is finds in the error for any attacked message.
var ErrCollision = errors.New("SHA-1 collision attack")

// DV names the disturbance vector that an attack was built on, as in II(52,0):
// its type (1 or 2), step K and bit position B (Stevens and Shumow 2017,
// section 2).
type DV struct {
	Type, K, B uint8
}

// String returns the name in the literature's form, as "II(52,0)".
func (v DV) String() string {
	t := "I"
	if v.Type == 2 {
		t = "II"
	}
	return fmt.Sprintf("%s(%d,%d)", t, v.K, v.B)
}

// CollisionError reports a message that is part of a collision attack. It
// describes the first attacked block; the digests are of the whole message.
type CollisionError struct {
	Plain     [Size]byte // the SHA-1 digest, which the other half shares
	Mitigated [Size]byte // the digest that differs between the halves
	Offset    int64      // byte of the message at which the attacked block starts
	DV        DV         // the disturbance vector of the attack
}

// Error names the block, the vector and both digests.
func (e *CollisionError) Error() string {
	return fmt.Sprintf("%v in the block at byte %d, disturbance vector %v: SHA-1 %x, mitigated %x",
		ErrCollision, e.Offset, e.DV, e.Plain, e.Mitigated)
}

// Is reports whether target is ErrCollision.
func (e *CollisionError) Is(target error) bool { return target == ErrCollision }

// err returns the first attack of a finished message, or nil.
func (s *state) err() error {
	if !s.found {
		return nil
	}
	return &CollisionError{
		Plain:     s.digest(DetectOnly),
		Mitigated: s.digest(Mitigate),
		Offset:    int64(s.offset),
		DV:        disturbanceVectors[s.dv].dv,
	}
}
