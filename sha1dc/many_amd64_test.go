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
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/plans"
)

// manyFilters are the filters of the kernels for many messages, by their lanes.
var manyFilters = map[int]struct {
	filter func(area *byte)
	name   string
	needs  features
}{
	16: {filterManyAVX512, "AVX512", needAVX512},
	8:  {filterManyAVX2, "AVX2", avx | avx2},
}

// manyKernels returns the kernels for many messages that this processor can
// run.
func manyKernels() []manyKernel {
	var out []manyKernel
	for lanes, f := range manyFilters {
		if f.needs&^host == 0 {
			out = append(out, manyKernel{lanes: lanes, shani: needSHANI&^host == 0})
		}
	}
	return out
}

// manyPlan returns the plan of all of them.
func manyPlan(t *testing.T) *plan.Plan {
	p, err := plans.Load("many")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// banked returns the word at an offset of the first bank, for a lane.
func banked(a *manyArea, offset, lane int) []byte { return a.banks[offset+4*lane:][:4] }

// TestManyFilterEqualsPlan compares the filters with their plan evaluated in
// plain Go: on expanded messages, on arbitrary words, and around blocks that
// meet the conditions of each vector, with every bit of their words flipped.
func TestManyFilterEqualsPlan(t *testing.T) {
	table, p := dvs.Published(), manyPlan(t)
	for _, k := range manyKernels() {
		f := manyFilters[k.lanes]
		t.Run(f.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(110, 111))
			a := newLanes().area
			var schedules [][steps]uint32 // one a lane
			check := func() {
				t.Helper()
				for lane := range schedules {
					a.idle[lane] = -uint32(rng.IntN(20) / 19)
					for step, w := range schedules[lane] {
						binary.LittleEndian.PutUint32(banked(a, manyBankWord+step*manyRow, lane), w)
					}
				}
				f.filter((*byte)(unsafe.Pointer(a)))
				for lane := range schedules {
					want := ^uint32(p.Dismissed(&schedules[lane])) &^ a.idle[lane]
					if got := binary.LittleEndian.Uint32(banked(a, manyBankKept, lane)); got != want {
						t.Fatalf("lane %d, idle %08x: %08x kept, the plan keeps %08x: %08x", lane, a.idle[lane], got, want, schedules[lane])
					}
				}
				schedules = schedules[:0]
			}
			put := func(w [steps]uint32) {
				t.Helper()
				if schedules = append(schedules, w); len(schedules) == k.lanes {
					check()
				}
			}
			for range rounds(t, 50_000) {
				var w [steps]uint32
				for n := range w {
					w[n] = rng.Uint32()
				}
				put(w)
				put(dvs.Expand([16]uint32(w[:16])))
			}
			for dv := range dvs.Count {
				w := dvs.Expand(craft.Passing(table, dv, rng))
				put(w)
				for bit := range 32 * steps {
					w[bit/32] ^= 1 << (bit % 32)
					put(w)
					w[bit/32] ^= 1 << (bit % 32)
				}
			}
			for len(schedules) > 0 {
				put(dvs.Expand(craft.Passing(table, 0, rng)))
			}
		})
	}
}

