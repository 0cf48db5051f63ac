package prove

import (
	"errors"
	"fmt"

	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// returned checks what a function leaves when it returns.
func (r *pairRun) returned(fn *asm.Function) error {
	want := 32
	if r.alone {
		want = 8
	}
	if fn.Args != want {
		return fmt.Errorf("%d bytes of arguments, want %d", fn.Args, want)
	}
	if r.alone {
		return r.filtered()
	}
	for address, at := range r.values {
		in := r.lanes.chain(at)
		if err := r.expect(address, in[:]); err != nil {
			return fmt.Errorf("chaining value of lane %d, job %d: %w", at.lane, at.group-r.group, err)
		}
	}
	slot := uint64(slotsBase)
	for lane := range 2 {
		for n, j := range r.jobs {
			for block := range j.n + 1 {
				if err := r.record(slot, place{r.group + n, block, lane}, block == j.n); err != nil {
					return fmt.Errorf("slot of lane %d, job %d, block %d of %d: %w", lane, n, block, j.n, err)
				}
				slot += uint64(r.slot.size)
			}
		}
	}
	return nil
}

// filtered checks what the filter alone leaves.
func (r *pairRun) filtered() error {
	for n, w := range r.filled() {
		if 4*n == r.slot.mask {
			continue
		}
		if err := r.expect(slotsBase+uint64(4*n), []symbolic.Word{w}); err != nil {
			return fmt.Errorf("byte %d of the slot: %w", 4*n, err)
		}
	}
	return r.kept(slotsBase+uint64(r.slot.mask), r.lanes.lanes, r.lanes.block(place{}))
}

// record checks a slot: what a recheck reads of a block, or what it reads of the
// place behind the last one.
func (r *pairRun) record(slot uint64, at place, behind bool) error {
	g, l := r.lanes.g, r.lanes.lanes
	var err error
	expect := func(what string, offset int, want ...symbolic.Word) {
		if fault := r.expect(slot+uint64(offset), want); fault != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", what, fault))
		}
	}
	in, zero := l.chain(at), g.Const(0)
	expect("A to D of the incoming chaining value", r.slot.in, in[:4]...)
	expect("E of the incoming chaining value", r.slot.inE, in[4], zero, zero, zero)
	if behind {
		expect("vectors behind the last block", r.slot.mask, zero)
		return err
	}
	b := l.block(at)
	expect("expanded message", r.slot.words, b.W[:]...)
	for t := r.slot.firstState; r.slot.state+4*(t-r.slot.firstState) < r.slot.in; t += 4 {
		words := b.States[t][:4]
		if t == r.slot.firstState { // for E of the next alone
			words = words[:1]
		}
		expect(fmt.Sprintf("state at step %d", t), r.slot.state+4*(t-r.slot.firstState), words...)
	}
	if err != nil {
		return err
	}
	if r.lanes.first != nil && !r.survivors[at] {
		// What was branched on says that these are none.
		l, b = r.lanes.first, r.lanes.first.block(at)
	}
	return r.kept(slot+uint64(r.slot.mask), l, b)
}

// kept proves that the word at an address has the vectors kept of a block.
func (r *pairRun) kept(at uint64, l *lanes, b *laneBlock) error {
	w, err := r.cpu.Memory.Load(at)
	if err != nil {
		return err
	}
	var claims []claim
	for dv, bit := range l.g.Bits(w) {
		claims = append(claims, claim{bit, b.kept[dv], b, dv})
	}
	if r.refuted(l, claims) {
		return errors.New("other vectors are left than the plan keeps")
	}
	return nil
}

// expect checks words of memory.
func (r *pairRun) expect(at uint64, want []symbolic.Word) error {
	for n, w := range want {
		got, err := r.cpu.Memory.Load(at + uint64(4*n))
		if err != nil {
			return err
		}
		if got != w {
			return fmt.Errorf("word %d is not what the call was to leave", n)
		}
	}
	return nil
}
