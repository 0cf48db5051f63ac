package forensics

import (
	"encoding/binary"
	"sync"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/sha1dc"
)

// A vector is what must be known of a disturbance vector to find twins.
type vector struct {
	name sha1dc.DV
	step int               // both messages share the working state before it
	dm   [dvs.Steps]uint32 // XOR of the expanded words
}

// A table has all of them, in the order of the mask bits.
type table [dvs.Count]vector

// published returns the vectors with their published differences.
var published = sync.OnceValue(func() *table {
	var vs table
	for n, d := range dvs.All() {
		vs[n] = vector{sha1dc.DV{Type: uint8(d.Type), K: uint8(d.K), B: uint8(d.B)}, d.TestStep(), d.DM()}
	}
	return &vs
})

// named returns the vector with a name that detection gave.
func (vs *table) named(name sha1dc.DV) *vector {
	for n := range vs {
		if vs[n].name == name {
			return &vs[n]
		}
	}
	panic("unknown disturbance vector " + name.String()) // a test compares the tables
}

// pair returns a block of the message beside its twin for the vector.
func (v *vector) pair(offset int64, data []byte, in ChainingValue) Block {
	w := reference.Expand(data)
	b := Block{Offset: offset, DV: v.name, In: in, Out: reference.Compress(in, &w)}
	b.TwinIn, b.TwinOut = twin(in, &w, v)
	copy(b.Data[:], data)
	for n := range sha1dc.BlockSize / 4 {
		binary.BigEndian.PutUint32(b.Twin[4*n:], w[n]^v.dm[n])
	}
	return b
}

// twin returns the chaining values around the twin of the block w.
func twin(in ChainingValue, w *[dvs.Steps]uint32, v *vector) (twinIn, twinOut ChainingValue) {
	i, o := reference.Twin(in, w, &v.dm, v.step)
	return i, o
}

// leadingTo returns a block beside the twin that leads to the chaining value
// out, if one of the vectors gives it.
func (vs *table) leadingTo(out ChainingValue, offset int64, data []byte, in ChainingValue) (Block, bool) {
	w := reference.Expand(data)
	for n := range vs {
		if _, twinOut := twin(in, &w, &vs[n]); twinOut == out {
			return vs[n].pair(offset, data, in), true
		}
	}
	return Block{}, false
}
