package gitpack

import (
	"context"
	"math"
	"runtime"
)

// Options says how to read a pack. The zero value is strict and safe.
type Options struct {
	Limits Limits

	// Threads is the number of goroutines that inflate and hash. Zero stands for
	// GOMAXPROCS.
	Threads int

	// Collisions says what becomes of a pack with an object that is part of a
	// collision attack.
	Collisions CollisionPolicy

	// AllowDuplicates accepts a pack that holds an object twice, as git does
	// unless told to be strict.
	AllowDuplicates bool

	// StopAtTrailer does not wait for the end of a stream after the pack, for a
	// sender that waits for an answer. What has arrived after the pack by then is
	// an error all the same.
	StopAtTrailer bool

	// Progress, if not nil, is called now and then, by one goroutine at a time.
	Progress func(Progress)

	// NewHasher, if not nil, makes the hashes of object ids. It exists for tests
	// of what happens on a collision, since no two git objects that collide have
	// been published.
	NewHasher func() Hasher
}

// CollisionPolicy says what becomes of a pack with an object that is part of a
// collision attack.
type CollisionPolicy uint8

const (
	// RefuseCollisions ends with a *CollisionError. It is the zero value.
	RefuseCollisions CollisionPolicy = iota

	// ListCollisions goes on, with plain SHA-1 as the id, and lists the attacks
	// in the report.
	ListCollisions
)

// Limits bounds what a pack from a stranger can cost. For each field zero
// stands for the default.
type Limits struct {
	// Objects is the most objects in a pack. The default is 2^26, far above any
	// repository known. Each object that is really there needs about 100 bytes.
	Objects uint64

	// PackSize is the most bytes of a pack. The default is none.
	PackSize uint64

	// ObjectSize is the most bytes of an object's content, or of a delta. A
	// thread may hold three such objects at a time if they are deltas; others
	// are streamed. The default is 2 GiB, and 512 MiB on 32-bit platforms.
	ObjectSize uint64

	// InflatedTotal is the most bytes of all contents and deltas together, and
	// with that a bound for the time, about a second for each GB. What must be
	// made again because memory is short counts again, as at least 4 KiB a delta.
	// The default is 1 TiB.
	InflatedTotal uint64

	// DeltaDepth is the most deltas between an object and one that is stored
	// whole. The default is none: depth costs neither stack nor memory.
	DeltaDepth uint64

	// Memory is the number of bytes of inflated data that may be kept for later
	// use. It does not make a pack fail, but slower to read. The default is
	// 64 MiB.
	Memory uint64
}

// withDefaults returns l with zeros replaced.
func (l Limits) withDefaults() Limits {
	set := func(field *uint64, value uint64) {
		if *field == 0 {
			*field = value
		}
	}
	size := uint64(2 << 30)
	if math.MaxInt == math.MaxInt32 {
		size = 512 << 20
	}
	set(&l.Objects, 1<<26)
	set(&l.PackSize, math.MaxInt64)
	set(&l.ObjectSize, size)
	set(&l.InflatedTotal, 1<<40)
	set(&l.DeltaDepth, math.MaxUint64)
	set(&l.Memory, 64<<20)
	l.Objects = min(l.Objects, math.MaxUint32) // the format's own
	// More cannot be held in a slice, with room for the header.
	l.ObjectSize = min(l.ObjectSize, math.MaxInt-headroom)
	return l
}

// withDefaults returns o with zeros replaced.
func (o Options) withDefaults() Options {
	o.Limits = o.Limits.withDefaults()
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.NewHasher == nil {
		o.NewHasher = newDetecting
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o
}

// BaseFunc returns an object from outside a pack that is the base of a delta in
// it. It returns an error that is fs.ErrNotExist if there is none.
type BaseFunc func(ctx context.Context, id ID) (ObjectType, []byte, error)

// Progress says how far the work is.
type Progress struct {
	Phase Phase
	Done  uint64 // objects or deltas
	Total uint64
	Bytes uint64 // of the pack that have been read
}

// Phase is a part of the work.
type Phase uint8

const (
	// Reading is the first pass, which reads all entries.
	Reading Phase = iota

	// Resolving is the second pass, which resolves deltas.
	Resolving
)

// String returns "reading objects" or "resolving deltas".
func (p Phase) String() string {
	if p == Resolving {
		return "resolving deltas"
	}
	return "reading objects"
}
