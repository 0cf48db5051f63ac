package sha1dc

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/reference"
)

// exercised holds the backends that a test has run with.
var exercised [len(backends)]bool

// TestMain tells which backends were exercised. If SHA1DC_BACKENDS is set, it
// must list exactly these, best first and with commas between, so that a machine
// which should have a kernel cannot pass without testing it.
func TestMain(m *testing.M) {
	code := m.Run()
	var names []string
	for b, ok := range exercised {
		if ok {
			names = append(names, backend(b).String())
		}
	}
	got := strings.Join(names, ",")
	if got != "" {
		fmt.Println("backends exercised:", got)
	}
	if want := os.Getenv("SHA1DC_BACKENDS"); want != "" && got != want {
		fmt.Printf("backends exercised: %q, but SHA1DC_BACKENDS wants %q\n", got, want)
		code = 1
	}
	os.Exit(code)
}

// available returns the backends that this processor can run, best first.
func available() []backend {
	var out []backend
	for b := range backend(len(backends)) {
		if b.runs(host) {
			out = append(out, b)
		}
	}
	return out
}

// suited returns the available backends that are made for processors like this
// one. The others may be a hundred times as slow, and only tests that hash little
// run them.
func suited() []backend {
	return slices.DeleteFunc(available(), func(b backend) bool { return !b.suits(host) })
}

// kernels returns the available backends that have a kernel.
func kernels() []backend {
	return slices.DeleteFunc(available(), func(b backend) bool { return b == generic })
}

// use makes b the active backend for the time of a test.
func use(t testing.TB, b backend) {
	old := active
	active = b
	exercised[b] = true
	t.Cleanup(func() { active = old })
}

// forEachBackend runs a test with every available backend.
func forEachBackend(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	for _, b := range available() {
		t.Run(b.String(), func(t *testing.T) {
			use(t, b)
			test(t)
		})
	}
}

func TestBackendInUse(t *testing.T) {
	if want := suited()[0]; active != want {
		t.Errorf("backend %v, want %v, the best of %v", active, want, suited())
	}
	if b := choose(0); b != generic {
		t.Errorf("%v chosen for a processor without features", b)
	}
	if last := backend(len(backends) - 1); last != generic {
		t.Errorf("%v is the last backend, want %v", last, generic)
	}
}

// opposing returns the conditions that a block breaks every condition of a
// vector.
func opposing(dv int) *craft.System {
	edges := craft.Conditions(dvs.Published(), dv)
	for n := range edges {
		edges[n].C ^= 1
	}
	var s craft.System
	if err := s.Add(edges...); err != nil {
		panic(err) // they are independent, so any right-hand side has solutions
	}
	return &s
}

// chainingValues returns the values before each block of p, and after the last.
func chainingValues(h [5]uint32, p []byte) [][5]uint32 {
	var (
		w  [steps]uint32
		st testStates
	)
	out := [][5]uint32{h}
	for ; len(p) >= BlockSize; p = p[BlockSize:] {
		compressGeneric(&h, (*[BlockSize]byte)(p), &w, &st)
		out = append(out, h)
	}
	return out
}

// TestKernel checks the contract of the kernels: all blocks are added, or those
// before the chunk with the first attack. Every vector and every place in a
// chunk has its turn, alone and with a second attack behind it.
func TestKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	table := dvs.Published()
	random := make([]byte, callBlocks*BlockSize+1)
	for n := range random {
		random[n] = byte(rng.Uint32())
	}
	start := [5]uint32{rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32()}
	// The first attack is in block at, or there is none and at is -1.
	check := func(b backend, what string, values [][5]uint32, p []byte, at int) {
		t.Helper()
		h, n := values[0], len(p)/BlockSize
		done := b.kernel(&h, &p[0], n)
		if at < 0 && done != n || at >= 0 && (done > at || done <= at-chunkBlocks) || done < 0 || h != values[done] {
			t.Errorf("%v, %s, %d blocks: %d added, %08x", b, what, n, done, h)
		}
	}
	for _, b := range kernels() {
		exercised[b] = true
		for offset := range 2 {
			values := chainingValues(start, random[offset:])
			for n := 1; n <= callBlocks; n++ {
				if n <= 40 || b.suits(host) && (n > callBlocks-3*chunkBlocks || n%256 == 255) {
					check(b, "no attack", values, random[offset:][:n*BlockSize], -1)
				}
			}
		}
	}

	for dv, d := range dvs.All() {
		old := messageDifferences[dv]
		setDM(t, dv, [steps]uint32{})
		const most = 3*chunkBlocks + 2
		message := make([]byte, 0, most*BlockSize)
		clean := opposing(dv)
		for range most {
			message = append(message, craft.Bytes(clean.Block(rng))...)
		}
		attack := craft.Bytes(craft.Passing(table, dv, rng))
		for position := range most {
			p := bytes.Clone(message)
			copy(p[position*BlockSize:], attack)
			values := chainingValues(start, p)
			for n := 1; n <= most; n++ {
				first := position
				if position >= n {
					first = -1
				}
				for _, b := range kernels() {
					if !b.suits(host) && (n+position+dv)%37 != 0 {
						continue
					}
					check(b, fmt.Sprintf("%v in block %d", d, position), values, p[:n*BlockSize], first)
				}
			}
			if position+1 < most {
				second := position + 1 + rng.IntN(most-position-1)
				copy(p[second*BlockSize:], attack)
				values = chainingValues(start, p)
				for _, b := range kernels() {
					if !b.suits(host) && (position+dv)%7 != 0 {
						continue
					}
					check(b, fmt.Sprintf("%v in blocks %d and %d", d, position, second), values, p, position)
				}
			}
		}
		messageDifferences[dv] = old
	}
}