// TestManyKernel checks the contract of the kernels: the chaining values, what
// they leave of each block that their plan keeps, and where they stop if too
// many blocks are kept.
func TestManyKernel(t *testing.T) {
	table, p := dvs.Published(), manyPlan(t)
	_, worst := craft.MostVectors(table)
	for _, k := range manyKernels() {
		rng := rand.New(rand.NewPCG(112, 113))
		f := newLanes()
		stopped, count := 0, 400
		if testing.Short() {
			count = 80
		}
		for round := range count {
			n, more, groups, from := 1+rng.IntN(12), rng.IntN(6), 1, rng.IntN(3)
			if rng.IntN(2) == 0 {
				groups, from = 1+rng.IntN(manyGroups), 0
			}
			first := rng.IntN(manyGroups - groups + 1)
			rare := 1 + round%7*round%30
			var (
				blocks   [manyGroups * manyMaxLanes][][16]uint32
				values   [manyGroups * manyMaxLanes][][5]uint32
				parts    [manyGroups][2]part
				survives = make(map[string]bool) // lane and block of those kept
			)
			for lane := range k.lanes {
				f.area.idle[lane] = -uint32(rng.IntN(8) / 7)
			}
			for at := range f.area.value {
				for i := range f.area.value[at] {
					for lane := range k.lanes {
						f.area.value[at][i][lane] = rng.Uint32()
					}
				}
			}
			before := f.area.value
			for group := first; group < first+groups; group++ {
				for lane := range k.lanes {
					at := group*manyMaxLanes + lane
					var bytes []byte
					for range n + more {
						var b [16]uint32
						for i := range b {
							b[i] = rng.Uint32()
						}
						switch rng.IntN(rare) {
						case 0:
							b = craft.Passing(table, rng.IntN(dvs.Count), rng)
						case 1:
							b = worst.Block(rng)
						}
						blocks[at] = append(blocks[at], b)
						bytes = append(bytes, craft.Bytes(b)...)
					}
					values[at] = chainingValues(valueOf(f.area, group, lane), bytes)
					parts[group][0][lane] = append(make([]byte, from*BlockSize), bytes[:n*BlockSize]...)
					parts[group][1][lane] = bytes[n*BlockSize:]
				}
			}
			f.area.used = 0
			done := k.add(&parts[first][0], f.area, first, from*BlockSize, n, more, groups)
			what := fmt.Sprintf("%d lanes, %d of %d times %d and %d blocks", k.lanes, done, groups, n, more)
			if done < groups*(n+more) {
				stopped++
				if int(f.area.used) <= manySlots-2*manyMaxLanes {
					t.Fatalf("%s: stopped with %d slots in use", what, f.area.used)
				}
			}
			for group := range manyGroups {
				added := min(max(done-(group-first)*(n+more), 0), n+more) // to each lane
				for lane := range k.lanes {
					at := group*manyMaxLanes + lane
					want := valueOf(&manyArea{value: before}, group, lane)
					if group >= first && group < first+groups {
						want = values[at][added]
					}
					if have := valueOf(f.area, group, lane); have != want {
						t.Fatalf("%s: chaining value %d of group %d is %08x, want %08x", what, lane, group, have, want)
					}
					if group < first || group >= first+groups {
						continue
					}
					for block := range added {
						w := dvs.Expand(blocks[at][block])
						if f.area.idle[lane] == 0 && ^p.Dismissed(&w) != 0 {
							survives[fmt.Sprint(at, block)] = true
						}
					}
				}
			}
			for n := range int(f.area.used) {
				slot, lane := f.area.slot(n), int(f.area.owner[n])
				w, st, out := slot.expand()
				at := 0
				for ; at < len(blocks[lane]) && [16]uint32(w[:16]) != blocks[lane][at]; at++ {
				}
				key := fmt.Sprint(lane, at)
				if !survives[key] {
					t.Fatalf("%s: slot %d has a block of lane %d that should not be there, or twice", what, n, lane)
				}
				delete(survives, key)
				wantW, wantSt := expanded(values[lane][at], blocks[lane][at])
				if w != wantW || st != wantSt || out != values[lane][at+1] || slot.word(manySlotMask) != ^uint32(p.Dismissed(&w)) {
					t.Fatalf("%s: slot %d differs from block %d of lane %d", what, n, at, lane)
				}
			}
			if len(survives) > 0 {
				t.Fatalf("%s: blocks without a slot, by lane and number: %v", what, survives)
			}
		}
		if stopped < count/20 {
			t.Errorf("%d lanes: stopped in %d rounds only", k.lanes, stopped)
		}
	}
}

// valueOf returns the chaining value of a lane.
func valueOf(a *manyArea, group, lane int) (h [5]uint32) {
	for i := range h {
		h[i] = a.value[group][i][lane]
	}
	return h
}

// expanded returns the expanded message of a block and its test states.
func expanded(h [5]uint32, block [16]uint32) (w [steps]uint32, st testStates) {
	compressGeneric(&h, (*[BlockSize]byte)(craft.Bytes(block)), &w, &st)
	return w, st
}

// TestManyRecheck hands slots with twins of every vector to both rechecks.
func TestManyRecheck(t *testing.T) {
	rng := rand.New(rand.NewPCG(114, 115))
	a := newLanes().area
	var kinds []manyKernel
	if needSHANI&^host == 0 {
		kinds = append(kinds, manyKernel{shani: true})
	}
	if needBMI&^host == 0 {
		kinds = append(kinds, manyKernel{})
	}
	put := func(n int, b rechecked, out [5]uint32) {
		s := a.slot(n)
		for t, w := range b.w {
			binary.LittleEndian.PutUint32(s[manySlotW+4*(steps-1-t):], w)
		}
		state := reference.State(b.in)
		for t, w := range b.w {
			if t >= 52 && t <= 68 && t%4 == 0 {
				for i := range 4 {
					binary.LittleEndian.PutUint32(s[manySlotState+4*(t-52)+4*i:], state[3-i])
				}
			}
			state = state.Step(t, w)
		}
		binary.LittleEndian.PutUint32(s[manySlotMask:], b.mask)
		for i := range 4 {
			binary.LittleEndian.PutUint32(s[manySlotOut+4*i:], out[3-i])
		}
		binary.LittleEndian.PutUint32(s[manySlotOutE:], out[4])
	}
	for dv := range dvs.Count {
		for n := range 3 {
			for slot := range 3 {
				b := randomBlock(rng)
				b.mask = rng.Uint32() &^ (1 << dv)
				put(slot, b, b.out)
			}
			for _, k := range kinds {
				if k.attacked(a, 0, 3) {
					t.Errorf("%+v: attack with no twin", k)
				}
			}
			b := randomBlock(rng)
			_, out := b.twin(dv)
			b.mask = rng.Uint32() | 1<<dv
			put(n, b, out)
			for _, k := range kinds {
				if !k.attacked(a, 0, 3) || !k.attacked(a, n, 1) || k.attacked(a, (n+1)%3, 1) {
					t.Errorf("%+v: twin of vector %d in slot %d not seen, or elsewhere", k, dv, n)
				}
			}
			a.slot(n).clear()
			for _, k := range kinds {
				if k.attacked(a, 0, 3) {
					t.Errorf("%+v: attack in a slot that is cleared", k)
				}
			}
		}
	}
}

