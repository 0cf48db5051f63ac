package prove

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// argument sizes of the functions, in bytes with the result.
var argumentSizes = [...]int{addBlocks: 64, addSame: 24, filterAlone: 8}

// returned checks what a function leaves when it returns.
func (r *manyRun) returned(fn *asm.Function) error {
	if want := argumentSizes[r.do]; fn.Args != want {
		return fmt.Errorf("%d bytes of arguments and results, want %d", fn.Args, want)
	}
	switch r.do {
	case filterAlone:
		return r.filtered()
	case addSame:
		for lane := range r.kernel.Lanes {
			r.expectValue(0, lane, r.same(lane))
		}
		return r.unchanged()
	}
	done, err := r.added()
	if err != nil {
		return err
	}
	per := r.blocks()
	for group := range r.groups {
		for lane := range r.kernel.Lanes {
			at := place{group, min(max(done-group*per, 0), per), lane}
			r.expectValue(group, lane, r.lanes.chain(at))
		}
	}
	if err := r.records(done); err != nil {
		return err
	}
	return r.unchanged()
}

// added returns how many blocks the kernel says that it added. It may stop
// before the last if slots run short, but not before the first.
func (r *manyRun) added() (int, error) {
	done, err := r.number(r.fp + 56)
	if err != nil {
		return 0, fmt.Errorf("result: %w", err)
	}
	all := r.groups * r.blocks()
	if done < 1 || done > all {
		return 0, fmt.Errorf("%d blocks reported, want 1 to %d", done, all)
	}
	used, err := r.number(r.base() + uint64(r.area.used.at))
	if err != nil {
		return 0, fmt.Errorf("slots in use: %w", err)
	}
	if done < all && used <= r.area.records-2*r.area.lanes {
		return 0, fmt.Errorf("stops after %d of %d blocks, with %d slots in use", done, all, used)
	}
	return done, nil
}

// number returns the number of 64 bits at an address, which must be a constant.
func (r *manyRun) number(at uint64) (int, error) {
	low, err1 := r.cpu.Memory.Load(at)
	high, err2 := r.cpu.Memory.Load(at + 4)
	if err := errors.Join(err1, err2); err != nil {
		return 0, err
	}
	v, ok := r.lanes.g.Value(low)
	if top, ok2 := r.lanes.g.Value(high); !ok || !ok2 || top != 0 || int32(v) < 0 {
		return 0, errors.New("no number, or none in range")
	}
	return int(v), nil
}

// expectValue says what the chaining value of a lane must be.
func (r *manyRun) expectValue(group, lane int, want spec.State) {
	for n, w := range want {
		r.before[r.base()+uint64(r.area.values.at+4*(((r.group+group)*5+n)*r.area.lanes+lane))] = w
	}
}

// same returns the chaining value of a lane after the block that is the same in
// all: sums are the expanded words and the constants of their steps.
func (r *manyRun) same(lane int) spec.State {
	g := r.lanes.g
	var w [spec.Steps]symbolic.Word
	for t := range w {
		w[t] = g.Sub(r.sums[t], g.Const(spec.Constant(t)))
	}
	return spec.Compress(g, r.lanes.chain(place0(lane)), w).Out
}

// filtered checks what the filter leaves of the words in the first bank.
func (r *manyRun) filtered() error {
	for lane := range r.kernel.Lanes {
		at := r.base() + uint64(r.area.banks.at+r.area.bankKept+4*lane)
		if err := r.kept(at, r.lanes.block(place0(lane))); err != nil {
			return err
		}
	}
	return r.unchanged()
}

// kept proves that the word at an address has the vectors kept of a block.
func (r *manyRun) kept(at uint64, b *laneBlock) error {
	w, err := r.cpu.Memory.Load(at)
	if err != nil {
		return err
	}
	var claims []claim
	for dv, bit := range r.lanes.g.Bits(w) {
		claims = append(claims, claim{bit, b.kept[dv], b, dv})
	}
	if r.wrong = r.lanes.prove(claims); r.wrong != nil {
		return fmt.Errorf("other vectors are left for lane %d than the plan keeps", b.lane)
	}
	return nil
}

