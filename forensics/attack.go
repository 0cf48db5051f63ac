package forensics

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"

	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/sha1dc"
)

// ChainingValue is the state of SHA-1 between two blocks.
type ChainingValue [5]uint32

// String returns 40 hexadecimal digits.
func (v ChainingValue) String() string {
	return fmt.Sprintf("%08x%08x%08x%08x%08x", v[0], v[1], v[2], v[3], v[4])
}

// DifferingBits returns the number of bits in which v and other differ.
func (v ChainingValue) DifferingBits(other ChainingValue) int {
	sum := 0
	for n := range v {
		sum += bits.OnesCount32(v[n] ^ other[n])
	}
	return sum
}

// Block is one block of the message beside its twin in the other message.
type Block struct {
	Offset          int64     // byte of both messages at which it starts
	DV              sha1dc.DV // the vector whose differences the pair has
	Data, Twin      [sha1dc.BlockSize]byte
	In, Out         ChainingValue // before and after Data
	TwinIn, TwinOut ChainingValue // before and after Twin
}

// DifferingBits returns the number of bits in which the pair differs.
func (b *Block) DifferingBits() int {
	sum := 0
	for n := range b.Data {
		sum += bits.OnesCount8(b.Data[n] ^ b.Twin[n])
	}
	return sum
}

// DifferingBytes returns the number of bytes in which the pair differs.
func (b *Block) DifferingBytes() int {
	sum := 0
	for n := range b.Data {
		if b.Data[n] != b.Twin[n] {
			sum++
		}
	}
	return sum
}

// differsFrom reports whether the pair differs in bytes at offset or behind it.
func (b *Block) differsFrom(offset int64) bool {
	n := min(max(offset-b.Offset, 0), sha1dc.BlockSize)
	return !bytes.Equal(b.Data[n:], b.Twin[n:])
}

// Steps is the number of steps of the compression function.
const Steps = 80

// StateDifferences returns the number of bits in which the working states of
// both messages differ before each step, and after the last.
func (b *Block) StateDifferences() [Steps + 1]int {
	var diff [Steps + 1]int
	w, twin := reference.Expand(b.Data[:]), reference.Expand(b.Twin[:])
	s, t := reference.State(b.In), reference.State(b.TwinIn)
	for n := range Steps {
		diff[n] = ChainingValue(s).DifferingBits(ChainingValue(t))
		s, t = s.Step(n, w[n]), t.Step(n, twin[n])
	}
	diff[Steps] = ChainingValue(s).DifferingBits(ChainingValue(t))
	return diff
}

// Attack is one attack: a run of blocks, and their twins.
type Attack struct {
	// Blocks are the pairs that were found, in the order of the message. The last
	// is the one that detection flags.
	Blocks []Block

	// End says why no pair was looked for before the first.
	End End

	// Padded is set if the flagged block and its twin differ in bytes of SHA-1's
	// padding. The twin then does not end any message: the length of the message
	// is part of the padding, and no vector has differences that change it by
	// less than a block.
	Padded bool

	// Preceding is what stands in front of the first block, up to 64 bytes.
	Preceding []byte
}

// End says why the walk backwards ended.
type End uint8

const (
	// Met means that both messages have the same chaining value before the first
	// block: nothing in front of it differs.
	Met End = iota

	// NoVector means that no disturbance vector pairs the block in front with one
	// that leads to the other message's chaining value.
	NoVector

	// WindowStart means that the block in front was no longer in the window.
	WindowStart

	// MessageStart means that the first block is that of the message, where the
	// other message has another chaining value than the one that SHA-1 starts
	// with. Such a pair does not collide as a file.
	MessageStart
)

// String returns the name that explain's JSON uses.
func (e End) String() string {
	switch e {
	case Met:
		return "chaining-values-meet"
	case NoVector:
		return "no-vector-fits"
	case WindowStart:
		return "window-start"
	case MessageStart:
		return "message-start"
	}
	return fmt.Sprintf("End(%d)", uint8(e))
}

// Kind says what an attack does.
type Kind uint8

const (
	// IdenticalPrefix attacks make two messages collide that are equal up to
	// their near-collision blocks. The other message is known completely.
	IdenticalPrefix Kind = iota

	// ChosenPrefix attacks make two messages collide that start differently.
	// Their near-collision blocks are known, the other message's start is not.
	// An identical-prefix attack looks the same if its first block was made with a
	// vector that is not among those checked.
	ChosenPrefix

	// ReducedRound attacks would make two messages collide if SHA-1 had fewer
	// steps.
	ReducedRound

	// Undetermined attacks were not followed to their start, or start with the
	// message but from another chaining value; see End.
	Undetermined
)

// String returns the name that explain's JSON uses.
func (k Kind) String() string {
	switch k {
	case IdenticalPrefix:
		return "identical-prefix"
	case ChosenPrefix:
		return "chosen-prefix"
	case ReducedRound:
		return "reduced-round"
	case Undetermined:
		return "undetermined"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// newAttack returns an attack with blocks that are in reverse order.
func newAttack(blocks []Block, end End, preceding []byte) Attack {
	slices.Reverse(blocks)
	return Attack{Blocks: slices.Clip(blocks), End: end, Preceding: preceding}
}

// Flagged returns the block that detection flags.
func (a *Attack) Flagged() *Block { return &a.Blocks[len(a.Blocks)-1] }

// Offset returns the byte at which the first block that was found starts.
func (a *Attack) Offset() int64 { return a.Blocks[0].Offset }

// Length returns the number of bytes in the blocks that were found.
func (a *Attack) Length() int { return len(a.Blocks) * sha1dc.BlockSize }

// Kind returns what the attack does.
func (a *Attack) Kind() Kind {
	last := a.Flagged()
	switch {
	case last.TwinOut != last.Out:
		return ReducedRound
	case a.End == Met:
		return IdenticalPrefix
	case a.End == NoVector:
		return ChosenPrefix
	}
	return Undetermined
}

// Complete reports whether the other message is known to the last byte.
func (a *Attack) Complete() bool { return a.Kind() == IdenticalPrefix && !a.Padded }

// HasOther reports whether another message with the same SHA-1 is known, at
// least in part. Reduced-round attacks have none, nor have those on SHA-1's
// padding or from another chaining value than SHA-1 starts with.
func (a *Attack) HasOther() bool {
	return a.Kind() != ReducedRound && a.End != MessageStart && !a.Padded
}

// DifferingBytes returns the number of bytes in which the blocks that were found
// differ from their twins.
func (a *Attack) DifferingBytes() int {
	sum := 0
	for n := range a.Blocks {
		sum += a.Blocks[n].DifferingBytes()
	}
	return sum
}

// continues reports whether a full attack takes up where a reduced-round one
// left a difference open.
func (a *Attack) continues(earlier *Attack) bool {
	if a.Kind() == ReducedRound || earlier.Kind() != ReducedRound {
		return false
	}
	return slices.Contains(a.Blocks, *earlier.Flagged())
}

// SharedSteps returns the steps before which both messages have the same working
// state in the flagged block, late in the compression function. With as many
// steps in all it would collide.
func (a *Attack) SharedSteps() (lo, hi int) {
	diff := a.Flagged().StateDifferences()
	for hi = Steps; hi > 0 && diff[hi] != 0; hi-- {
	}
	for lo = hi; lo > 0 && diff[lo-1] == 0; lo-- {
	}
	return lo, hi
}
