package sha1dc

import (
	"context"
	"iter"
	"runtime"
)

// Message is a message for SumChan: the concatenation of its pieces.
type Message[K any] struct {
	Key    K // tells its result from those of other messages
	Pieces [][]byte
}

// Summed is the result of the message with the same key.
type Summed[K any] struct {
	Key K
	Result
}

// The messages that a stream takes before it hashes them together: so many, or
// enough of them for all lanes if they have so many bytes.
const (
	streamMessages = 256
	streamEnough   = 32
	streamBytes    = 4 << 20
)

// SumSeq yields the result of each message in pieces that msgs yields, in the
// same order and with the same key. It is for messages that are made or read
// one by one and need not all be in memory: it takes up to 256 messages, or 4
// MiB in 32 messages or more, before it yields their results. A message must
// not change until its result is there.
//
// It starts no goroutines. If ctx is done, it ends early: ctx.Err tells.
func SumSeq[K any](ctx context.Context, c Config, msgs iter.Seq2[K, [][]byte]) iter.Seq2[K, Result] {
	return func(yield func(K, Result) bool) {
		s := stream[K]{batch: c.NewBatch(), stop: ctx.Done()}
		flush := func() bool {
			for n, r := range s.results() {
				if !yield(s.keys[n], r) {
					return false
				}
			}
			s.reset()
			return !stopped(s.stop)
		}
		for key, pieces := range msgs {
			if stopped(s.stop) {
				return
			}
			if s.put(key, pieces); s.full() && !flush() {
				return
			}
		}
		flush()
	}
}

// SumChan hashes the messages that come from in, and sends their results to out
// in the same order, until in is closed; then it returns nil. If ctx is done,
// it returns ctx.Err, and results may be missing.
//
// It hashes together what is waiting in the channel, up to 256 messages, and
// waits for no more than one: a channel with a buffer of some 64 messages makes
// it fast. A message must not change until its result is there. It starts no
// goroutines and closes no channels; several calls may share the channels, so
// as to use several cores.
func SumChan[K any](ctx context.Context, c Config, in <-chan Message[K], out chan<- Summed[K]) error {
	s := stream[K]{batch: c.NewBatch(), stop: ctx.Done()}
	for {
		select {
		case m, ok := <-in:
			if !ok {
				return ctx.Err()
			}
			s.put(m.Key, m.Pieces)
		case <-s.stop:
			return ctx.Err()
		}
		s.putWaiting(in)
		for n, r := range s.results() {
			select {
			case out <- Summed[K]{s.keys[n], r}:
			case <-s.stop:
				return ctx.Err()
			}
		}
		if stopped(s.stop) {
			return ctx.Err()
		}
		s.reset()
	}
}

// stream is the messages that a stream has taken and not yet hashed.
type stream[K any] struct {
	batch  *Batch
	stop   <-chan struct{}
	keys   []K
	pieces [][][]byte
	sums   []Result
	bytes  uint64
}

// put takes a message.
func (s *stream[K]) put(key K, pieces [][]byte) {
	s.keys = append(s.keys, key)
	s.pieces = append(s.pieces, pieces)
	s.bytes += length(pieces)
}

// putWaiting takes the messages that wait in a channel, and gives their sender
// a chance to send more.
func (s *stream[K]) putWaiting(in <-chan Message[K]) {
	for waited := false; !s.full(); {
		select {
		case m, ok := <-in:
			if !ok {
				return
			}
			s.put(m.Key, m.Pieces)
		default:
			if waited {
				return
			}
			waited = true
			runtime.Gosched()
		}
	}
}

// full reports whether it is time to hash.
func (s *stream[K]) full() bool {
	return len(s.keys) >= streamMessages || len(s.keys) >= streamEnough && s.bytes >= streamBytes
}

// results returns the results of the messages taken, or none if stop is closed.
func (s *stream[K]) results() []Result {
	n := len(s.keys)
	s.sums = extend(s.sums[:0], n)
	s.batch.fill(s.sums, messages{pieces: s.pieces}, s.stop)
	if stopped(s.stop) {
		return nil
	}
	return s.sums
}

// reset forgets the messages.
func (s *stream[K]) reset() {
	clear(s.keys)
	clear(s.pieces)
	clear(s.sums)
	s.keys, s.pieces, s.bytes = s.keys[:0], s.pieces[:0], 0
}
