package sha1dc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/reference"
	"github.com/sha1dc/go/internal/vectors"
)

// forSuited runs a test with every backend made for processors like this one.
// TestSumMany is for the others too.
func forSuited(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	for _, b := range suited() {
		t.Run(b.String(), func(t *testing.T) {
			use(t, b)
			test(t)
		})
	}
}

// expectMany fails unless results are those of each message alone.
func expectMany(t *testing.T, c Config, msgs [][]byte, results []Result) {
	t.Helper()
	if len(results) != len(msgs) {
		t.Fatalf("%d results for %d messages", len(results), len(msgs))
	}
	for n, m := range msgs {
		want, err := c.Sum(m)
		expectResult(t, fmt.Sprintf("%+v, message %d of %d, %d bytes", c, n, len(msgs), len(m)), results[n], want, err)
	}
}

func expectResult(t *testing.T, what string, r Result, digest [Size]byte, err error) {
	t.Helper()
	if r.Digest != digest {
		t.Errorf("%s: digest %x, want %x", what, r.Digest, digest)
	}
	var want, have *CollisionError
	if !errors.As(err, &want) {
		if r.Err != nil {
			t.Errorf("%s: error %v, want none", what, r.Err)
		}
		return
	}
	if !errors.As(r.Err, &have) || *have != *want {
		t.Errorf("%s: error %v, want %v", what, r.Err, want)
	}
}

// cut returns p in random pieces, some of them empty.
func cut(rng *rand.Rand, p []byte) [][]byte {
	var pieces [][]byte
	most := 1 + rng.IntN(200)
	if rng.IntN(4) == 0 {
		most = 1 + len(p)
	}
	for len(p) > 0 {
		n := min(rng.IntN(most+1), len(p))
		pieces = append(pieces, p[:n:n])
		p = p[n:]
	}
	return pieces
}

// inPieces returns all messages in random pieces.
func inPieces(rng *rand.Rand, msgs [][]byte) [][][]byte {
	var out [][][]byte
	for _, m := range msgs {
		out = append(out, cut(rng, m))
	}
	return out
}

// checkMany hashes messages in all ways.
func checkMany(t *testing.T, c Config, rng *rand.Rand, msgs [][]byte) {
	t.Helper()
	expectMany(t, c, msgs, c.SumMany(nil, msgs))
	expectMany(t, c, msgs, c.NewBatch().SumPieces(nil, inPieces(rng, msgs)))
}

// lengths returns messages of the given lengths, from pool.
func lengths(rng *rand.Rand, pool []byte, n ...int) [][]byte {
	var msgs [][]byte
	for _, n := range n {
		at := rng.IntN(len(pool) - n + 1)
		msgs = append(msgs, pool[at:at+n:at+n])
	}
	return msgs
}

func TestSumMany(t *testing.T) { forEachBackend(t, testSumMany) }

func testSumMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(70, 71))
	pool := random(1<<18, 72)
	if !active.suits(host) {
		checkMany(t, Config{}, rng, lengths(rng, pool, rng.Perm(100)...))
		return
	}
	short := testing.Short()
	// Every length, in random order.
	checkMany(t, Config{}, rng, lengths(rng, pool, rng.Perm(301)...))
	for _, c := range []Config{{Mode: DetectOnly}, {Mode: 7}, {ReducedRounds: true}, {DisableUBC: true}} {
		checkMany(t, c, rng, lengths(rng, pool, rng.Perm(50)...))
	}
	// Any number of messages, of equal lengths and of any.
	for n := range 40 {
		checkMany(t, Config{}, rng, lengths(rng, pool, slices.Repeat([]int{rng.IntN(300)}, n)...))
	}
	for n := range 40 {
		if short && n%8 != 0 {
			continue
		}
		var of []int
		for range rng.IntN(100) {
			of = append(of, rng.IntN(1<<rng.IntN(15)))
		}
		checkMany(t, Config{}, rng, lengths(rng, pool, of...))
	}
	// Messages with a last block that is all padding, and others of the same
	// number of blocks.
	for blocks := range exactClasses + 1 {
		if short && blocks > 2 && blocks < exactClasses-2 {
			continue
		}
		n := slices.Repeat([]int{blocks * BlockSize}, 16+rng.IntN(150))
		checkMany(t, Config{}, rng, lengths(rng, pool, n...))
		n[rng.IntN(len(n))] += rng.IntN(BlockSize - padding + 1)
		checkMany(t, Config{}, rng, lengths(rng, pool, n...))
	}
	// More messages than are put in order together; one that is long.
	var n []int
	for range 2100 {
		n = append(n, rng.IntN(200))
	}
	n[1500] = 1 << 17
	checkMany(t, Config{}, rng, lengths(rng, pool, n...))
	// One message that is longer than a run, beside short ones.
	if !short {
		long := random(longestRun+12345, 73)
		checkMany(t, Config{}, rng, append(lengths(rng, pool, rng.Perm(40)...), long))
	}
}

