package sha1dc

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"sync"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/reference"
)

func TestSelfTest(t *testing.T) {
	if err := SelfTest(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkSelfTest(b *testing.B) {
	for b.Loop() {
		if err := SelfTest(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSelfTestBeside runs the self-test while others hash: neither may notice
// the other.
func TestSelfTestBeside(t *testing.T) {
	times := 20
	if testing.Short() {
		times = 2 // emulated processors are slow
	}
	var wg sync.WaitGroup
	for n := range 64 {
		wg.Go(func() {
			m := publishedAttacks[n%len(publishedAttacks)]
			for range times {
				if digest, attacked := Sum([]byte(m.message)); string(digest[:]) != m.mitigated || !attacked {
					t.Errorf("%s: %x, attacked: %v", m.name, digest, attacked)
				}
				if _, attacked := Sum([]byte(keptBlocks)); attacked {
					t.Error("an attack found where there is none")
				}
			}
		})
	}
	for range 4 {
		wg.Go(func() {
			if err := SelfTest(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A backend whose processor does not suit it is tested too, so that it can be
// switched on.
func TestSelfTestSubjects(t *testing.T) {
	for _, b := range kernels() {
		exercised[b] = true
		if err := selfTest([]subject{{b.String(), b.suits(host), b.addWith}}); err != nil {
			t.Error(err)
		}
	}
}

// damage is what is wrong with a backend in Go that imitates a kernel.
type damage struct {
	dismisses uint32                        // vectors that the filter never keeps
	refuses   uint32                        // vectors that the recheck never accepts
	accepts   bool                          // the recheck accepts what the filter keeps
	unseen    func(block, blocks int) bool  // blocks that are not looked at
	added     func(done, blocks int) int    // blocks reported as added
	value     func(h *[5]uint32, block int) // the chaining value is changed after a block
}

func (d damage) add(h *[5]uint32, p []byte, dm *differences) int {
	blocks := len(p) / BlockSize
	start := *h
	for n := range blocks {
		if n%chunkBlocks == 0 {
			start = *h
		}
		var (
			w  [steps]uint32
			st testStates
		)
		in := *h
		compressGeneric(h, (*[BlockSize]byte)(p[n*BlockSize:]), &w, &st)
		if d.value != nil {
			d.value(h, n)
		}
		mask := filterGeneric(&w) &^ d.dismisses
		hit := d.accepts && mask != 0
		for mask &^= d.refuses; mask != 0; mask &= mask - 1 {
			dv := bits.TrailingZeros32(mask)
			_, attack := attacked(1<<dv, &w, &st, &in, h, false)
			if dm[dv] != messageDifferences[dv] {
				_, out := reference.Twin(in, &w, &dm[dv], disturbanceVectors[dv].testStep)
				attack = out == *h
			}
			hit = hit || attack
		}
		if hit && (d.unseen == nil || !d.unseen(n, blocks)) {
			*h = start
			return d.report(n-n%chunkBlocks, blocks) * BlockSize
		}
	}
	return d.report(blocks, blocks) * BlockSize
}

func (d damage) report(done, blocks int) int {
	if d.added != nil {
		return d.added(done, blocks)
	}
	return done
}

// The self-test must name a damaged backend, and only that.
func TestSelfTestFindsDamage(t *testing.T) {
	sound := subject{"sound", true, damage{}.add}
	if err := selfTest([]subject{sound}); err != nil {
		t.Fatalf("a sound backend: %v", err)
	}
	faults := map[string]struct {
		damage
		want string
	}{
		"wrong digest":                  {damage{value: func(h *[5]uint32, _ int) { h[4]++ }}, "chaining value"},
		"wrong digest after 12":         {damage{value: func(h *[5]uint32, n int) { h[0] ^= uint32(n) / chunkBlocks << 31 }}, "chaining value"},
		"recheck never hits":            {damage{refuses: ^uint32(0)}, "no attack found"},
		"recheck always hits":           {damage{accepts: true}, "an attack found that is none"},
		"hits are not reported":         {damage{unseen: func(int, int) bool { return true }}, "no attack found"},
		"last block is not filtered":    {damage{unseen: func(n, blocks int) bool { return n == blocks-1 }}, "no attack found"},
		"first block is not filtered":   {damage{unseen: func(n, _ int) bool { return n == 0 }}, "no attack found"},
		"second chunk is not rechecked": {damage{unseen: func(n, _ int) bool { return n/chunkBlocks == 1 }}, "no attack found"},
		"one block too many":            {damage{added: func(done, _ int) int { return done + 1 }}, "blocks added"},
		"one block too few":             {damage{added: func(done, _ int) int { return done - 1 }}, "chaining value"},
		"nothing added":                 {damage{added: func(int, int) int { return 0 }}, "chaining value"},
	}
	for dv, d := range dvs.All() {
		faults[fmt.Sprintf("filter dismisses %v", d)] = struct {
			damage
			want string
		}{damage{dismisses: 1 << dv}, fmt.Sprintf("attack with %v in block 0: no attack found", d)}
		faults[fmt.Sprintf("recheck refuses %v", d)] = struct {
			damage
			want string
		}{damage{refuses: 1 << dv}, fmt.Sprintf("attack with %v in block 0: no attack found", d)}
	}
	if err := selfTest([]subject{sound, {"damaged", true, damage{refuses: 1}.add}}); err == nil || !strings.Contains(err.Error(), "backend damaged") {
		t.Errorf("a damaged backend behind a sound one: error %v", err)
	}
	for name, f := range faults {
		for _, suited := range []bool{true, false} {
			err := selfTest([]subject{{"damaged", suited, f.add}})
			if err == nil || !strings.HasPrefix(err.Error(), "self-test: backend damaged: ") || !strings.Contains(err.Error(), f.want) {
				t.Errorf("%s (suited: %v): error %v, want %q", name, suited, err, f.want)
			}
		}
	}
}

// Pure Go is checked by what is published, and by twins.
func TestSelfTestFindsDamageInGo(t *testing.T) {
	for dv, d := range dvs.All() {
		old := messageDifferences[dv]
		setDM(t, dv, [steps]uint32{}) // its own twin, and every value accepted
		err := SelfTest()
		messageDifferences[dv] = old
		if err == nil || !strings.HasPrefix(err.Error(), "self-test: backend generic: ") || !strings.Contains(err.Error(), d.String()) && !strings.Contains(err.Error(), "the attack is not found") {
			t.Errorf("%v without differences: error %v", d, err)
		}
	}
	old := publishedAttacks
	t.Cleanup(func() { publishedAttacks = old })
	for n := range publishedAttacks {
		for _, change := range []func(m *publishedAttack){
			func(m *publishedAttack) { m.plain = m.mitigated },
			func(m *publishedAttack) { m.mitigated = m.plain },
			func(m *publishedAttack) { m.message = m.message[:m.offset()] + clearBlock },
		} {
			change(&publishedAttacks[n])
			if err := SelfTest(); err == nil || !strings.HasPrefix(err.Error(), "self-test: backend generic: "+old[n].name) {
				t.Errorf("%s changed: error %v", old[n].name, err)
			}
			publishedAttacks = old
		}
	}
}

// What users get is checked last, with the backend in use.
func TestSelfTestPublic(t *testing.T) {
	if err := testPublic(); err != nil {
		t.Fatal(err)
	}
	old := publishedAttacks
	t.Cleanup(func() { publishedAttacks = old })
	publishedAttacks[0].plain = publishedAttacks[0].mitigated
	err := testPublic()
	if err == nil || !strings.HasPrefix(err.Error(), "self-test: backend "+active.String()+": ") || errors.Is(err, ErrCollision) {
		t.Errorf("error %v", err)
	}
}

func TestBackends(t *testing.T) {
	for _, b := range available() {
		use(t, b)
		names := Backends()
		if len(names) != len(available()) || names[0] != b.String() {
			t.Errorf("%v in use: %v", b, names)
		}
		seen := make(map[string]bool)
		for _, name := range names {
			if seen[name] {
				t.Errorf("%s twice in %v", name, names)
			}
			seen[name] = true
		}
	}
	use(t, choose(host))
	if names := Backends(); len(suited()) > 1 && names[1] != suited()[1].String() {
		t.Errorf("%v, want %v first", names, suited())
	}
}
