// Package forensics takes a message apart that is part of a SHA-1 collision
// attack: where it is attacked and how, and what the other message is.
//
// An attack makes two messages collide by one or more pairs of near-collision
// blocks. The difference of a pair follows from its disturbance vector, so the
// block that detection flags gives away its twin, and with it the chaining
// value that the other message has before it. From there the walk goes
// backwards: that value must be what the twin of the block before leads to, for
// one of the vectors. It ends where both messages have the same chaining value,
// the start of an identical-prefix attack, or where no vector fits, the
// start of what is known of a chosen-prefix attack. The idea is that of Stevens
// ("Counter-cryptanalysis", 2013).
package forensics

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/sha1dc/go/sha1dc"
)

const (
	// DefaultWindow is the number of recent blocks that are kept by default, far
	// above the nine of the longest published attack.
	DefaultWindow = 4096

	// MaxWindow is the largest number of blocks that can be kept: 64 MiB.
	MaxWindow = 1 << 20

	// MaxAttacks is the number of attacks that a report describes. More are only
	// counted, so that no message can make the report grow without bound. A
	// reduced-round attack gives way to a full one, lest it hide that.
	MaxAttacks = 1024
)

// Options says how to look at a message.
type Options struct {
	// Window is the number of blocks, up to and including the flagged one, that
	// an attack can be followed through; memory grows with it. Zero means
	// DefaultWindow.
	Window int

	// ReducedRounds also reports blocks that collide only if SHA-1 had fewer
	// steps, as sha1dc.Config does.
	ReducedRounds bool
}

// Report is what there is to say of a message. The digests are those of
// sha1dc.Config with the same ReducedRounds; they differ if there is an attack.
type Report struct {
	Size      int64
	Plain     [sha1dc.Size]byte // the SHA-1 digest
	Mitigated [sha1dc.Size]byte

	// Attacks are all attacks on the chain of plain SHA-1, in the order of their
	// flagged blocks. Several can stand in one message.
	Attacks []Attack

	// Omitted is the number of attacks beyond MaxAttacks.
	Omitted int

	Options Options // with the window that was used
}

// Analyze reads a message to its end. If reading fails, it returns the report on
// what was read along with the error. A window out of range is an error, too,
// with no report.
func Analyze(r io.Reader, o Options) (*Report, error) {
	if o.Window == 0 {
		o.Window = DefaultWindow
	}
	if o.Window < 1 || o.Window > MaxWindow {
		return nil, fmt.Errorf("window of %d blocks: must be from 1 to %d", o.Window, MaxWindow)
	}
	a := &analyzer{
		finder:  newScanner(o.ReducedRounds),
		vectors: published(),
		window:  newWindow(o.Window),
		report:  Report{Options: o},
	}
	err := a.read(r)
	return &a.report, err
}

// A finder looks for attacked blocks on the chain of plain SHA-1.
type finder interface {
	// next adds whole blocks and returns the first attack in them.
	next(blocks []byte) (hit, bool)

	// resume goes on behind an attack: with the chaining value at a byte offset,
	// and the rest of the blocks, which next was given already.
	resume(h ChainingValue, offset int64, rest []byte) (hit, bool)

	// chain returns the chaining value after all blocks added. It must not be
	// asked for between an attack and resume.
	chain() ChainingValue

	// sums returns the digests of the message that ends with tail.
	sums(tail []byte) (plain, mitigated [sha1dc.Size]byte)
}

// A hit is a flagged block.
type hit struct {
	offset int64
	dv     sha1dc.DV
}

// An analyzer works on one message.
type analyzer struct {
	finder  finder
	vectors *table
	window  *window
	report  Report
}

// read analyzes all of r.
func (a *analyzer) read(r io.Reader) error {
	for {
		c := a.window.grow(a.finder.chain())
		n, err := fill(c.data[:], r)
		a.report.Size += int64(n)
		whole := n &^ (sha1dc.BlockSize - 1)
		a.blocks(c, whole)
		if err != nil {
			a.finish(c.data[whole:n])
		}
		switch err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// fill reads until p is full or r fails. Unlike io.ReadFull it keeps an
// io.ErrUnexpectedEOF of r's own apart from the end.
func fill(p []byte, r io.Reader) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.Read(p[n:])
		n += m
	}
	if n == len(p) {
		err = nil // comes again if it lasts
	}
	return n, err
}

// blocks analyzes the first n bytes of the latest chunk, whole blocks.
func (a *analyzer) blocks(c *chunk, n int) {
	c.used = n
	h, ok := a.finder.next(c.data[:n])
	for ok {
		attack := a.window.walk(h, a.vectors)
		attack.Padded = attack.Flagged().differsFrom(a.report.Size)
		a.add(attack)
		behind := h.offset + sha1dc.BlockSize
		h, ok = a.finder.resume(attack.Flagged().Out, behind, c.data[behind-c.start:n])
	}
}

// finish analyzes the padding that follows the last bytes of the message (FIPS
// 180-4, section 5.1.1): an attack in it counts, as it does for the digest.
func (a *analyzer) finish(tail []byte) {
	a.report.Plain, a.report.Mitigated = a.finder.sums(tail)
	c := a.window.grow(a.finder.chain())
	clear(c.data[:2*sha1dc.BlockSize])
	n := copy(c.data[:], tail)
	c.data[n] = 0x80
	end := (n + 1 + 8 + sha1dc.BlockSize - 1) &^ (sha1dc.BlockSize - 1)
	binary.BigEndian.PutUint64(c.data[end-8:], uint64(a.report.Size)<<3)
	a.blocks(c, end)
}

// add adds an attack to the report. A reduced-round attack that was only the
// first part of this one is taken back.
func (a *analyzer) add(attack Attack) {
	list := a.report.Attacks
	for len(list) > 0 && attack.continues(&list[len(list)-1]) {
		list = list[:len(list)-1]
	}
	if len(list) == MaxAttacks {
		a.report.Omitted++
		list = withoutReducedRound(list, attack.Kind())
	}
	if len(list) < MaxAttacks {
		list = append(list, attack)
	}
	a.report.Attacks = list
}

// withoutReducedRound returns a full list without its last reduced-round attack,
// if it has one and the kind of the attack that needs the room is another.
func withoutReducedRound(list []Attack, kind Kind) []Attack {
	if kind != ReducedRound {
		for n := len(list) - 1; n >= 0; n-- {
			if list[n].Kind() == ReducedRound {
				return slices.Delete(list, n, n+1)
			}
		}
	}
	return list
}
