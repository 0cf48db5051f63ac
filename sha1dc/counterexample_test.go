//go:build gc && !purego && !noasm && (amd64 || arm64)

package sha1dc

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/plans"
)

// counterexample is a block, and a vector that a kernel may keep otherwise than
// its plan says; of a kernel for many messages, the lane of the block. The block
// stands among others of zeros.
type counterexample struct {
	backend           string
	dv, blocks, place int
	block             [16]uint32
}

// TestCounterexample runs kernels with a block and makes attacks of what they
// keep for a vector, so that one that differs from its plan stops elsewhere.
// "go run ./gen prove" prints the value of SHA1DC_COUNTEREXAMPLE that repeats
// what it found: backend, vector (or "many-" and a kernel, and the lane), number
// of blocks, which of them, and the block in hex. Without, the blocks meet the conditions, or all but one.
func TestCounterexample(t *testing.T) {
	if text := os.Getenv("SHA1DC_COUNTEREXAMPLE"); text != "" {
		var (
			c     counterexample
			block string
		)
		if _, err := fmt.Sscan(text, &c.backend, &c.dv, &c.blocks, &c.place, &block); err != nil {
			t.Fatalf("SHA1DC_COUNTEREXAMPLE: %v", err)
		}
		raw, err := hex.DecodeString(block)
		if err != nil || len(raw) != BlockSize || c.dv < 0 || c.dv >= dvs.Count || c.place < 0 || c.place >= c.blocks || c.blocks > callBlocks {
			t.Fatalf("SHA1DC_COUNTEREXAMPLE: want a backend, a vector from 0 to 31 or a lane, a number of blocks, one of them, and %d bytes in hex", BlockSize)
		}
		for n := range c.block {
			c.block[n] = uint32(raw[4*n])<<24 | uint32(raw[4*n+1])<<16 | uint32(raw[4*n+2])<<8 | uint32(raw[4*n+3])
		}
		replayCounterexample(t, &c)
		return
	}
	table := dvs.Published()
	rng := rand.New(rand.NewPCG(70, 71))
	replay := func(backend string, dv, which int) {
		c := counterexample{backend: backend, dv: which, blocks: 9, place: dv % 9}
		c.block = craft.Passing(table, dv, rng)
		replayCounterexample(t, &c)
		c.block = craft.NearMiss(table, dv, rng.IntN(table.Span(dv).Rank()), rng)
		replayCounterexample(t, &c)
	}
	for dv := range dvs.Count {
		for _, b := range kernels() {
			replay(b.String(), dv, dv)
		}
		for name, lanes := range namedMany() {
			replay(name, dv, dv%lanes)
		}
	}
}

func replayCounterexample(t *testing.T, c *counterexample) {
	t.Helper()
	if strings.HasPrefix(c.backend, "many-") {
		replayMany(t, c)
		return
	}
	var message []byte
	var schedules [][steps]uint32
	for n := range c.blocks {
		var block [16]uint32
		if n == c.place {
			block = c.block
		}
		message = append(message, craft.Bytes(block)...)
		schedules = append(schedules, dvs.Expand(block))
	}
	load := func(name string) *plan.Plan {
		p, err := plans.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	old := messageDifferences[c.dv]
	messageDifferences[c.dv] = [steps]uint32{}
	defer func() { messageDifferences[c.dv] = old }()
	for _, b := range kernels() {
		if b.String() != c.backend {
			continue
		}
		want := stop(b, schedules, 1<<c.dv, load)
		h := initial
		if done := b.kernel(&h, &message[0], c.blocks); done != want {
			t.Errorf("%v: %d blocks added, its plan wants %d: it treats the block %08x otherwise for vector %d", b, done, want, c.block, c.dv)
		}
		return
	}
	t.Errorf("this processor has no backend %q", c.backend)
}
