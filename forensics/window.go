package forensics

import (
	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/sha1dc"
)

// chunkSize is how much is read and scanned at once.
const chunkSize = 64 << 10

const chunkBlocks = chunkSize / sha1dc.BlockSize

// A chunk is a stretch of whole blocks of the message.
type chunk struct {
	start int64 // byte offset
	used  int   // bytes
	data  [chunkSize]byte

	// chain holds the chaining values before the first blocks, as far as they
	// were asked for. The first is always there.
	chain []ChainingValue
}

// before returns the chaining value before the block at byte n of the chunk.
func (c *chunk) before(n int) ChainingValue {
	for len(c.chain) <= n/sha1dc.BlockSize {
		last := len(c.chain) - 1
		w := reference.Expand(c.data[last*sha1dc.BlockSize:][:sha1dc.BlockSize])
		c.chain = append(c.chain, reference.Compress(c.chain[last], &w))
	}
	return c.chain[n/sha1dc.BlockSize]
}

// A window keeps the latest chunks of the message, enough for a number of
// blocks that end anywhere in the latest.
type window struct {
	blocks int
	chunks []*chunk // in order; the last is the latest
	most   int      // number of chunks to keep
}

// newWindow returns an empty window.
func newWindow(blocks int) *window {
	// The last two chunks can be short: what is read at the end, and padding.
	return &window{blocks: blocks, most: 3 + (blocks-1+chunkBlocks-1)/chunkBlocks}
}

// grow returns a chunk for what follows the latest one, with the chaining value
// before it.
func (w *window) grow(h ChainingValue) *chunk {
	var c *chunk
	if len(w.chunks) == w.most {
		c = w.chunks[0]
		copy(w.chunks, w.chunks[1:])
		w.chunks = w.chunks[:len(w.chunks)-1]
	} else {
		c = new(chunk)
	}
	c.start, c.used = 0, 0
	if n := len(w.chunks); n > 0 {
		c.start = w.chunks[n-1].start + int64(w.chunks[n-1].used)
	}
	c.chain = append(c.chain[:0], h)
	w.chunks = append(w.chunks, c)
	return c
}

// at returns the block at an offset and the chaining value before it, or false
// if it is no longer there.
func (w *window) at(offset int64) (block []byte, in ChainingValue, ok bool) {
	for n := len(w.chunks) - 1; n >= 0; n-- {
		c := w.chunks[n]
		if at := offset - c.start; at >= 0 {
			if at >= int64(c.used) {
				break
			}
			return c.data[at:][:sha1dc.BlockSize], c.before(int(at)), true
		}
	}
	return nil, in, false
}

// walk follows an attack backwards from its flagged block, which is in the
// latest chunk.
func (w *window) walk(h hit, vs *table) Attack {
	data, in, _ := w.at(h.offset)
	blocks := []Block{vs.named(h.dv).pair(h.offset, data, in)}
	end := Met
	for {
		first := &blocks[len(blocks)-1]
		if first.TwinIn == first.In {
			break
		}
		if first.Offset == 0 {
			end = MessageStart
			break
		}
		data, in, ok := w.at(first.Offset - sha1dc.BlockSize)
		if !ok || len(blocks) == w.blocks {
			end = WindowStart
			break
		}
		b, ok := vs.leadingTo(first.TwinIn, first.Offset-sha1dc.BlockSize, data, in)
		if !ok {
			end = NoVector
			break
		}
		blocks = append(blocks, b)
	}
	return newAttack(blocks, end, w.preceding(blocks[len(blocks)-1].Offset))
}

// preceding returns up to a block's length of bytes in front of offset.
func (w *window) preceding(offset int64) []byte {
	data, _, _ := w.at(offset - sha1dc.BlockSize)
	return append([]byte(nil), data...)
}
