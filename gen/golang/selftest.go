package golang

import (
	"fmt"
	"math/rand/v2"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/vectors"
)

// craftBlocks returns a block for each vector, which the published conditions
// and every filter keep for that vector and no other, and last a block that
// all of them dismiss.
func craftBlocks(table *dvs.Table, filters []*plan.Plan) ([dvs.Count + 1][16]uint32, error) {
	const tries = 100_000
	rng := rand.New(rand.NewPCG(1, 1))
	var out [dvs.Count + 1][16]uint32
	for n := range out {
		var s craft.System
		var want dvs.Mask
		if n < dvs.Count {
			want = 1 << n
			if err := s.Add(craft.Conditions(table, n)...); err != nil {
				return out, err
			}
		}
		found := false
		for range tries {
			out[n] = s.Block(rng)
			w := dvs.Expand(out[n])
			if found = keptBy(table, filters, &w) == want; found {
				break
			}
		}
		if !found {
			return out, fmt.Errorf("none of %d blocks is kept for %v alone by every filter", tries, want)
		}
	}
	return out, nil
}

// keptBy returns the vectors that the conditions or any of filters keep.
func keptBy(table *dvs.Table, filters []*plan.Plan, w *[dvs.Steps]uint32) dvs.Mask {
	kept := table.Mask(w)
	for _, f := range filters {
		kept |= dvs.AllMask &^ f.Dismissed(w)
	}
	return kept
}

// emitMessages writes what the self-test hashes.
func emitMessages(s *source, crafted [dvs.Count + 1][16]uint32) {
	s.printf("// craftedBlocks are a block for each disturbance vector, which every filter\n")
	s.printf("// keeps for that vector alone.\n")
	s.printf("const craftedBlocks = \"\" + \n")
	for n, d := range dvs.All() {
		s.bytes(craft.Bytes(crafted[n]))
		if n < dvs.Count-1 {
			s.printf(" +")
		}
		s.printf(" // %v\n", d)
	}
	s.printf("\n// clearBlock is dismissed by every filter.\n")
	s.printf("const clearBlock = \"\" + \n")
	s.bytes(craft.Bytes(crafted[dvs.Count]))

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
