package sha1dc

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sha1dc/go/internal/dvs"
)

// TestSoak makes random calls in 64 goroutines and compares with the reference.
// It runs one round with each backend; "make soak" sets SHA1DC_SOAK to how long
// it goes on. A failure names the seed of its round: with SHA1DC_SOAK_SEED set
// to that, only this round runs, with each backend.
func TestSoak(t *testing.T) {
	if text := os.Getenv("SHA1DC_SOAK_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("SHA1DC_SOAK_SEED: %v", err)
		}
		for _, b := range available() {
			soakRound(t, b, seed, long)
		}
		return
	}
	text := os.Getenv("SHA1DC_SOAK")
	if text == "" {
		for n, b := range available() {
			soakRound(t, b, uint64(n), short)
		}
		return
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("SHA1DC_SOAK: %v", err)
	}
	seed, backends := rand.Uint64(), available()
	start := time.Now()
	shown := start
	fmt.Printf("soak: %v, from seed %d\n", length, seed)
	var bytes int64
	for n := 0; time.Since(start) < length && !t.Failed(); n++ {
		// The backends made for this processor have most of the rounds.
		b := backends[n%len(backends)]
		if !b.suits(host) && n/len(backends)%16 != 0 {
			continue
		}
		bytes += soakRound(t, b, seed+uint64(n), long)
		if time.Since(shown) > 10*time.Second {
			shown = time.Now()
			fmt.Printf("soak: %v, round %d, %d MB, now seed %d\n", time.Since(start).Round(time.Second), n+1, bytes>>20, seed+uint64(n))
		}
	}
	fmt.Printf("soak: ended after %v, %d MB\n", time.Since(start).Round(time.Second), bytes>>20)
}

// extent is how many calls a goroutine makes, and the longest of its messages.
type extent struct{ calls, bytes int }

var (
	short = extent{10, 4 << 10}
	long  = extent{40, 200 << 10}
)

// soakRound runs 64 goroutines and returns how many bytes they hashed. The seed
// decides everything but the backend and the extent.
func soakRound(t *testing.T, b backend, seed uint64, size extent) int64 {
	const goroutines = 64
	old := active
	active = b
	exercised[b] = true
	rng := rand.New(rand.NewPCG(seed, goroutines))
	// In most rounds, blocks that the conditions keep for some vectors are attacks.
	dm := messageDifferences
	attacks := uint32(0)
	for range rng.IntN(3) {
		attacks |= 1 << rng.IntN(dvs.Count)
	}
	for m := attacks; m != 0; m &= m - 1 {
		messageDifferences[bits.TrailingZeros32(m)] = [steps]uint32{}
	}
	hooked := messageDifferences
	if !b.suits(host) {
		size = short
	}
	var (
		wg    sync.WaitGroup
		bytes atomic.Int64
	)
	for n := range goroutines {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(n)))
			limit := size.bytes
			if rng.IntN(8) != 0 {
				limit = min(limit, 16<<10)
			}
			o := operations{choose: rng.IntN, rng: rng, dm: &hooked, limit: limit}
			if err := o.run(size.calls); err != nil {
				t.Errorf("%v, SHA1DC_SOAK_SEED=%d, goroutine %d, attacks with %08x: %v", b, seed, n, attacks, err)
			}
			bytes.Add(int64(o.bytes))
		})
	}
	wg.Wait()
	messageDifferences = dm
	active = old
	return bytes.Load()
}

// FuzzOperations takes the calls from data, a byte a decision. It does little in
// one go, because a fuzzer takes ten seconds for a deadlock.
func FuzzOperations(f *testing.F) {
	rng := rand.New(rand.NewPCG(70, 71))
	for n := range uint64(12) {
		data := make([]byte, 20*n)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data, n, byte(n))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, hooks byte) {
		const most, limit = 240, 2 << 10
		backends := suited()
		use(t, backends[int(hooks)/dvs.Count%len(backends)])
		dm := messageDifferences
		dv := int(hooks % dvs.Count)
		dm[dv] = [steps]uint32{}
		setDM(t, dv, dm[dv])
		rest := data[:min(len(data), most)]
		o := operations{
			choose: func(n int) int {
				if len(rest) == 0 {
					return 0
				}
				v := int(rest[0])
				rest = rest[1:]
				if n > 256 && len(rest) > 0 {
					v, rest = v|int(rest[0])<<8, rest[1:]
				}
				return v % n
			},
			rng: rand.New(rand.NewPCG(seed, 0)), dm: &dm, limit: limit,
		}
		if err := o.run(len(rest) / 4); err != nil {
			t.Errorf("%v: %v", active, err)
		}
	})
}