// A kernel must stop for every block that the published conditions keep, if the
// twin collides, and its filter must dismiss most other blocks.
func TestKernelFilter(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	table := dvs.Published()
	n := 40_000
	if testing.Short() {
		n = 4_000
	}
	for _, b := range kernels() {
		exercised[b] = true
		n := n
		if !b.suits(host) {
			n = 4_000
		}
		for dv, d := range dvs.All() {
			old := messageDifferences[dv]
			setDM(t, dv, [steps]uint32{})
			for range n / 200 {
				h := initial
				p := craft.Bytes(craft.Passing(table, dv, rng))
				if b.kernel(&h, &p[0], 1) != 0 {
					t.Fatalf("%v: block %x meets the conditions of %v, but passes as clean", b, p, d)
				}
			}
			messageDifferences[dv] = old
		}
		for dv := range dvs.Count {
			setDM(t, dv, [steps]uint32{})
		}
		stops := 0
		for range n {
			var block [16]uint32
			for n := range block {
				block[n] = rng.Uint32()
			}
			h := initial
			p := craft.Bytes(block)
			stopped := b.kernel(&h, &p[0], 1) == 0
			w := dvs.Expand(block)
			if mask := table.Mask(&w); mask != 0 && !stopped {
				t.Fatalf("%v: block %x meets the conditions of %v, but passes as clean", b, p, mask)
			}
			if stopped {
				stops++
			}
		}
		// All conditions keep 0.0475 of random blocks, partial plans more.
		if rate := float64(stops) / float64(n); rate < 0.043 || rate > 0.2 {
			t.Errorf("%v: %.4f of random blocks survive the filter", b, rate)
		}
		for dv, d := range dvs.All() {
			messageDifferences[dv] = d.DM()
		}
	}
}

