package gitpack

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/sha1dc/go/sha1dc"
)

// ID is the name of a git object: the SHA-1 of its header and content.
type ID [sha1dc.Size]byte

// String returns the name in hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// ObjectType is the type of an object or, for deltas, of an entry in a pack.
// The values are those of the pack format.
type ObjectType uint8

// The types of objects, and of the entries that hold deltas.
const (
	Commit   ObjectType = 1
	Tree     ObjectType = 2
	Blob     ObjectType = 3
	Tag      ObjectType = 4
	OfsDelta ObjectType = 6 // a delta whose base is named by its distance
	RefDelta ObjectType = 7 // a delta whose base is named by its id
)

// objectTypes is the number of values that the format has room for.
const objectTypes = 8

var typeNames = [objectTypes]string{
	Commit: "commit", Tree: "tree", Blob: "blob", Tag: "tag", OfsDelta: "ofs-delta", RefDelta: "ref-delta",
}

// String returns git's name of the type.
func (t ObjectType) String() string {
	if int(t) < len(typeNames) && typeNames[t] != "" {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// isObject reports whether t is a type that an object can have.
func (t ObjectType) isObject() bool { return t >= Commit && t <= Tag }

// isDelta reports whether an entry of type t holds a delta.
func (t ObjectType) isDelta() bool { return t == OfsDelta || t == RefDelta }

// headroom is the space kept free before the content of an object, so that the
// header of the hashed message can be written there. The longest header is
// "commit ", 20 digits and a zero byte.
const headroom = 32

// message returns the bytes whose hash is the id of an object. Its content
// starts at headroom in buf; the header is written before it.
func message(t ObjectType, buf []byte) []byte {
	var header [headroom]byte
	h := appendHeader(header[:0], t, uint64(len(buf)-headroom))
	start := headroom - len(h)
	copy(buf[start:], h)
	return buf[start:]
}

// appendHeader appends the header of an object's message to b.
func appendHeader(b []byte, t ObjectType, size uint64) []byte {
	b = append(b, typeNames[t]...)
	b = append(b, ' ')
	b = strconv.AppendUint(b, size, 10)
	return append(b, 0)
}
