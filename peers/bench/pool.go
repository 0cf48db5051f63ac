package main

import (
	"math/rand/v2"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
)

// poolSize is far more than a branch predictor can learn, and than the largest
// message.
const poolSize = 16 << 20

// An input is a kind of bytes to hash.
type input struct {
	name  string
	align int // of the messages in the pool
	fill  func(pool []byte)
}

var inputs = []input{
	{"random", 1, func(pool []byte) {
		rand.NewChaCha8([32]byte{'p', 'o', 'o', 'l'}).Read(pool)
	}},

	// What an attacker of speed would send: in messages of whole blocks, each
	// block passes the filter for as many disturbance vectors as there can be.
	{"surviving", 64, func(pool []byte) {
		rng := rand.New(rand.NewPCG(1, 2))
		_, worst := craft.MostVectors(dvs.Published())
		for ; len(pool) > 0; pool = pool[64:] {
			copy(pool, craft.Bytes(worst.Block(rng)))
		}
	}},
}

// A feed cuts messages from a pool.
type feed struct {
	pool  []byte
	align int
	rng   *rand.Rand
}

func newFeed(in input) *feed {
	f := &feed{make([]byte, poolSize), in.align, rand.New(rand.NewPCG(3, 4))}
	in.fill(f.pool)
	return f
}

// messages sets msgs to messages of size bytes.
func (f *feed) messages(msgs [][]byte, size int) {
	f.cut(msgs, func(int) int { return size })
}

// lengths sets msgs to messages of the given lengths.
func (f *feed) lengths(msgs [][]byte, lengths []int) {
	f.cut(msgs, func(n int) int { return lengths[n] })
}

// cut sets msgs to messages of the given sizes. They follow each other, so
// that memory is read ahead, from a random start; every passage through the
// pool starts at another byte, so they are distinct.
func (f *feed) cut(msgs [][]byte, size func(n int) int) {
	at := f.align * f.rng.IntN(poolSize/f.align)
	for n := range msgs {
		size := size(n)
		if at+size > poolSize {
			at = f.align * f.rng.IntN(max(1, min(size, poolSize-size)/f.align))
		}
		msgs[n] = f.pool[at : at+size : at+size]
		at += (size + f.align - 1) / f.align * f.align
	}
}