// Results are those of the standard, not only the same as with Config.Sum.
func TestSumManyReference(t *testing.T) {
	forSuited(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(74, 75))
		msgs := lengths(rng, random(1<<14, 76), rng.Perm(200)...)
		for n, r := range SumMany(nil, msgs) {
			if want := reference.Sum(msgs[n], reference.Options{}); r.Digest != want.Plain || r.Err != nil {
				t.Errorf("%d bytes: %x, %v, want %x", len(msgs[n]), r.Digest, r.Err, want.Plain)
			}
		}
	})
}

// TestSumManyAppends checks what becomes of dst.
func TestSumManyAppends(t *testing.T) {
	forSuited(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(77, 78))
		msgs := lengths(rng, random(1<<14, 79), rng.Perm(50)...)
		mark := Result{Digest: [Size]byte{1, 2, 3}, Err: ErrCollision}
		for _, free := range []int{0, 1, 49, 50, 51, 200} {
			all := slices.Repeat([]Result{mark}, 3+free)
			got := SumMany(all[:3], msgs)
			if !slices.Equal(got[:3], all[:3]) || got[0] != mark {
				t.Errorf("capacity for %d more: what was in dst has changed", free)
			}
			expectMany(t, Config{}, msgs, got[3:])
			if reused := &got[0] == &all[0]; reused != (free >= len(msgs)) {
				t.Errorf("capacity for %d more: memory of dst used: %v", free, reused)
			}
			for n := len(msgs); n < free; n++ {
				if all[3+n] != mark {
					t.Errorf("capacity for %d more: result %d written", free, n)
				}
			}
		}
		if got := SumMany(nil, nil); len(got) != 0 {
			t.Errorf("%d results for no messages", len(got))
		}
		dst := []Result{mark}
		if got := SumMany(dst, [][]byte{}); len(got) != 1 || got[0] != mark {
			t.Errorf("no messages: dst became %v", got)
		}
		one := [][]byte{nil}
		expectMany(t, Config{}, one, SumMany(nil, one))
		got := Config{}.NewBatch().SumPieces(nil, [][][]byte{nil, {}, {nil}, {{}, nil, {}}})
		expectMany(t, Config{}, make([][]byte, 4), got)
	})
}

// TestSumManyPublished plants the published collisions in random places of a
// list of messages.
func TestSumManyPublished(t *testing.T) { forSuited(t, testSumManyPublished) }

func testSumManyPublished(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 81))
	pool := random(1<<16, 82)
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		var msgs [][]byte
		for range 16 + rng.IntN(60) {
			msgs = append(msgs, lengths(rng, pool, rng.IntN(3000))...)
		}
		attacks := 0
		for range 1 + rng.IntN(1+round%20) {
			f := vectors.All()[rng.IntN(len(vectors.All()))]
			if f.Attacked() {
				attacks++
			}
			suffix := lengths(rng, pool, rng.IntN(1<<rng.IntN(14)))[0]
			msgs = slices.Insert(msgs, rng.IntN(len(msgs)+1), append(slices.Clone(f.Data), suffix...))
		}
		for _, c := range []Config{{}, {Mode: DetectOnly}} {
			found := 0
			for _, r := range c.SumMany(nil, msgs) {
				if r.Err != nil {
					found++
				}
			}
			if found != attacks {
				t.Errorf("%d of %d attacks found", found, attacks)
			}
			checkMany(t, c, rng, msgs)
		}
	}
}

