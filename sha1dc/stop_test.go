//go:build gc && !purego && !noasm && (amd64 || arm64)

package sha1dc

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/plans"
)

// stop returns where a kernel must stop: before the first chunk with a block
// that its plan keeps for a vector in hits, or before that block. Kernels without
// the SHA extensions filter eight blocks side by side, and the rest one by one.
func stop(b backend, schedules [][steps]uint32, hits uint32, load func(string) *plan.Plan) int {
	kept := func(from, to int, p *plan.Plan) bool {
		for n := from; n < to; n++ {
			if ^uint32(p.Dismissed(&schedules[n]))&hits != 0 {
				return true
			}
		}
		return false
	}
	blocks := len(schedules)
	if name := filters[b].plan; name != "" {
		for n := 0; n < blocks; n += stopBlocks {
			if kept(n, min(n+stopBlocks, blocks), load(name)) {
				return n
			}
		}
		return blocks
	}
	for n := range blocks {
		name := "eight"
		if n >= blocks&^7 {
			name = "avx2"
		}
		if kept(n, n+1, load(name)) {
			return n
		}
	}
	return blocks
}

// TestStopsWherePlanSays makes attacks of whatever a plan keeps for some of the
// vectors, so that a filter that keeps or dismisses anything else stops the
// kernel elsewhere. Chunks with few and with many survivors, at the start, in
// the middle and at the end, take all the ways through the kernel.
func TestStopsWherePlanSays(t *testing.T) {
	table := dvs.Published()
	rng := rand.New(rand.NewPCG(60, 61))
	loaded := make(map[string]*plan.Plan)
	load := func(name string) *plan.Plan {
		if loaded[name] == nil {
			p, err := plans.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			loaded[name] = p
		}
		return loaded[name]
	}
	_, worst := craft.MostVectors(table)
	kinds := []func() [16]uint32{
		func() (b [16]uint32) {
			for n := range b {
				b[n] = rng.Uint32()
			}
			return b
		},
		func() [16]uint32 { return craft.Passing(table, rng.IntN(dvs.Count), rng) },
		func() [16]uint32 {
			dv := rng.IntN(dvs.Count)
			return craft.NearMiss(table, dv, rng.IntN(table.Span(dv).Rank()), rng)
		},
		func() [16]uint32 { return worst.Block(rng) },
	}
	messages := 400
	if testing.Short() {
		messages = 100
	}
	stopped := make(map[backend]int)
	for n := range messages {
		var hits uint32
		for range rng.IntN(3) {
			dv := rng.IntN(dvs.Count)
			hits |= 1 << dv
		}
		for dv := range dvs.Count {
			if hits>>dv&1 != 0 {
				setDM(t, dv, [steps]uint32{})
			}
		}
		var message []byte
		var schedules [][steps]uint32
		rare := rng.IntN(12) // one block in so many is of another kind than the first
		for range 1 + rng.IntN(5*chunkBlocks) {
			kind := kinds[0]
			if rng.IntN(rare+1) == 0 {
				kind = kinds[rng.IntN(len(kinds))]
			}
			block := kind()
			message = append(message, craft.Bytes(block)...)
			schedules = append(schedules, dvs.Expand(block))
		}
		values := chainingValues(initial, message)
		for _, b := range kernels() {
			if !b.suits(host) && n%16 != 0 {
				continue
			}
			want := stop(b, schedules, hits, load)
			h := initial
			if done := b.kernel(&h, &message[0], len(schedules)); done != want || h != values[want] {
				t.Fatalf("%v, %d blocks, attacks with %08x: %d added, %08x, want %d, %08x", b, len(schedules), hits, done, h, want, values[want])
			}
			if want < len(schedules) {
				stopped[b]++
			}
		}
		for dv, d := range dvs.All() {
			messageDifferences[dv] = d.DM()
		}
	}
	for _, b := range kernels() {
		if b.suits(host) && stopped[b] < messages/10 {
			t.Errorf("%v: stopped in %d of %d messages only", b, stopped[b], messages)
		}
	}
}

// TestSlotsStayApart runs kernels at many depths of the stack, since they align
// their slots in the frame. In the first chunk nothing survives, in the second
// every block does, and in the third all of these are rechecked: a slot that
// overlaps the list of them shows.
func TestSlotsStayApart(t *testing.T) {
	table := dvs.Published()
	rng := rand.New(rand.NewPCG(62, 63))
	const dv = 9
	var followed []*plan.Plan
	for _, f := range filters {
		if f.plan == "" {
			continue
		}
		p, err := plans.Load(f.plan)
		if err != nil {
			t.Fatal(err)
		}
		followed = append(followed, p)
	}
	clean := opposing(dv)
	var message []byte
	for range chunkBlocks {
		message = append(message, craft.Bytes(clean.Block(rng))...)
	}
	for range chunkBlocks {
		// A block that no plan keeps for another vector: the list must be full, and
		// must not run over.
		for {
			block := craft.Passing(table, dv, rng)
			w := dvs.Expand(block)
			if !slices.ContainsFunc(followed, func(p *plan.Plan) bool { return ^p.Dismissed(&w) != 1<<dv }) {
				message = append(message, craft.Bytes(block)...)
				break
			}
		}
	}
	for range chunkBlocks + 4 {
		message = append(message, craft.Bytes(clean.Block(rng))...)
	}
	blocks := len(message) / BlockSize
	want := chainingValues(initial, message)[blocks]
	for _, b := range kernels() {
		depths := 40
		if !b.suits(host) {
			depths = 8
		}
		for depth := range depths {
			for _, call := range []func(backend, *[5]uint32, []byte, int) int{deepCall, deepCall24, deepCall32} {
				h, done := initial, make(chan int)
				go func() { done <- call(b, &h, message, depth) }()
				if n := <-done; n != blocks || h != want {
					t.Fatalf("%v, depth %d: %d of %d blocks, %08x, want %08x", b, depth, n, blocks, h, want)
				}
			}
		}
	}
}

// deepCall calls a kernel below so many frames.
//
//go:noinline
func deepCall(b backend, h *[5]uint32, p []byte, depth int) int {
	if depth > 0 {
		return deepCall(b, h, p, depth-1)
	}
	return b.kernel(h, &p[0], len(p)/BlockSize)
}

// deepCall24 and deepCall32 have frames of other sizes.
//
//go:noinline
func deepCall24(b backend, h *[5]uint32, p []byte, depth int) int {
	var shift [3]uint64
	shift[depth%3] = uint64(depth)
	return deepCall(b, h, p, depth) + int(shift[(depth+1)%3])
}

//go:noinline
func deepCall32(b backend, h *[5]uint32, p []byte, depth int) int {
	var shift [4]uint64
	shift[depth%4] = uint64(depth)
	return deepCall(b, h, p, depth) + int(shift[(depth+1)%4])
}
