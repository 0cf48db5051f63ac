//go:build gc && !purego && !noasm

package sha1dc

import (
	"testing"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/plans"
)

// namedMany returns the numbers of lanes of the kernels for many messages that
// this processor can run, by their names.
func namedMany() map[string]int {
	lanes := make(map[string]int)
	for _, b := range kernels() {
		lanes["many-"+b.String()] = 2
	}
	return lanes
}

// replayMany runs a kernel for pairs of messages with a block in one of them,
// among others of zeros: its slot must have what the plan keeps.
func replayMany(t *testing.T, c *counterexample) {
	t.Helper()
	if c.dv >= 2 || c.blocks >= pairBlocks {
		t.Fatalf("SHA1DC_COUNTEREXAMPLE: message %d of 2, %d blocks of %d", c.dv, c.blocks, pairBlocks-1)
	}
	for _, b := range kernels() {
		if "many-"+b.String() != c.backend {
			continue
		}
		p, err := plans.Load(pairs[b].plan)
		if err != nil {
			t.Fatal(err)
		}
		k, _ := b.manyKernel()
		var messages [2][]byte
		var values [2][5]uint32
		for n := range messages {
			messages[n] = make([]byte, c.blocks*BlockSize)
		}
		copy(messages[c.dv][c.place*BlockSize:], craft.Bytes(c.block))
		each := c.blocks + 1
		s := make(slots, (2*each+1)*slotSize)
		k.add([]pairJob{{
			blocks: [2]*byte{&messages[0][0], &messages[1][0]},
			values: [2]*[5]uint32{&values[0], &values[1]},
			n:      c.blocks,
		}}, &s[slotSize], each)
		for slot := range 2 * each {
			want := uint32(0)
			if slot == c.dv*each+c.place {
				w := dvs.Expand(c.block)
				want = ^uint32(p.Dismissed(&w))
			}
			if have := s[slotSize:].word(slot, slotMask); have != want {
				t.Errorf("%s: vectors %08x are kept in slot %d of %d, want %08x, by its plan and the block %08x in slot %d of message %d", c.backend, have, slot, 2*each, want, c.block, c.place, c.dv)
			}
		}
		return
	}
	t.Errorf("this processor has no kernel %q", c.backend)
}