// Last blocks of messages that come as groups are no attacks; of others some
// must be looked at.
func TestManyLastBlock(t *testing.T) {
	table := dvs.Published()
	var b lastBlock
	kept := 0
	const surviving = 135_168 // blocks of the shortest message whose last block survives
	for blocks := range surviving + 100 {
		if blocks > 2*exactClasses && blocks < surviving-100 {
			continue
		}
		length := blocks * BlockSize
		w := reference.Expand(reference.Pad(make([]byte, 0))[:BlockSize])
		w[15] = uint32(length) << 3
		w = dvs.Expand([16]uint32(w[:16]))
		want := table.Mask(&w) == 0
		if b.of(length) != want || b.of(length) != want {
			t.Fatalf("%d bytes: clean %v, want %v", length, !want, want)
		}
		if !want {
			kept++
		}
		for step, sum := range b.sums {
			if k := [4]uint32{k0, k1, k2, k3}[step/20]; sum != w[step]+k {
				t.Fatalf("%d bytes: sum %08x in step %d, want %08x", length, sum, step, w[step]+k)
			}
		}
		if blocks < exactClasses && !want {
			t.Errorf("%d bytes: the last block survives", length)
		}
	}
	if kept == 0 {
		t.Error("no last block survives: the test sees half of what it should")
	}
}

// A backend must ask the processor for every extension that its kernel for many
// messages uses, and that kernel must call nothing.
func TestManyNeeds(t *testing.T) {
	functions := assembly(t)
	with := 0
	for b := range backend(len(backends)) {
		k, ok := b.manyKernel()
		if !ok {
			continue
		}
		with++
		for _, name := range []string{"blocksMany" + manyFilters[k.lanes].name, "sameMany" + manyFilters[k.lanes].name} {
			text := functions[name]
			_, list, ok := strings.Cut(text, "\n// Requires: ")
			if !ok {
				t.Errorf("%s does not tell what it requires", name)
			}
			list, _, _ = strings.Cut(list, "\n")
			for e := range strings.SplitSeq(list, ", ") {
				if f, known := extensions[e]; !known || backends[b].needs&f != f {
					t.Errorf("%v: %s uses %s, which the backend does not need", b, name, e)
				}
			}
			if strings.Contains(text, "CALL") {
				t.Errorf("%s calls a function", name)
			}
		}
		recheck := backends[b].needs & sha
		if k.shani != (recheck != 0) || !k.shani && backends[b].needs&needBMI != needBMI {
			t.Errorf("%v: the recheck with SHA instructions, %v, does not fit the backend", b, k.shani)
		}
	}
	if with != 6 {
		t.Errorf("%d backends have a kernel for many messages, want 6", with)
	}
}

// An area must be aligned wherever it is.
func TestManyAreaAligned(t *testing.T) {
	for range 20 {
		l := newLanes()
		if at := uintptr(unsafe.Pointer(l.area)); at%manyAlign != 0 {
			t.Errorf("area at %#x", at)
		}
	}
}

// TestManySuits fixes which few messages are hashed side by side: as many as were
// measured to be faster so.
func TestManySuits(t *testing.T) {
	for _, c := range []struct {
		backend        backend
		whole, pieces  int // from how many messages on, in one piece or several
		longest, short int // lengths: of one message, and of the others
	}{
		{shaniAVX512, 14, 16, 20, 20},
		{shaniAVX512, 10, 16, 64, 64},
		{shaniAVX512, 16, 16, 119, 55},
		{shaniAVX512, 10, 12, 128, 128},
		{shaniAVX512, 9, 9, 256, 256},
		{shaniAVX512, 8, 8, 512, 512},
		{shaniAVX512, 8, 8, 4096, 20},
		{shaniAVX2Intel, 8, 8, 64, 64},
		{shaniAVX2Intel, 8, 8, 700, 700},
		{shaniAVX2Intel, 7, 7, 4096, 4096},
		{avx512Kernel, 3, 3, 20, 20},
		{avx2Kernel, 3, 3, 20, 20},
	} {
		k, _ := c.backend.manyKernel()
		for n := range 33 {
			msgs := make([][]byte, n)
			pieces := make([][][]byte, n)
			for i := range msgs {
				msgs[i] = make([]byte, c.short)
				if i == n/2 {
					msgs[i] = make([]byte, c.longest)
				}
				pieces[i] = [][]byte{nil, msgs[i]}
			}
			if got := k.suits(&messages{whole: msgs}); got != (n >= c.whole) {
				t.Errorf("%v, %d messages of up to %d bytes: %v", c.backend, n, c.longest, got)
			}
			if got := k.suits(&messages{pieces: pieces}); got != (n >= c.pieces) {
				t.Errorf("%v, %d messages of up to %d bytes in pieces: %v", c.backend, n, c.longest, got)
			}
		}
	}
}