// TestSumManyAttacks makes attacks with every vector, in any block of any lane,
// and several at once.
func TestSumManyAttacks(t *testing.T) {
	table := dvs.Published()
	rng := rand.New(rand.NewPCG(83, 84))
	pool := random(1<<15, 85)
	for dv := range dvs.Count {
		if testing.Short() && dv%5 != 2 {
			continue
		}
		old := messageDifferences[dv]
		setDM(t, dv, [steps]uint32{})
		for round := range 6 {
			var msgs [][]byte
			for range 17 + rng.IntN(40) {
				n := rng.IntN(20 * BlockSize)
				if round == 0 {
					n = 2*BlockSize + 1 // as a group
				}
				m := slices.Clone(lengths(rng, pool, n)[0])
				if whole := n / BlockSize; whole > 0 && rng.IntN(3) == 0 {
					copy(m[rng.IntN(whole)*BlockSize:], craft.Bytes(craft.Passing(table, dv, rng)))
				}
				if whole := n / BlockSize; whole > 0 && rng.IntN(3) == 0 {
					edges := table.Span(dv).Rank()
					copy(m[rng.IntN(whole)*BlockSize:], craft.Bytes(craft.NearMiss(table, dv, rng.IntN(edges), rng)))
				}
				msgs = append(msgs, m)
			}
			for _, b := range suited() {
				use(t, b)
				checkMany(t, Config{Mode: Mode(rng.IntN(2))}, rng, msgs)
			}
		}
		messageDifferences[dv] = old
	}
}

// TestSumManyLateAttacks has the attacks of long messages rechecked only when
// all others are done: while the short ones of a second window are hashed, which
// survive the filter without an attack.
func TestSumManyLateAttacks(t *testing.T) {
	const dv, other = 9, 4
	table := dvs.Published()
	rng := rand.New(rand.NewPCG(117, 118))
	setDM(t, dv, [steps]uint32{})
	pool := random(1<<14, 119)
	window := len(order{}.window)
	for long := 1; long <= 8; long++ {
		msgs := lengths(rng, pool, slices.Repeat([]int{2 * BlockSize}, window-long)...)
		for range long {
			m := slices.Clone(lengths(rng, pool, 100*BlockSize)[0])
			copy(m, craft.Bytes(craft.Passing(table, dv, rng)))
			msgs = append(msgs, m)
		}
		for range 32 {
			m := craft.Bytes(craft.Passing(table, other, rng))
			msgs = append(msgs, append(m, m...))
		}
		for _, b := range suited() {
			use(t, b)
			expectMany(t, Config{}, msgs, SumMany(nil, msgs))
		}
	}
}

// TestSumManyHostile makes every block of every message survive the filter for
// many vectors, with no attack, with few, and with attacks only.
func TestSumManyHostile(t *testing.T) {
	rng := rand.New(rand.NewPCG(86, 87))
	mask, worst := craft.MostVectors(dvs.Published())
	var msgs [][]byte
	for n := range 36 {
		var m []byte
		for range 1 + n%13 {
			m = append(m, craft.Bytes(worst.Block(rng))...)
		}
		msgs = append(msgs, m)
	}
	check := func() {
		t.Helper()
		for _, b := range suited() {
			use(t, b)
			checkMany(t, Config{}, rng, msgs)
			checkMany(t, Config{Mode: DetectOnly}, rng, msgs[:17])
		}
	}
	check()
	for dv := range dvs.Count {
		if mask.Has(dv) && (dv%3 == 0 || !testing.Short()) {
			old := messageDifferences[dv]
			setDM(t, dv, [steps]uint32{})
			check()
			messageDifferences[dv] = old
		}
	}
}

