//go:build gc && !purego && !noasm

package sha1dc

import (
	"bytes"
	"errors"
	"fmt"
)

// testManyKernels checks the kernels for pairs of messages that this processor
// can run.
func testManyKernels() error {
	for b := range generic {
		k, ok := b.manyKernel()
		if !ok || !b.runs(host) {
			continue
		}
		for _, test := range []func() error{k.testVectors, k.testPublished} {
			if err := test(); err != nil {
				return fault(b.String(), fmt.Errorf("kernel for two messages: %w", err))
			}
		}
	}
	return nil
}

// testVectors makes attacks of the blocks kept for each vector, in either message
// of a pair.
func (k manyKernel) testVectors() error {
	const blocks = 3
	vectors := len(disturbanceVectors)
	kept, clear := newTrial([]byte(keptBlocks)), newTrial(bytes.Repeat([]byte(clearBlock), blocks))
	l := newLanes()
	slots, each := &l.slots[pairSlotSize], blocks+1
	dm := messageDifferences
	for at := blocks; at < len(kept.values)-blocks; at++ {
		from, dv := at-at%blocks, at%vectors
		differences := kept.collide(at, dv)
		for lane := range l.lane {
			l.jobs[0].n = blocks
			for n, m := range []struct {
				trial *trial
				from  int
			}{{&kept, from}, {&clear, 0}} {
				n ^= lane
				l.jobs[0].blocks[n], l.jobs[0].values[n] = &m.trial.message[m.from*BlockSize], &l.values[n]
				l.values[n] = m.trial.values[m.from]
			}
			k.add(l.jobs[:1], slots, each)
			if l.values[lane] != kept.values[from+blocks] || l.values[1-lane] != clear.values[blocks] {
				return fmt.Errorf("chaining values %08x after %d blocks, want %08x and %08x in lane %d and the other", l.values[:2], blocks, kept.values[from+blocks], clear.values[blocks], lane)
			}
			if recheckSHA1(slots, 2*each, &messageDifferences) {
				return errors.New("an attack found that is none")
			}
			dm[dv] = differences
			hit := recheckSHA1(slots, 2*each, &dm)
			dm[dv] = messageDifferences[dv]
			if !hit {
				return fmt.Errorf("no attack with %v found in block %d of lane %d", disturbanceVectors[dv].dv, at-from, lane)
			}
		}
	}
	return nil
}

// testPublished looks for the published attacks, beside each other and beside
// messages without.
func (k manyKernel) testPublished() error {
	var (
		msgs  [][]byte
		order order
	)
	for _, m := range publishedAttacks {
		msgs = append(msgs, []byte(m.message), []byte(m.message), []byte(clearBlock))
	}
	out := make([]Result, len(msgs))
	newLanes().fill(Config{}, k, out, messages{whole: msgs}, &order, nil)
	for n, r := range out {
		m := publishedAttacks[n/3]
		var attack *CollisionError
		if found := errors.As(r.Err, &attack); found != (n%3 < 2) || found && (attack.Offset != int64(m.offset()) || string(r.Digest[:]) != m.mitigated) {
			return fmt.Errorf("message %d beside others: %x, %v", n, r.Digest, r.Err)
		}
	}
	return nil
}
