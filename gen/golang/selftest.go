package golang

import (
	"fmt"
	"math/rand/v2"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/vectors"
)

// blockSets is the number of blocks that the self-test has of each vector.
const blockSets = 6

// messages are what the self-test hashes.
type messages struct {
	kept  [blockSets][dvs.Count][16]uint32 // for one vector each
	clear [16]uint32                       // for none
}

// craftMessages returns blocks that the published conditions and every filter
// keep for one vector and no other, and a block that all of them dismiss. Every
// equation in a filter's lanes that does not follow from a vector's conditions
// is broken by one of the vector's blocks: so a lane that dismisses one vector
// more than it may shows.
func craftMessages(table *dvs.Table, filters []*plan.Plan) (m messages, err error) {
	rng := rand.New(rand.NewPCG(1, 1))
	for dv, d := range dvs.All() {
		var s craft.System
		if err := s.Add(craft.Conditions(table, dv)...); err != nil {
			return m, err
		}
		unbroken := strangers(table, filters, dv)
		for set := range m.kept {
			block, err := craftBlock(table, filters, &s, 1<<dv, unbroken, rng)
			if err != nil {
				return m, err
			}
			w := dvs.Expand(block)
			for e := range unbroken {
				if !e.Holds(&w) {
					delete(unbroken, e)
				}
			}
			m.kept[set][dv] = block
		}
		if len(unbroken) > 0 {
			return m, fmt.Errorf("%d blocks of %v leave %d equations of other vectors unbroken", blockSets, d, len(unbroken))
		}
	}
	m.clear, err = craftBlock(table, filters, &craft.System{}, 0, nil, rng)
	return m, err
}

// strangers returns the equations in lanes of filters that do not follow from
// the conditions of the vector with mask bit dv.
func strangers(table *dvs.Table, filters []*plan.Plan, dv int) map[dvs.Edge]bool {
	out := make(map[dvs.Edge]bool)
	for _, f := range filters {
		for _, g := range f.Groups {
			for _, l := range g.Lanes {
				if l.Used() && !table.Span(dv).Implies(l.Edge) {
					out[l.Edge] = true
				}
			}
		}
	}
	return out
}

// craftBlock returns the one of some random solutions of s that breaks most of
// the equations, among those that every filter keeps for the vectors want.
func craftBlock(table *dvs.Table, filters []*plan.Plan, s *craft.System, want dvs.Mask, equations map[dvs.Edge]bool, rng *rand.Rand) ([16]uint32, error) {
	const tries = 200
	var best [16]uint32
	most := -1
	for range tries {
		block := s.Block(rng)
		w := dvs.Expand(block)
		broken := 0
		for e := range equations {
			if !e.Holds(&w) {
				broken++
			}
		}
		if broken > most && keptBy(table, filters, &w) == want {
			best, most = block, broken
		}
	}
	if most < 0 {
		return best, fmt.Errorf("none of %d blocks is kept for %v alone by every filter", tries, want)
	}
	return best, nil
}

// keptBy returns the vectors that the conditions or any of filters keep. Where
// a tail follows a filter, it is the conditions that keep.
func keptBy(table *dvs.Table, filters []*plan.Plan, w *[dvs.Steps]uint32) dvs.Mask {
	kept := table.Mask(w)
	for _, f := range filters {
		if f.Machine.Tail == 0 {
			kept |= dvs.AllMask &^ f.Dismissed(w)
		}
	}
	return kept
}

// emitMessages writes what the self-test hashes.
func emitMessages(s *source, m messages) {
	s.printf("// keptBlocks are blocks that every filter keeps for one vector: one for each\n")
	s.printf("// vector in turn, and the next for each.\n")
	s.printf("const keptBlocks = \"\" + \n")
	for set := range m.kept {
		for n, d := range dvs.All() {
			s.bytes(craft.Bytes(m.kept[set][n]))
			if set < blockSets-1 || n < dvs.Count-1 {
				s.printf(" +")
			}
			s.printf(" // %v\n", d)
		}
	}
	s.printf("\n// clearBlock is dismissed by every filter.\n")
	s.printf("const clearBlock = \"\" + \n")
	s.bytes(craft.Bytes(m.clear))

	s.printf("\n\n// publishedAttacks are the heads of the published messages.\n")
	s.printf("var publishedAttacks = [...]publishedAttack{\n")
	for _, f := range vectors.All() {
		if !f.Attacked() {
			continue
		}
		s.printf("{\nname: %q,\nplain: \"\" + \n", f.Name)
		s.bytes(f.Plain[:])
		s.printf(",\nmitigated: \"\" + \n")
		s.bytes(f.Mitigated[:])
		s.printf(",\nmessage: \"\" + \n")
		s.bytes(f.Data)
		s.printf(",\n},\n")
	}
	s.printf("}\n")
}

// bytes writes p as a string, in lines.
func (s *source) bytes(p []byte) {
	const line = 32
	for n := 0; n < len(p); n += line {
		if n > 0 {
			s.printf(" +\n")
		}
		s.printf("\"")
		for _, b := range p[n:min(n+line, len(p))] {
			s.printf("\\x%02x", b)
		}
		s.printf("\"")
	}
}