// TestSumManyPieces cuts a message, which is attacked, in two and in three at
// every byte.
func TestSumManyPieces(t *testing.T) {
	forSuited(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(88, 89))
		for _, message := range [][]byte{random(700, 90), append(slices.Clone(vectors.All()[0].Data), random(345, 91)...)} {
			want, err := Config{}.Sum(message)
			var msgs [][][]byte
			for n := range len(message) + 1 {
				m := n + rng.IntN(len(message)+1-n)
				msgs = append(msgs, [][]byte{message[:n], message[n:]}, [][]byte{message[:n], message[n:m], message[m:]})
			}
			for n, r := range (Config{}).NewBatch().SumPieces(nil, msgs) {
				expectResult(t, fmt.Sprintf("in pieces of %d, %d", len(msgs[n][0]), len(msgs[n][1])), r, want, err)
			}
		}
	})
}

// TestSumManyCopies puts runs that are copied and last long beside runs of one
// block, so that many are begun while the copies are in use.
func TestSumManyCopies(t *testing.T) {
	forSuited(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(122, 123))
		pool := random(1<<14, 124)
		rounds := 100
		if testing.Short() {
			rounds = 25
		}
		for range rounds {
			size := 500 + rng.IntN(1500)
			msgs := lengths(rng, pool, slices.Repeat([]int{size}, 60)...)
			var pieces [][][]byte
			for _, m := range msgs {
				n := BlockSize - rng.IntN(2)
				pieces = append(pieces, slices.Collect(slices.Chunk(m, n)))
			}
			expectMany(t, Config{}, msgs, Config{}.NewBatch().SumPieces(nil, pieces))
		}
	})
}

// A Batch must keep nothing between calls that matters.
func TestBatchReuse(t *testing.T) {
	forSuited(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(92, 93))
		pool := random(1<<14, 94)
		b := Config{}.NewBatch()
		for round := range 30 {
			var n []int
			for range rng.IntN(60) {
				n = append(n, rng.IntN(700))
			}
			msgs := lengths(rng, pool, n...)
			if round%3 == 0 {
				msgs = append(msgs, vectors.All()[round%2].Data)
			}
			expectMany(t, Config{}, msgs, b.Sum(nil, msgs))
			expectMany(t, Config{}, msgs, b.SumPieces(nil, inPieces(rng, msgs)))
		}
		var zero Batch
		msgs := lengths(rng, pool, rng.Perm(100)...)
		expectMany(t, Config{}, msgs, zero.Sum(nil, msgs))
	})
}

// Calls in several goroutines share the memory that SumMany keeps, one after the
// other.
func TestSumManyBeside(t *testing.T) {
	pool := random(1<<14, 120)
	forSuited(t, func(t *testing.T) {
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(121, uint64(n)))
				c := Config{Mode: Mode(n % 2)}
				msgs := lengths(rng, pool, rng.Perm(200)...)
				msgs[n] = vectors.All()[0].Data
				for range 20 {
					expectMany(t, c, msgs, c.SumMany(nil, msgs))
				}
			})
		}
		wg.Wait()
	})
}

func TestSumManyAllocates(t *testing.T) {
	forSuited(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(95, 96))
		msgs := lengths(rng, random(1<<14, 97), rng.Perm(1200)...)
		pieces := inPieces(rng, msgs)
		dst := make([]Result, 0, len(msgs))
		b := Config{}.NewBatch()
		b.Sum(dst, msgs)
		for what, f := range map[string]func(){
			"Sum":       func() { b.Sum(dst, msgs) },
			"SumPieces": func() { b.SumPieces(dst, pieces) },
		} {
			if n := testing.AllocsPerRun(5, f); n != 0 {
				t.Errorf("%s: %v allocations", what, n)
			}
		}
	})
}

