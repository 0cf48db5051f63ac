package gitpack

import (
	"errors"

	"github.com/sha1dc/go/sha1dc"
)

// A Hasher computes ids of objects. It is used by one goroutine at a time.
type Hasher interface {
	// SumMany sets results[n] for messages[n], which are the headers and contents
	// of objects. It must not keep the messages.
	SumMany(results []HashResult, messages [][]byte)

	// Reset, Write and Result hash one message that comes in pieces.
	Reset()
	Write(p []byte) (int, error)
	Result() HashResult
}

// HashResult is what a Hasher found out about a message.
type HashResult struct {
	ID     ID                     // the plain SHA-1
	Attack *sha1dc.CollisionError // nil if the message is no part of an attack
}

// detecting is the Hasher for everything but tests. It hashes small objects side
// by side.
type detecting struct {
	*sha1dc.Digest
	batch   *sha1dc.Batch
	results []sha1dc.Result
}

var detectOnly = sha1dc.Config{Mode: sha1dc.DetectOnly}

func newDetecting() Hasher {
	return &detecting{Digest: detectOnly.New(), batch: detectOnly.NewBatch()}
}

func (d *detecting) SumMany(results []HashResult, messages [][]byte) {
	d.results = d.batch.Sum(d.results[:0], messages)
	for n, r := range d.results {
		results[n] = hashResult(r.Digest, r.Err)
	}
}

func (d *detecting) Result() HashResult {
	return hashResult(ID(d.Sum(nil)), d.Err())
}

func hashResult(sum ID, err error) HashResult {
	r := HashResult{ID: sum}
	errors.As(err, &r.Attack)
	return r
}
