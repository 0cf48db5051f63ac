//go:build gc && !purego && !noasm

package sha1dc

import (
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
)

// name returns what proofs call the kernel.
func (k manyKernel) name() string { return "many-" + strings.ToLower(manyFilters[k.lanes].name) }

// namedMany returns the numbers of lanes of the kernels for many messages that
// this processor can run, by their names.
func namedMany() map[string]int {
	lanes := make(map[string]int)
	for _, k := range manyKernels() {
		lanes[k.name()] = k.lanes
	}
	return lanes
}

// replayMany runs a kernel for many messages with a block in one lane, among
// others of zeros: it must leave in slots what its plan keeps.
func replayMany(t *testing.T, c *counterexample) {
	t.Helper()
	p := manyPlan(t)
	for _, k := range manyKernels() {
		if k.name() != c.backend {
			continue
		}
		if c.dv >= k.lanes {
			t.Fatalf("SHA1DC_COUNTEREXAMPLE: lane %d of %d", c.dv, k.lanes)
		}
		var parts part
		for lane := range parts {
			parts[lane] = make([]byte, c.blocks*BlockSize)
		}
		copy(parts[c.dv][c.place*BlockSize:], craft.Bytes(c.block))
		w := dvs.Expand(c.block)
		want := ^uint32(p.Dismissed(&w))
		a := newLanes().area
		if done := k.add(&parts, a, 0, 0, c.blocks, 0, 1); done != c.blocks {
			t.Errorf("%s: %d of %d blocks added", c.backend, done, c.blocks)
		}
		var have uint32
		switch {
		case a.used > 1 || a.used == 1 && a.owner[0] != uint32(c.dv):
			t.Errorf("%s: %d blocks in slots, the first of lane %d; the plan dismisses those of zeros", c.backend, a.used, a.owner[0])
		case a.used == 1:
			have = a.slot(0).word(manySlotMask)
		}
		if have != want {
			t.Errorf("%s: vectors %08x are kept of the block %08x in lane %d, its plan keeps %08x", c.backend, have, c.block, c.dv, want)
		}
		return
	}
	t.Errorf("this processor has no kernel %q", c.backend)
}