// A few messages must cost no more than they do alone: SumMany takes a batch from
// the pool only for those that a kernel hashes together.
func TestSumManyFew(t *testing.T) {
	forEachBackend(t, func(t *testing.T) {
		made, usual := 0, batches.New
		batches = sync.Pool{New: func() any { made++; return new(Batch) }}
		t.Cleanup(func() { batches = sync.Pool{New: usual} })
		rng := rand.New(rand.NewPCG(98, 99))
		pool := random(1<<12, 100)
		expect := func(c Config, n, want int) {
			t.Helper()
			msgs := lengths(rng, pool, rng.Perm(2000)[:n]...)
			made = 0
			expectMany(t, c, msgs, c.SumMany(nil, msgs))
			if made != want {
				t.Errorf("%+v, %d messages: %d batches made, want %d", c, n, made, want)
			}
		}
		k, ok := active.manyKernel()
		if !ok {
			expect(Config{}, 50, 0)
			return
		}
		for n := range k.least {
			expect(Config{}, n, 0)
		}
		expect(Config{ReducedRounds: true}, 16, 0)
		expect(Config{DisableUBC: true}, 16, 0)
		expect(Config{Mode: DetectOnly}, 16, 1)
	})
}

// TestSumManyIdle has groups that leave lanes idle in front of groups with attacks
// in all lanes.
func TestSumManyIdle(t *testing.T) {
	const dv = 9
	table := dvs.Published()
	rng := rand.New(rand.NewPCG(122, 123))
	setDM(t, dv, [steps]uint32{})
	pool := random(1<<12, 124)
	for few := 1; few < 16; few++ {
		msgs := lengths(rng, pool, slices.Repeat([]int{3*BlockSize + 20}, few)...)
		for range 16 {
			msgs = append(msgs, craft.Bytes(craft.Passing(table, dv, rng)))
		}
		for _, b := range suited() {
			use(t, b)
			results := SumMany(nil, msgs)
			expectMany(t, Config{}, msgs, results)
			for n, r := range results[few:] {
				if r.Err == nil {
					t.Errorf("%v, %d messages in front: no attack in message %d", b, few, n)
				}
			}
		}
	}
}

// keyed yields messages in pieces with their indices.
func keyed(pieces [][][]byte) iter.Seq2[int, [][]byte] {
	return func(yield func(int, [][]byte) bool) {
		for n, p := range pieces {
			if !yield(n, p) {
				return
			}
		}
	}
}

func TestSumSeq(t *testing.T) {
	forSuited(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(98, 99))
		pool := random(1<<20, 100)
		for _, count := range []int{0, 1, 7, 255, 256, 257, 700} {
			var n []int
			for range count {
				n = append(n, rng.IntN(400))
			}
			if count == 257 {
				n = slices.Repeat([]int{1 << 17}, 35) // few and long
			}
			msgs := lengths(rng, pool, n...)
			if count > 1 {
				msgs[len(msgs)/5] = vectors.All()[1].Data
			}
			var results []Result
			for n, r := range SumSeq(context.Background(), Config{}, keyed(inPieces(rng, msgs))) {
				if n != len(results) {
					t.Fatalf("result %d has key %d", len(results), n)
				}
				results = append(results, r)
			}
			expectMany(t, Config{}, msgs, results)
		}
	})
}

// Who stops reading stops the source too; so does a context that is done.
func TestSumSeqStops(t *testing.T) {
	message := [][]byte{random(300, 101)}
	made := 0
	endless := func(yield func(int, [][]byte) bool) {
		for made = 0; yield(made, message); made++ {
		}
		made = -made
	}
	for n := range SumSeq(context.Background(), Config{}, endless) {
		if n == 300 {
			break
		}
	}
	if made >= 0 || -made > 2*streamMessages {
		t.Errorf("the source stopped after %d messages", -made)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	read := 0
	for n := range SumSeq(ctx, Config{}, endless) {
		read++
		if n == 1000 {
			cancel()
		}
	}
	if made >= 0 || read < 1000 || read > 1000+streamMessages {
		t.Errorf("cancelled at 1000: %d messages made, %d results", -made, read)
	}
	for range SumSeq(ctx, Config{}, keyed([][][]byte{message})) {
		t.Error("a result although the context was done before")
	}
}

// A long message must not keep a cancelled call.
func TestSumSeqCancelledInMessage(t *testing.T) {
	piece := make([]byte, longestRun)
	pieces := slices.Repeat([][]byte{piece}, 1<<20) // a terabyte
	for _, count := range []int{1, 20} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		for range SumSeq(ctx, Config{}, keyed(slices.Repeat([][][]byte{pieces}, count))) {
			t.Error("a result of a message that takes minutes")
		}
		cancel()
	}
}

