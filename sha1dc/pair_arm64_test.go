//go:build gc && !purego && !noasm

package sha1dc

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/plans"
)

// pairs are the kernels for two messages, their filters, and the plan of these.
var pairs = [len(backends)]struct {
	name   string
	filter func(slot *byte)
	plan   string
}{
	sha1NEON:  {"pairSHA1NEON", filterPairSHA1NEON, "neon"},
	sha1NEON2: {"pairSHA1NEON2", filterPairSHA1NEON2, "neon"},
}

func TestPairFilterEqualsPlan(t *testing.T) {
	for _, b := range kernels() {
		t.Run(b.String(), func(t *testing.T) { testFilter(t, pairs[b].filter, pairs[b].plan) })
	}
}

// word and words are of the slot n.
func (s slots) word(n, offset int) uint32 { return binary.LittleEndian.Uint32(s[n*slotSize+offset:]) }

func (s slots) words(n, offset int) [4]uint32 {
	return [4]uint32{s.word(n, offset), s.word(n, offset+4), s.word(n, offset+8), s.word(n, offset+12)}
}

// TestPairKernel checks the contract of the kernels: the chaining values, and what
// they leave in slots.
func TestPairKernel(t *testing.T) {
	table := dvs.Published()
	_, worst := craft.MostVectors(table)
	count := 300
	if testing.Short() {
		count = 25
	}
	for _, b := range kernels() {
		p, err := plans.Load(pairs[b].plan)
		if err != nil {
			t.Fatal(err)
		}
		k, _ := b.manyKernel()
		rng := rand.New(rand.NewPCG(120, 121))
		kept := 0
		for range count {
			// A list of jobs, each on two of several messages; it ends with the slots.
			var (
				jobs     []pairJob
				messages [6][5]uint32
				want     [6][5]uint32
				in       [2][][5]uint32 // before each block and after the last of a job
				blocks   [2][][16]uint32
				data     []byte
			)
			for m := range messages {
				for i := range messages[m] {
					messages[m][i] = rng.Uint32()
				}
			}
			want = messages
			each := 0
			for len(jobs) < 1+rng.IntN(pairJobs) && each < pairBlocks-1 {
				n := 1 + rng.IntN(min(1+rng.IntN(12), pairBlocks-1-each))
				j := pairJob{n: n}
				first := rng.IntN(len(messages))
				for i, m := range []int{first, (first + 1 + rng.IntN(len(messages)-1)) % len(messages)} {
					data = nil
					for range n {
						var block [16]uint32
						for w := range block {
							block[w] = rng.Uint32()
						}
						switch rng.IntN(8) {
						case 0:
							block = craft.Passing(table, rng.IntN(dvs.Count), rng)
						case 1:
							block = worst.Block(rng)
						}
						blocks[i] = append(blocks[i], block)
						data = append(data, craft.Bytes(block)...)
					}
					blocks[i] = append(blocks[i], [16]uint32{})
					values := chainingValues(want[m], data)
					in[i] = append(in[i], values...)
					want[m] = values[n]
					j.blocks[i], j.values[i] = &data[0], &messages[m]
				}
				jobs = append(jobs, j)
				each += n + 1
			}
			s := newSlots(2*each+1, rng)
			k.add(jobs, &s[slotSize], each)
			s = s[slotSize:]
			if messages != want {
				t.Fatalf("%v, %d jobs: values %08x, want %08x", b, len(jobs), messages, want)
			}
			for i := range blocks {
				at, left := 0, jobs[0].n
				for n := range each {
					slot, h := i*each+n, in[i][n]
					what := fmt.Sprintf("%v, job %d of %d, %d blocks before its end, slot %d of %d times 2", b, at, len(jobs), left, n, each)
					if got := s.words(slot, slotIn); got != [4]uint32(h[:]) || s.words(slot, slotInE) != [4]uint32{h[4]} {
						t.Fatalf("%s: incoming value %08x, %08x, want %08x", what, got, s.words(slot, slotInE), h)
					}
					if left == 0 {
						if mask := s.word(slot, slotMask); mask != 0 {
							t.Fatalf("%s: vectors %08x", what, mask)
						}
						if at++; at < len(jobs) {
							left = jobs[at].n
						}
						continue
					}
					left--
					w, st := expanded(h, blocks[i][n])
					for step, word := range w {
						if got := s.word(slot, slotW+4*step); got != word {
							t.Fatalf("%s: word %d is %08x, want %08x", what, step, got, word)
						}
					}
					for at, state := range st {
						step := 56 + 4*at
						a := s.word(slot, slotState+4*(step-4-slotFirstState))
						if got := s.words(slot, slotState+4*(step-slotFirstState)); got != [4]uint32(state[:]) || a<<30|a>>2 != state[4] {
							t.Fatalf("%s: state %08x, %08x before at step %d, want %08x", what, got, a, step, state)
						}
					}
					mask := ^uint32(p.Dismissed(&w))
					if got := s.word(slot, slotMask); got != mask {
						t.Fatalf("%s: vectors %08x, the plan keeps %08x", what, got, mask)
					}
					if mask != 0 {
						kept++
					}
				}
			}
		}
		if kept < count {
			t.Errorf("%v: %d blocks kept, the test sees nothing", b, kept)
		}
	}
}

// expanded returns the expanded message of a block and its test states.
func expanded(h [5]uint32, block [16]uint32) (w [steps]uint32, st testStates) {
	compressGeneric(&h, (*[BlockSize]byte)(craft.Bytes(block)), &w, &st)
	return w, st
}

// A backend must ask the processor for what its kernel for two messages needs,
// call that and no other, and that must call nothing.
func TestPairNeeds(t *testing.T) {
	functions := assembly(t)
	for b := range generic {
		text := functions[pairs[b].name]
		_, list, ok := strings.Cut(text, "\n// Requires: ")
		list, _, _ = strings.Cut(list, "\n")
		if f := extensions[list]; !ok || f == 0 || backends[b].needs&f != f {
			t.Errorf("%v: %s requires %q, which the backend does not need", b, pairs[b].name, list)
		}
		if strings.Contains(text, "CALL") {
			t.Errorf("%s calls a function", pairs[b].name)
		}
	}
	if _, ok := generic.manyKernel(); ok {
		t.Error("pure Go has a kernel for many messages")
	}
}

// What the kernels know of the runtime's types must be true of them.
func TestPairLayout(t *testing.T) {
	if pairSlotSize != slotSize {
		t.Errorf("slots of %d bytes, want %d", pairSlotSize, slotSize)
	}
	if size := unsafe.Sizeof(pairJob{}); size != 40 {
		t.Errorf("jobs of %d bytes", size)
	}
}
