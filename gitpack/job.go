package gitpack

import (
	"context"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A job is the reading of one pack: what both passes share.
type job struct {
	opt      Options
	table    table
	refs     []refDelta
	batches  *batches
	checksum ID
	end      uint64 // offset of the checksum

	total  atomic.Uint64 // bytes inflated or made from deltas
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	attacks []*CollisionError
	types   [objectTypes]TypeCount // of the objects that are stored as deltas
}

// inflated counts bytes towards the limit for all.
func (j *job) inflated(n, offset uint64) error {
	if total := j.total.Add(n); total > j.opt.Limits.InflatedTotal || total < n {
		return &LimitError{Limit: "InflatedTotal", Max: j.opt.Limits.InflatedTotal, Offset: offset}
	}
	return nil
}

// hashed sets the id of an entry. The error is that for an object that is part
// of an attack, if that is refused; the job is cancelled then too.
func (j *job) hashed(e *entry, r HashResult) error {
	e.id = r.ID
	if r.Attack == nil {
		return nil
	}
	attack := &CollisionError{
		Object: r.ID, Mitigated: r.Attack.Mitigated, Type: e.object, Offset: e.offset,
		BlockOffset: r.Attack.Offset, DV: r.Attack.DV,
	}
	j.mu.Lock()
	j.attacks = append(j.attacks, attack)
	j.mu.Unlock()
	if j.opt.Collisions == ListCollisions {
		return nil
	}
	j.cancel(attack)
	return attack
}

// firstPass reads the pack from src, and copies it to spool if that is not nil.
// It is eager if src is a file.
func (j *job) firstPass(ctx context.Context, src io.Reader, spool io.Writer, eager bool) error {
	if !eager {
		r := newCancelReader(ctx, src)
		defer r.stop()
		src = r
	}
	j.batches = startBatches(j, j.opt.Limits.Memory/2)
	s := &scan{job: j, w: newWindow(src, spool, eager, j.opt.Limits.PackSize), progress: ticker{report: j.opt.Progress}}
	err := s.run(ctx)
	j.batches.wait()
	s.progress.last()
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}

// sortAttacks puts the attacks in the order of the pack.
func (j *job) sortAttacks() {
	slices.SortFunc(j.attacks, func(a, b *CollisionError) int {
		if a.Offset < b.Offset {
			return -1
		}
		return 1
	})
}

// A ticker passes on progress, but not too often.
type ticker struct {
	report func(Progress)
	count  uint
	next   time.Time
	latest Progress
}

// The clock is read for one in tickerCalls calls, and progress reported at most
// every tickerInterval.
const (
	tickerCalls    = 64
	tickerInterval = 100 * time.Millisecond
)

func (t *ticker) tell(p Progress) {
	t.latest = p
	if t.count++; t.count%tickerCalls != 0 {
		return
	}
	if now := time.Now(); now.After(t.next) {
		t.next = now.Add(tickerInterval)
		t.report(p)
	}
}

// last reports the latest progress in any case.
func (t *ticker) last() {
	if t.count > 0 {
		t.report(t.latest)
	}
}
