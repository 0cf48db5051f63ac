package forensics

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/iotest"

	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/internal/vectors"
	"github.com/sha1dc/go/sha1dc"
)

// compare compares the attacks found with the naive analysis.
func compare(t *testing.T, have, want []Attack) {
	t.Helper()
	if len(have) != len(want) {
		t.Fatalf("%d attacks, want %d", len(have), len(want))
	}
	for n := range have {
		if h, w := &have[n], &want[n]; !reflect.DeepEqual(h, w) {
			t.Errorf("attack %d: %v, %v, %d blocks from %d, padded %v, behind %x;\nwant %v, %v, %d blocks from %d, padded %v, behind %x", n,
				h.Kind(), h.End, len(h.Blocks), h.Offset(), h.Padded, h.Preceding,
				w.Kind(), w.End, len(w.Blocks), w.Offset(), w.Padded, w.Preceding)
		}
	}
}

// plant makes a message with attacks of all kinds, from a seed.
func plant(seed uint64, far bool) *planter {
	p := newPlanter(seed)
	gap := func() {
		n := p.rng.IntN(4)
		if far {
			n = p.rng.IntN(3) * (chunkBlocks - 2 + p.rng.IntN(5))
		}
		p.noise(n)
	}
	for range p.rng.IntN(6) {
		gap()
		blocks := 1 + p.rng.IntN(5)
		switch p.rng.IntN(4) {
		case 0: // identical prefix
			p.attack(blocks, p.h, true)
		case 1: // chosen prefix
			p.attack(blocks, p.value(), true)
		case 2: // reduced rounds, maybe closed later
			p.attack(1, p.h, p.rng.IntN(2) == 0)
		case 3: // a difference that never closes
			p.attack(blocks, p.value(), false)
		}
	}
	gap()
	for range p.rng.IntN(100) {
		p.message = append(p.message, byte(p.rng.Uint32()))
	}
	return p
}

// checkPlanted analyzes a message with planted attacks.
func checkPlanted(t *testing.T, p *planter, o Options) *Report {
	t.Helper()
	a := &analyzer{
		finder:  &slowFinder{table: &p.table, reduced: o.ReducedRounds, h: reference.Initial},
		vectors: &p.table,
		window:  newWindow(o.Window),
		report:  Report{Options: o},
	}
	if err := a.read(iotest.HalfReader(bytes.NewReader(p.message))); err != nil {
		t.Fatal(err)
	}
	compare(t, a.report.Attacks, naive(p.message, &p.table, o))
	return &a.report
}

// FuzzPlanted compares the analysis of messages with many attacks with the
// naive one.
func FuzzPlanted(f *testing.F) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 10 // emulators are slow
	}
	for seed := range seeds {
		f.Add(seed, uint16(seed%7), seed%3 == 0, seed%10 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, window uint16, reduced, far bool) {
		checkPlanted(t, plant(seed, far), Options{Window: 1 + int(window), ReducedRounds: reduced})
	})
}

// FuzzAnalyze puts the head of a published message somewhere into other data,
// and compares the analysis with the naive one, and digests with the runtime's.
func FuzzAnalyze(f *testing.F) {
	all := vectors.All()
	rng := rand.NewChaCha8([32]byte{3})
	long := make([]byte, 2*chunkSize)
	rng.Read(long)
	for n := range all {
		f.Add(uint8(n), uint16(0), []byte(nil), false, uint16(4095))
		f.Add(uint8(n), uint16(0), []byte("suffix"), true, uint16(8))
		f.Add(uint8(n), uint16(1), long[:200], true, uint16(2))
		f.Add(uint8(n), uint16(chunkBlocks), long, true, uint16(1))
		f.Add(uint8(n), uint16(0), long, true, uint16(1))
	}
	f.Fuzz(func(t *testing.T, head uint8, block uint16, data []byte, reduced bool, window uint16) {
		at := min(int(block), len(data)/sha1dc.BlockSize) * sha1dc.BlockSize
		message := bytes.Join([][]byte{data[:at], all[int(head)%len(all)].Data, data[at:]}, nil)
		o := Options{Window: 1 + int(window), ReducedRounds: reduced}
		r, err := Analyze(iotest.HalfReader(bytes.NewReader(message)), o)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, r.Attacks, naive(message, published(), o))
		mitigated, _ := sha1dc.Config{ReducedRounds: reduced}.Sum(message)
		plain, attack := sha1dc.Config{ReducedRounds: reduced, Mode: sha1dc.DetectOnly}.Sum(message)
		if r.Plain != plain || r.Mitigated != mitigated || (attack == nil) != (len(r.Attacks) == 0) {
			t.Errorf("digests %x and %x, %d attacks; want %x, %x, %v", r.Plain, r.Mitigated, len(r.Attacks), plain, mitigated, attack)
		}
		for n := range r.Attacks {
			checkChain(t, &r.Attacks[n])
		}
	})
}
