package forensics

import (
	"math/bits"
	"math/rand/v2"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/sha1dc"
)

// Attacks on full SHA-1 cannot be made for a test, but vectors can be made for
// attacks: with expanded words that follow no recurrence, a difference exists
// that pairs any block with a twin between any two chaining values.

// steer returns five words that take the state s, before step t, to the state
// want after five steps.
func steer(s, want reference.State, t int) (words [5]uint32) {
	a := [5]uint32{bits.RotateLeft32(want[4], 2), bits.RotateLeft32(want[3], 2), bits.RotateLeft32(want[2], 2), want[1], want[0]}
	for n := range words {
		words[n] = a[n] - s.Step(t+n, 0)[0]
		s = s.Step(t+n, words[n])
	}
	return words
}

// difference returns message differences that give the block a twin between
// the chaining values twinIn and twinOut, both messages sharing the state
// before step.
func difference(block []byte, in, twinIn, twinOut ChainingValue, step int, rng *rand.Rand) (dm [dvs.Steps]uint32) {
	w := reference.Expand(block)
	shared := reference.State(in)
	for t := range step {
		shared = shared.Step(t, w[t])
	}
	var twin [dvs.Steps]uint32
	for t := range twin {
		twin[t] = rng.Uint32()
	}
	early := shared
	for t := step - 1; t >= 5; t-- {
		early = early.StepBack(t, twin[t])
	}
	first := steer(reference.State(twinIn), early, 0)
	copy(twin[:], first[:])
	late, end := shared, reference.State(twinOut)
	for n := range end {
		end[n] -= twinIn[n]
	}
	for t := step; t < dvs.Steps-5; t++ {
		late = late.Step(t, twin[t])
	}
	last := steer(late, end, dvs.Steps-5)
	copy(twin[dvs.Steps-5:], last[:])
	for t := range dm {
		dm[t] = twin[t] ^ w[t]
	}
	return dm
}

// A planter makes messages with attacks, and the vectors of these.
type planter struct {
	rng     *rand.Rand
	message []byte
	h       ChainingValue // after message
	table   table
	free    []int // vectors not yet used
	latest  int   // the vector of the latest attacked block
}

func newPlanter(seed uint64) *planter {
	p := &planter{rng: rand.New(rand.NewPCG(seed, 1)), h: reference.Initial, table: *published()}
	p.free = p.rng.Perm(dvs.Count)
	for n := range p.table {
		for t := range p.table[n].dm {
			p.table[n].dm[t] = p.rng.Uint32()
		}
	}
	return p
}

func (p *planter) value() (h ChainingValue) {
	for n := range h {
		h[n] = p.rng.Uint32()
	}
	return h
}

// add adds a block to the message.
func (p *planter) add(block [16]uint32) {
	p.message = append(p.message, craft.Bytes(block)...)
	w := dvs.Expand(block)
	p.h = reference.Compress(p.h, &w)
}

// noise adds blocks without an attack.
func (p *planter) noise(blocks int) {
	for range blocks {
		var block [16]uint32
		for n := range block {
			block[n] = p.rng.Uint32()
		}
		p.add(block)
	}
}

var conditions = dvs.Published()

// attack adds a run of attacked blocks that starts from the chaining values of
// both messages, and leaves a difference open unless close is set. It reports
// false if there are not enough vectors left.
func (p *planter) attack(blocks int, twinIn ChainingValue, close bool) bool {
	if len(p.free) < blocks {
		return false
	}
	for n := range blocks {
		v := p.free[0]
		p.free, p.latest = p.free[1:], v
		in := p.h
		p.add(craft.Passing(conditions, v, p.rng))
		twinOut := p.h
		if n < blocks-1 || !close {
			twinOut = p.value()
		}
		step := dvs.All()[v].TestStep()
		block := p.message[len(p.message)-sha1dc.BlockSize:]
		p.table[v].dm = difference(block, in, twinIn, twinOut, step, p.rng)
		p.table[v].step = step
		twinIn = twinOut
	}
	return true
}

// A slowFinder finds attacks with the vectors of a table, in the plainest way.
type slowFinder struct {
	table   *table
	reduced bool
	h       ChainingValue
	at      int64
}

func (s *slowFinder) next(blocks []byte) (hit, bool) { return s.resume(s.h, s.at, blocks) }

func (s *slowFinder) resume(h ChainingValue, offset int64, rest []byte) (hit, bool) {
	s.h, s.at = h, offset
	for ; len(rest) > 0; rest = rest[sha1dc.BlockSize:] {
		w := reference.Expand(rest[:sha1dc.BlockSize])
		in := s.h
		s.h = reference.Compress(in, &w)
		s.at += sha1dc.BlockSize
		for mask := conditions.Mask(&w); mask != 0; mask &= mask - 1 {
			v := &s.table[bits.TrailingZeros32(uint32(mask))]
			twinIn, twinOut := reference.Twin(in, &w, &v.dm, v.step)
			if twinOut == s.h || s.reduced && twinIn == in {
				return hit{s.at - sha1dc.BlockSize, v.name}, true
			}
		}
	}
	return hit{}, false
}

func (s *slowFinder) chain() ChainingValue { return s.h }

func (s *slowFinder) sums([]byte) (plain, mitigated [sha1dc.Size]byte) { return }

// naive returns the attacks on a message, all of which is looked at at once.
func naive(message []byte, vs *table, o Options) (attacks []Attack) {
	padded := reference.Pad(message)
	chain := []ChainingValue{reference.Initial}
	for n := 0; n < len(padded); n += sha1dc.BlockSize {
		w := reference.Expand(padded[n:][:sha1dc.BlockSize])
		chain = append(chain, reference.Compress(chain[len(chain)-1], &w))
	}
	finder := &slowFinder{table: vs, reduced: o.ReducedRounds, h: reference.Initial}
	block := func(n int) []byte { return padded[n*sha1dc.BlockSize:][:sha1dc.BlockSize] }
	for h, ok := finder.next(padded); ok; h, ok = finder.resume(finder.h, finder.at, padded[finder.at:]) {
		flagged := int(h.offset / sha1dc.BlockSize)
		var a Attack
		var found *Block
		for v := range vs {
			if vs[v].name == h.dv {
				b := vs[v].pair(h.offset, block(flagged), chain[flagged])
				found = &b
				for n := range b.Data {
					a.Padded = a.Padded || b.Data[n] != b.Twin[n] && int(h.offset)+n >= len(message)
				}
			}
		}
		first := flagged
		for ; found != nil; first-- {
			a.Blocks = append([]Block{*found}, a.Blocks...)
			target, last := found.TwinIn, found
			found = nil
			switch {
			case last.TwinIn == last.In:
				a.End = Met
				continue
			case first == 0:
				a.End = MessageStart
				continue
			case len(a.Blocks) == o.Window:
				a.End = WindowStart
				continue
			}
			a.End = NoVector
			for v := range vs {
				b := vs[v].pair(last.Offset-sha1dc.BlockSize, block(first-1), chain[first-1])
				if b.TwinOut == target {
					found = &b
					break
				}
			}
		}
		first++
		if first > 0 {
			a.Preceding = block(first - 1)
		}
		for len(attacks) > 0 && a.continues(&attacks[len(attacks)-1]) {
			attacks = attacks[:len(attacks)-1]
		}
		attacks = append(attacks, a)
	}
	return attacks
}