// TestAttacksAnywhere compares messages of up to 40 blocks with the reference:
// one attack in each place, and several; written in one piece and in many.
func TestAttacksAnywhere(t *testing.T) {
	const dv = 9
	rng := rand.New(rand.NewPCG(35, 36))
	table := dvs.Published()
	var dm [dvs.Count][steps]uint32
	for n, d := range dvs.All() {
		dm[n] = d.DM()
	}
	dm[dv] = [steps]uint32{}
	setDM(t, dv, dm[dv])
	check := func(message []byte, attacked bool) {
		t.Helper()
		r := reference.Sum(message, reference.Options{DM: &dm})
		if r.Attacked != attacked {
			t.Fatalf("attacked: %v, want %v", r.Attacked, attacked)
		}
		for _, b := range suited() {
			use(t, b)
			for _, m := range []Mode{Mitigate, DetectOnly} {
				want := r.Mitigated
				if m == DetectOnly {
					want = r.Plain
				}
				digest, err := Config{Mode: m}.Sum(message)
				d := Config{Mode: m}.New()
				for p := message; len(p) > 0; {
					n := min(1+rng.IntN(20*BlockSize), len(p))
					d.Write(p[:n])
					p = p[n:]
				}
				if digest != want || sum(d) != want {
					t.Errorf("%v, mode %d, %d bytes: %x, in pieces %x, want %x", b, m, len(message), digest, sum(d), want)
				}
				expectErr(t, r, err)
				expectErr(t, r, d.Err())
			}
		}
	}
	block := func(attack bool) []byte {
		if attack {
			return craft.Bytes(craft.Passing(table, dv, rng))
		}
		return craft.Bytes(craft.NearMiss(table, dv, rng.IntN(table.Span(dv).Rank()), rng))
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	for size := 1; size <= 40; size += step {
		for position := range size {
			var message []byte
			for n := range size {
				message = append(message, block(n == position)...)
			}
			check(append(message, random(rng.IntN(BlockSize), byte(size))...), true)
		}
		for range 4 {
			var message []byte
			for n := range size {
				message = append(message, block(n == size/2 || rng.IntN(4) == 0)...)
			}
			check(append(message, random(rng.IntN(BlockSize), byte(size))...), true)
		}
	}
	for _, size := range []int{callBlocks - 1, callBlocks, callBlocks + 1, 2*callBlocks + 3} {
		message := random(size*BlockSize+5, 37)
		for _, position := range []int{0, callBlocks - 17, callBlocks - 2, size - 1} {
			copy(message[position*BlockSize:], block(true))
			check(message, true)
			copy(message[position*BlockSize:], block(false))
		}
		check(message, false)
	}
}

// Without the conditions, blocks count as attacks that kernels do not see.
func TestDisableUBC(t *testing.T) { forEachBackend(t, testDisableUBC) }

func testDisableUBC(t *testing.T) {
	const dv = 9
	setDM(t, dv, [steps]uint32{})
	message := craft.Bytes(opposing(dv).Block(rand.New(rand.NewPCG(42, 43))))
	var e *CollisionError
	if _, err := (Config{DisableUBC: true}).Sum(message); !errors.As(err, &e) || e.Offset != 0 {
		t.Errorf("all vectors rechecked: %v, want an attack in the first block", err)
	}
	if _, err := (Config{}).Sum(message); err != nil {
		t.Errorf("an attack that breaks every condition of its vector: %v", err)
	}
}

// compatible returns sets of vectors that one block can survive for together,
// the largest first. Adding one vector after the other finds them, but need not
// find the largest of all.
func compatible() [][]int {
	table := dvs.Published()
	rng := rand.New(rand.NewPCG(38, 39))
	seen := make(map[dvs.Mask]bool)
	var sets [][]int
	for range 200 {
		var (
			s    craft.System
			mask dvs.Mask
			set  []int
		)
		for _, dv := range rng.Perm(dvs.Count) {
			with := s
			if with.Add(craft.Conditions(table, dv)...) == nil {
				s = with
				set = append(set, dv)
				mask |= 1 << dv
			}
		}
		if !seen[mask] {
			seen[mask] = true
			sets = append(sets, set)
		}
	}
	slices.SortStableFunc(sets, func(a, b []int) int { return len(b) - len(a) })
	return sets
}

// A stranger can make every block survive the filter for several vectors. That
// may take time, but must change nothing else.
func TestHostileInput(t *testing.T) {
	table := dvs.Published()
	rng := rand.New(rand.NewPCG(40, 41))
	sets := compatible()
	t.Logf("%d vectors at once, %v", len(sets[0]), sets[0])
	if len(sets[0]) < 9 {
		t.Errorf("at most %d vectors at once", len(sets[0]))
	}
	for n, set := range sets[:min(20, len(sets))] {
		var s craft.System
		for _, dv := range set {
			if err := s.Add(craft.Conditions(table, dv)...); err != nil {
				t.Fatal(err)
			}
		}
		var message []byte
		for range 3*chunkBlocks + 5 {
			block := s.Block(rng)
			w := dvs.Expand(block)
			for _, dv := range set {
				if !table.Mask(&w).Has(dv) {
					t.Fatalf("a block does not survive for vector %d", dv)
				}
			}
			message = append(message, craft.Bytes(block)...)
		}
		for _, b := range available() {
			use(t, b)
			for _, m := range []Mode{Mitigate, DetectOnly} {
				c := Config{Mode: m}
				digest, err := c.Sum(message)
				expect(t, c, message, digest, err)
			}
		}
		// The last of many vectors to be rechecked must not be forgotten.
		for _, dv := range set {
			old := messageDifferences[dv]
			setDM(t, dv, [steps]uint32{})
			for _, b := range kernels() {
				h := initial
				at := (n % 17) * BlockSize
				if done := b.kernel(&h, &message[at], 2*chunkBlocks); done != 0 || h != initial {
					t.Errorf("%v: attack with vector %d of %v not seen", b, dv, set)
				}
			}
			messageDifferences[dv] = old
		}
	}
}
