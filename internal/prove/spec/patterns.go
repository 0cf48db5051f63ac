package spec

import (
	"math/rand/v2"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// Patterns returns expanded messages to test claims with: for every vector,
// blocks that meet all its conditions and all but one of them, and random ones.
// They are the same for the same seed.
func Patterns(table *dvs.Table, seed uint64) *[symbolic.Patterns][Steps]uint32 {
	rng := rand.New(rand.NewPCG(seed, 3))
	var blocks [][16]uint32
	for dv := range dvs.Count {
		blocks = append(blocks, craft.Passing(table, dv, rng), craft.Passing(table, dv, rng))
		for n := range craft.Conditions(table, dv) {
			blocks = append(blocks, craft.NearMiss(table, dv, n, rng))
		}
	}
	for len(blocks) < symbolic.Patterns {
		var b [16]uint32
		for n := range b {
			b[n] = rng.Uint32()
		}
		blocks = append(blocks, b)
	}
	rng.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	var out [symbolic.Patterns][Steps]uint32
	for n := range out {
		out[n] = dvs.Expand(blocks[n])
	}
	return &out
}