func TestSumChan(t *testing.T) {
	forSuited(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(102, 103))
		pool := random(1<<16, 104)
		before := runtime.NumGoroutine()
		for _, buffer := range []int{0, 1, 64, 1000} {
			msgs := lengths(rng, pool, rng.Perm(600)...)
			msgs[77] = vectors.All()[0].Data
			pieces := inPieces(rng, msgs)
			in, out := make(chan Message[int], buffer), make(chan Summed[int], buffer)
			go func() {
				for n, p := range pieces {
					in <- Message[int]{n, p}
				}
				close(in)
			}()
			done := make(chan error)
			for range 2 {
				go func() { done <- SumChan(context.Background(), Config{}, in, out) }()
			}
			go func() {
				for range 2 {
					if err := <-done; err != nil {
						t.Error(err)
					}
				}
				close(out)
			}()
			results := make([]Result, len(msgs))
			count := 0
			for r := range out {
				results[r.Key] = r.Result
				count++
			}
			if count != len(msgs) {
				t.Errorf("%d results for %d messages", count, len(msgs))
			}
			expectMany(t, Config{}, msgs, results)
		}
		expectGoroutines(t, before)
	})
}

// expectGoroutines fails unless there are again as many goroutines as before.
func expectGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// Who sends a message and waits for its result gets it, though more may come.
func TestSumChanAnswers(t *testing.T) {
	in, out := make(chan Message[string]), make(chan Summed[string])
	done := make(chan error)
	go func() { done <- SumChan(context.Background(), Config{}, in, out) }()
	for _, text := range []string{"a", "b", "c"} {
		in <- Message[string]{text, [][]byte{[]byte(text)}}
		r := <-out
		if want, _ := Sum([]byte(text)); r.Key != text || r.Digest != want {
			t.Errorf("%s: %s, %x", text, r.Key, r.Digest)
		}
	}
	close(in)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestSumChanCancelled(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, what := range []string{"while it waits for messages", "while it waits for a reader", "while it hashes"} {
		ctx, cancel := context.WithCancel(context.Background())
		in, out := make(chan Message[int], 10), make(chan Summed[int])
		done := make(chan error)
		switch what {
		case "while it waits for a reader":
			in <- Message[int]{}
		case "while it hashes":
			in <- Message[int]{0, slices.Repeat([][]byte{make([]byte, 1<<20)}, 1<<20)}
		}
		go func() { done <- SumChan(ctx, Config{}, in, out) }()
		time.Sleep(10 * time.Millisecond)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled %s: %v", what, err)
		}
	}
	expectGoroutines(t, before)
}

func FuzzSumMany(f *testing.F) {
	f.Add([]byte("some bytes"), uint64(1))
	f.Add(vectors.All()[0].Data, uint64(2))
	f.Add(vectors.All()[2].Data, uint64(3))
	backends := suited()
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		data = data[:min(len(data), 1000)]
		var msgs [][]byte
		for range 8 + rng.IntN(20) {
			switch m := bytes.Clone(data); rng.IntN(4) {
			case 0:
				msgs = append(msgs, m)
			case 1:
				msgs = append(msgs, append(m, random(rng.IntN(200), byte(seed))...))
			default:
				msgs = append(msgs, m[rng.IntN(len(m)+1):])
			}
		}
		use(t, backends[rng.IntN(len(backends))])
		checkMany(t, Config{Mode: Mode(rng.IntN(2))}, rng, msgs)
	})
}
