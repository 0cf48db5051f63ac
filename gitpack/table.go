package gitpack

// An entry is what is known of an entry in a pack. It is filled while the pack
// is read, and id, base, depth and object once the entry is resolved.
type entry struct {
	offset uint64 // in the pack
	size   uint64 // of the inflated content or delta
	id     ID
	crc    uint32 // of the entry's bytes in the pack
	base   uint32 // index of the entry of the base
	depth  uint32 // number of deltas up to an object stored whole
	kept   place  // of the inflated content or delta
	header uint8  // number of bytes before the zlib stream
	stored ObjectType
	object ObjectType // zero while unresolved
}

// noBase is the base of an entry without one, or with an unknown one.
const noBase = 1<<32 - 1

// A table holds entries in the order of the pack. Entries do not move when it
// grows, so that other goroutines can fill in ids.
type table struct {
	chunks []*[tableChunk]entry
	count  int
}

const (
	tableChunkBits = 10
	tableChunk     = 1 << tableChunkBits
)

// add appends an entry and returns it.
func (t *table) add() *entry {
	if t.count == len(t.chunks)<<tableChunkBits {
		t.chunks = append(t.chunks, new([tableChunk]entry))
	}
	t.count++
	return t.at(t.count - 1)
}

// at returns entry n.
func (t *table) at(n int) *entry {
	return &t.chunks[n>>tableChunkBits][n&(tableChunk-1)]
}

// find returns the index of the entry at offset among the first n.
func (t *table) find(offset uint64, n int) (int, bool) {
	lo, hi := 0, n
	for lo < hi {
		m := int(uint(lo+hi) / 2)
		if t.at(m).offset < offset {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo, lo < n && t.at(lo).offset == offset
}
