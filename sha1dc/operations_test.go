package sha1dc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/internal/vectors"
)

// operations drives Digests in a random order of calls beside a model of them:
// what was written to each, and how it was configured.
type operations struct {
	choose func(n int) int           // the next decision, from 0 to n-1
	rng    *rand.Rand                // content of blocks
	dm     *[dvs.Count][steps]uint32 // message differences, what Digests use too
	limit  int                       // bytes of a message
	live   []*modelled
	bytes  int // hashed
}

// modelled is a Digest and what it must know.
type modelled struct {
	d       *Digest
	c       Config
	message []byte
}

// material is what crafted blocks are made from, and the published messages.
var material = sync.OnceValue(func() (m struct {
	table     *dvs.Table
	crowded   *craft.System // the conditions of many vectors at once
	published []vectors.File
}) {
	m.table = dvs.Published()
	m.crowded = new(craft.System)
	for dv := range dvs.Count {
		with := *m.crowded // rows are never changed once they are in a system
		if with.Add(craft.Conditions(m.table, dv)...) == nil {
			m.crowded = &with
		}
	}
	m.published = vectors.All()
	return m
})

// run makes n calls and returns the first thing that is wrong.
func (o *operations) run(n int) error {
	o.add(Config{})
	for call := range n {
		m := o.live[o.choose(len(o.live))]
		name, err := o.call(m)
		if err != nil {
			return fmt.Errorf("call %d, %s, %+v, %d bytes: %w", call, name, m.c, len(m.message), err)
		}
	}
	for _, m := range o.live {
		if err := o.check(m); err != nil {
			return fmt.Errorf("at the end, %+v, %d bytes: %w", m.c, len(m.message), err)
		}
	}
	return nil
}

// add adds a new Digest to those alive, or lets it take the place of one.
func (o *operations) add(c Config) *modelled {
	const most = 4
	m := &modelled{c.New(), c, nil}
	if len(o.live) < most {
		o.live = append(o.live, m)
	} else {
		o.live[o.choose(most)] = m
	}
	return m
}

// call makes a random call with m.
func (o *operations) call(m *modelled) (name string, err error) {
	switch o.choose(16) {
	case 0:
		o.add(configs()[o.choose(8)])
		return "New", nil
	case 1:
		m.d.Reset()
		m.message = nil
		return "Reset", nil
	case 2:
		cloner, err := m.d.Clone()
		if err != nil {
			return "Clone", err
		}
		n := o.add(Config{})
		*n = modelled{cloner.(*Digest), m.c, bytes.Clone(m.message)}
		return "Clone", nil
	case 3:
		saved, err := m.d.MarshalBinary()
		if err != nil {
			return "MarshalBinary", err
		}
		n := o.live[o.choose(len(o.live))] // a used one, m itself perhaps
		n.c, n.message = m.c, bytes.Clone(m.message)
		return "MarshalBinary", n.d.UnmarshalBinary(saved)
	case 4:
		saved, err := m.d.AppendBinary([]byte("prefix"))
		if err != nil {
			return "AppendBinary", err
		}
		m.d = new(Digest)
		return "AppendBinary", m.d.UnmarshalBinary(saved[len("prefix"):])
	case 5:
		saved, _ := m.d.MarshalBinary()
		saved[o.choose(len(saved))] ^= 1 << o.choose(8)
		before := *m.d
		if m.d.UnmarshalBinary(saved) == nil || *m.d != before {
			return "UnmarshalBinary", errors.New("a damaged state is accepted, or changes the Digest")
		}
		return "UnmarshalBinary", nil
	case 6, 7:
		return "check", o.check(m)
	case 8, 9, 10:
		p := o.piece(m)
		_, err = io.WriteString(m.d, string(p))
		m.message = append(m.message, p...)
		return "WriteString", err
	}
	p := o.piece(m)
	_, err = m.d.Write(p)
	m.message = append(m.message, p...)
	return "Write", err
}

// piece returns bytes to write to m. Blocks are cut so that the message stays
// whole blocks, if it is, in half of the cases.
func (o *operations) piece(m *modelled) []byte {
	var p []byte
	switch kind := o.choose(12); kind {
	case 0:
		p = material().published[o.choose(len(material().published))].Data
	case 1:
		p = make([]byte, o.choose(300))
	case 2, 3:
		p = o.random(o.choose(200))
	case 4:
		p = o.random(o.choose(1 + o.limit/4))
	default:
		for range 1 + o.choose(2*chunkBlocks) {
			p = append(p, o.block(kind)...)
		}
	}
	if o.choose(2) == 0 && len(p) > 0 {
		p = p[:1+o.choose(len(p))]
	}
	p = p[:min(len(p), max(0, o.limit-len(m.message)))]
	o.bytes += len(p)
	return p
}

func (o *operations) random(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(o.rng.Uint32())
	}
	return p
}

// block returns a block of a kind: random, or one that the conditions keep, or
// nearly so.
func (o *operations) block(kind int) []byte {
	dv := o.choose(dvs.Count)
	table := material().table
	switch kind {
	case 5, 6:
		return craft.Bytes(craft.Passing(table, dv, o.rng))
	case 7:
		return craft.Bytes(craft.NearMiss(table, dv, o.choose(table.Span(dv).Rank()), o.rng))
	case 8:
		return craft.Bytes(material().crowded.Block(o.rng))
	}
	return o.random(BlockSize)
}

// check compares what m's Digest says, and what one-shot hashing of its message
// says, with the reference.
func (o *operations) check(m *modelled) error {
	r := reference.Sum(m.message, reference.Options{ReducedRounds: m.c.ReducedRounds, DisableUBC: m.c.DisableUBC, DM: o.dm})
	want := r.Mitigated
	if m.c.Mode == DetectOnly {
		want = r.Plain
	}
	before := *m.d
	prefix := []byte("prefix")
	digest := m.d.Sum(prefix)
	resistant, attacked := m.d.CollisionResistantSum(nil)
	err := m.d.Err()
	once, onceErr := m.c.Sum(m.message)
	switch {
	case *m.d != before:
		return errors.New("asking changed the Digest")
	case !bytes.Equal(digest, slices.Concat(prefix, want[:])):
		return fmt.Errorf("Sum %x, want %x", digest[len(prefix):], want)
	case !bytes.Equal(resistant, want[:]) || attacked != r.Attacked:
		return fmt.Errorf("CollisionResistantSum %x, %v, want %x, %v", resistant, attacked, want, r.Attacked)
	case once != want:
		return fmt.Errorf("Config.Sum %x, want %x", once, want)
	}
	for _, err := range []error{err, onceErr} {
		var e *CollisionError
		if errors.As(err, &e) != r.Attacked {
			return fmt.Errorf("error %v, want an attack: %v", err, r.Attacked)
		}
		dv := DV{uint8(r.DV.Type), uint8(r.DV.K), uint8(r.DV.B)}
		if e != nil && *e != (CollisionError{r.Plain, r.Mitigated, r.Offset, dv}) {
			return fmt.Errorf("error %v, want %v at %d, %x and %x", err, dv, r.Offset, r.Plain, r.Mitigated)
		}
	}
	if m.c == (Config{}) {
		if digest, attacked := Sum(m.message); digest != want || attacked != r.Attacked {
			return fmt.Errorf("Sum in one piece %x, %v, want %x, %v", digest, attacked, want, r.Attacked)
		}
	}
	return nil
}
