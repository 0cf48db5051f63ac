package gitpack

import (
	"errors"
	"fmt"

	"github.com/sha1dc/go/sha1dc"
)

// What can be wrong with a pack. A *PackError says where, and errors.Is finds
// one of these in it.
var (
	ErrSignature     = errors.New("not a pack: the signature is missing")
	ErrVersion       = errors.New("pack version is not 2 or 3")
	ErrTruncated     = errors.New("pack ends early")
	ErrObjectType    = errors.New("undefined object type")
	ErrSizeOverflow  = errors.New("object size does not fit in 64 bits")
	ErrCompression   = errors.New("zlib stream is damaged")
	ErrTooShort      = errors.New("object is shorter than its header says")
	ErrTooLong       = errors.New("object is longer than its header says")
	ErrBaseOffset    = errors.New("delta base offset is out of bounds")
	ErrBaseNotFound  = errors.New("delta base offset is not the start of an entry")
	ErrUnresolved    = errors.New("delta base is not in the pack")
	ErrBaseCorrupt   = errors.New("base from outside the pack has another id")
	ErrDeltaHeader   = errors.New("delta has a damaged header")
	ErrDeltaBaseSize = errors.New("delta is for a base of another size")
	ErrDeltaOpcode   = errors.New("delta has the reserved opcode 0")
	ErrDeltaCopy     = errors.New("delta copies from outside its base")
	ErrDeltaEnd      = errors.New("delta ends within an instruction")
	ErrDeltaResult   = errors.New("delta does not give the size it says")
	ErrDuplicate     = errors.New("object is twice in the pack")
	ErrPackChecksum  = errors.New("pack is corrupted: checksum mismatch")
	ErrTrailingData  = errors.New("pack is followed by other data")
	ErrTooManyBases  = errors.New("too many objects with those added to complete the pack")
)

// What can be wrong with an index. An *IndexError says where, and errors.Is
// finds one of these in it.
var (
	ErrIndexSize         = errors.New("index has an impossible size")
	ErrIndexVersion      = errors.New("index version is not 1 or 2")
	ErrIndexFanout       = errors.New("index has a damaged fan-out table")
	ErrIndexOrder        = errors.New("index is not sorted")
	ErrIndexLargeOffset  = errors.New("index refers to an offset outside its table of 64-bit offsets")
	ErrIndexCount        = errors.New("index and pack have different numbers of objects")
	ErrIndexObject       = errors.New("index names an object that is not in the pack")
	ErrIndexOffset       = errors.New("index has another offset than the pack")
	ErrIndexCRC          = errors.New("index has another CRC-32 than the pack")
	ErrIndexPackChecksum = errors.New("index is of a pack with another checksum")
	ErrReverseIndex      = errors.New("reverse index does not fit the pack")
	ErrIndexChecksum     = errors.New("index is corrupted: checksum mismatch")
)

// ErrLimit is what errors.Is finds in the error for a pack that exceeds a limit.
var ErrLimit = errors.New("limit exceeded")

// PackError reports damage of a pack.
type PackError struct {
	Reason error  // one of the errors of this package
	Offset uint64 // of the entry in the pack, or of the byte in question outside entries
	Object ID     // the object concerned, or the base named by a delta, if it is known
	Detail error  // more about the reason, or nil
}

// Error names the reason, the offset and what else is known.
func (e *PackError) Error() string {
	s := fmt.Sprintf("%v, at offset %d of the pack", e.Reason, e.Offset)
	if e.Object != (ID{}) {
		s += fmt.Sprintf(", object %v", e.Object)
	}
	if e.Detail != nil {
		s += ": " + e.Detail.Error()
	}
	return s
}

// Unwrap returns the reason and the detail.
func (e *PackError) Unwrap() []error { return reasons(e.Reason, e.Detail) }

// reasons returns its arguments without nil.
func reasons(reason, detail error) []error {
	if detail == nil {
		return []error{reason}
	}
	return []error{reason, detail}
}

// IndexError reports damage of an index, or a difference between it and its
// pack.
type IndexError struct {
	Reason error  // one of the errors of this package
	Offset uint64 // of the byte or the field in the index
	Object ID     // the object concerned, if there is one
	Detail error  // more about the reason, or nil
}

// Error names the reason, the offset and what else is known.
func (e *IndexError) Error() string {
	s := fmt.Sprintf("%v, at offset %d of the index", e.Reason, e.Offset)
	if e.Object != (ID{}) {
		s += fmt.Sprintf(", object %v", e.Object)
	}
	if e.Detail != nil {
		s += ": " + e.Detail.Error()
	}
	return s
}

// Unwrap returns the reason and the detail.
func (e *IndexError) Unwrap() []error { return reasons(e.Reason, e.Detail) }

// LimitError reports a pack that exceeds a limit. It may well be sound.
type LimitError struct {
	Limit  string // the name of the field of Limits
	Max    uint64 // its value
	Offset uint64 // of the entry in the pack
}

// Error names the limit, its value and the offset.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%v at offset %d of the pack: %s is %d", ErrLimit, e.Offset, e.Limit, e.Max)
}

// Is reports whether target is ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// CollisionError reports an object that is part of a collision attack.
// errors.Is finds sha1dc.ErrCollision in it.
type CollisionError struct {
	Object      ID         // its plain SHA-1, which the other half of the collision shares
	Mitigated   ID         // the digest that differs between the halves
	Type        ObjectType // of the object
	Offset      uint64     // of the entry in the pack
	BlockOffset int64      // of the attacked block in the message: the object's header and content
	DV          sha1dc.DV  // the disturbance vector of the attack
}

// Error names the object, its place, the attacked block and the vector.
func (e *CollisionError) Error() string {
	return fmt.Sprintf("%v in %v %v at offset %d of the pack: block at byte %d of header and content, disturbance vector %v",
		sha1dc.ErrCollision, e.Type, e.Object, e.Offset, e.BlockOffset, e.DV)
}

// Is reports whether target is sha1dc.ErrCollision.
func (e *CollisionError) Is(target error) bool { return target == sha1dc.ErrCollision }