// records checks the slots: there must be one for every block that survives of
// those added, and no other.
func (r *manyRun) records(done int) error {
	used, err := r.number(r.base() + uint64(r.area.used.at))
	if err != nil {
		return err
	}
	left := make(map[place]bool)
	for at := range r.survivors {
		if at.group*r.blocks()+at.block < done {
			left[at] = true
		}
	}
	if used != r.used+len(left) || used > r.area.records {
		return fmt.Errorf("%d slots in use, want %d", used, r.used+len(left))
	}
	for n := r.used; n < used; n++ {
		at, err := r.owner(n, left)
		if err != nil {
			return fmt.Errorf("slot %d: %w", n, err)
		}
		delete(left, at)
		if err := r.record(n, r.lanes.block(at)); err != nil {
			return fmt.Errorf("slot %d: %w", n, err)
		}
	}
	r.before[r.base()+uint64(r.area.used.at)] = r.lanes.g.Const(uint32(used))
	return nil
}

// owner returns which of the survivors a slot has.
func (r *manyRun) owner(n int, survivors map[place]bool) (place, error) {
	where := r.base() + uint64(r.area.owner.at+4*n)
	w, err1 := r.cpu.Memory.Load(where)
	first, err2 := r.cpu.Memory.Load(r.slot(n) + uint64(r.area.recordW(0)))
	if err := errors.Join(err1, err2); err != nil {
		return place{}, err
	}
	lane, ok := r.lanes.g.Value(w)
	if !ok {
		return place{}, errors.New("has no owner")
	}
	for at := range survivors {
		if r.lanes.block(at).W[0] == first {
			if int(lane) != (r.group+at.group)*r.area.lanes+at.lane {
				return place{}, fmt.Errorf("owner %d has a block of lane %d of group %d", lane, at.lane, r.group+at.group)
			}
			r.before[where] = w
			return at, nil
		}
	}
	return place{}, errors.New("has no block that survived, or one twice")
}

// slot returns where a slot starts.
func (r *manyRun) slot(n int) uint64 { return r.base() + uint64(r.area.slots.at+n*r.area.slotSize) }

// record checks what is left of a block in a slot.
func (r *manyRun) record(n int, b *laneBlock) error {
	expect := func(offset int, w symbolic.Word) { r.before[r.slot(n)+uint64(offset)] = w }
	for t, w := range b.W {
		expect(r.area.recordW(t), w)
	}
	for t := 52; t <= 68; t += 4 {
		for i := range 4 {
			expect(r.area.recordState(t, i), b.States[t][i])
		}
	}
	for i, w := range b.Out {
		expect(r.area.recordOut(i), w)
	}
	mask := r.slot(n) + uint64(r.area.slotMask)
	delete(r.before, mask)
	return r.kept(mask, b)
}

// unchanged checks all words of the area that the call was to set, or to leave
// as they are.
func (r *manyRun) unchanged() error {
	for _, at := range slices.Sorted(maps.Keys(r.before)) {
		w, err := r.cpu.Memory.Load(at)
		if err != nil {
			return err
		}
		if w != r.before[at] {
			return fmt.Errorf("the word at %s is not what the call was to leave", r.where(at))
		}
	}
	return nil
}

// where names an address of the area.
func (r *manyRun) where(at uint64) string {
	n, a := int(at-r.base()), r.area
	for _, f := range []struct {
		name string
		room
		size int
	}{
		{"chaining values", a.values, 20 * a.lanes}, {"idle lanes", a.idle, a.idle.size}, {"owners", a.owner, a.owner.size},
		{"slots", a.slots, a.slotSize}, {"number of slots", a.used, a.used.size},
	} {
		if n >= f.at && n < f.at+f.room.size {
			return fmt.Sprintf("byte %d of item %d of the %s", (n-f.at)%f.size, (n-f.at)/f.size, f.name)
		}
	}
	return fmt.Sprintf("byte %d of the area", n)
}
