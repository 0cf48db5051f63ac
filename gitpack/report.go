package gitpack

import "iter"

// A Report tells what is in a pack.
type Report struct {
	Objects       int
	Added         int // of the objects, those added to complete the pack
	Types         [objectTypes]TypeCount
	Deltas        int    // of the objects, those stored as deltas
	MaxDepth      int    // the longest chain of deltas
	PackSize      uint64 // bytes
	PackChecksum  ID
	IndexChecksum ID
	Collisions    []*CollisionError // if they are to be listed, in the order of the pack

	table *table
	end   uint64
}

// TypeCount is the number of objects of a type and the bytes of their contents.
type TypeCount struct {
	Objects int
	Bytes   uint64
}

// An Entry tells of an entry in a pack.
type Entry struct {
	ID         ID
	Type       ObjectType // of the object
	Stored     ObjectType // as stored: the same, or a type of delta
	Size       uint64     // of the content or, if it is stored as a delta, of that
	PackedSize uint64     // of the entry in the pack
	Offset     uint64     // of the entry in the pack
	CRC        uint32     // CRC-32 of the entry in the pack
	Depth      int        // number of deltas up to an object stored whole
	Base       ID         // of a delta
}

// Entries returns the entries in the order of the pack.
func (r *Report) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for n := range r.table.count {
			e := r.table.at(n)
			end := r.end
			if n+1 < r.table.count {
				end = r.table.at(n + 1).offset
			}
			out := Entry{
				ID: e.id, Type: e.object, Stored: e.stored, Size: e.size, PackedSize: end - e.offset,
				Offset: e.offset, CRC: e.crc, Depth: int(e.depth),
			}
			if e.base != noBase {
				out.Base = r.table.at(int(e.base)).id
			}
			if !yield(out) {
				return
			}
		}
	}
}

// report returns the report of a finished job.
func (j *job) report() *Report {
	j.sortAttacks()
	r := &Report{
		Objects: j.table.count, PackSize: j.end + trailerSize, PackChecksum: j.checksum,
		Types: j.types, Collisions: j.attacks, table: &j.table, end: j.end,
	}
	for n := range j.table.count {
		e := j.table.at(n)
		if e.stored.isDelta() {
			r.Deltas++
			r.MaxDepth = max(r.MaxDepth, int(e.depth))
			continue
		}
		r.Types[e.object].Objects++
		r.Types[e.object].Bytes += e.size
	}
	return r
}
