package main

import (
	"bufio"
	"crypto/sha1"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/sha1dc/go/sha1dc"
)

// A workload is many messages that are hashed together.
type workload struct {
	name    string
	lengths func(rng *rand.Rand) []int
}

// equal returns the workload of n messages of one size.
func equal(n, size int) workload {
	return workload{
		name:    fmt.Sprintf("%d of %s", n, sizeName(size)),
		lengths: func(*rand.Rand) []int { return slices.Repeat([]int{size}, n) },
	}
}

// workloads are those that the lanes like, and those that they might make
// slower.
var workloads = []workload{
	equal(4096, 64),
	equal(4096, 256),
	equal(1024, 1<<10),
	equal(256, 16<<10),
	{"400 as objects in git", func(rng *rand.Rand) []int {
		var out []int
		for range 400 {
			out = append(out, objectSize(rng))
		}
		return out
	}},
	equal(1, 64), equal(4, 64), equal(8, 64), equal(15, 64), equal(17, 64),
	equal(1, 4<<10), equal(4, 4<<10), equal(8, 4<<10), equal(15, 4<<10), equal(17, 4<<10),
	{"1 of 1 MiB and 500 of 100 B", func(*rand.Rand) []int {
		return append(slices.Repeat([]int{100}, 500), 1<<20)
	}},
}

// objectSizes are the sizes of 849,014 objects in git repositories: so many in
// a hundred up to so many bytes.
var objectSizes = []struct{ percent, bytes int }{
	{11, 256}, {22, 1 << 10}, {13, 4 << 10}, {23, 16 << 10}, {27, 64 << 10}, {4, 256 << 10},
}

// objectSize draws the size of an object.
func objectSize(rng *rand.Rand) int {
	p, least := rng.IntN(100), 0
	for _, s := range objectSizes {
		if p < s.percent {
			return least + rng.IntN(s.bytes-least)
		}
		p -= s.percent
		least = s.bytes
	}
	panic("percentages do not add up to 100")
}

// manyFigure is what was measured of a workload, an entry a round.
type manyFigure struct {
	speed []float64 // of the baseline, MB/s
	alone []float64 // ratios to it: one after the other,
	many  []float64 // together,
	two   []float64 // and together on each of two cores
}

// runMany prints a table of the workloads.
func runMany(w io.Writer, o options) error {
	f := newFeed(o.input)
	out := bufio.NewWriter(w)
	header(out, o)
	lines := [][]string{{"messages", baseline.name, "one by one", "SumMany", "two cores"}, {"---", "---:", "---:", "---:", "---:"}}
	for _, load := range workloads {
		fig, err := measureMany(f, load, o)
		if err != nil {
			return err
		}
		line := []string{load.name, fmt.Sprintf("%.0f", quantile(fig.speed, 2))}
		for _, r := range [][]float64{fig.alone, fig.many, fig.two} {
			line = append(line, ratios(r, o.spread))
		}
		lines = append(lines, line)
	}
	printTable(out, lines, o.markdown)
	return out.Flush()
}

// measureMany returns the figures of a workload.
func measureMany(f *feed, load workload, o options) (manyFigure, error) {
	rng := rand.New(rand.NewPCG(5, 6))
	lengths := load.lengths(rng)
	bytes := 0
	for _, n := range lengths {
		bytes += n
	}
	msgs := make([][]byte, len(lengths))
	digests := make([][sha1.Size]byte, len(msgs))
	results := make([]sha1dc.Result, 0, len(msgs))
	other := make([]sha1dc.Result, 0, len(msgs))
	batches := [2]*sha1dc.Batch{sha1dc.Config{}.NewBatch(), sha1dc.Config{}.NewBatch()}
	reps := 1
	ways := []func(){
		func() { baseline.hash(digests, msgs) },
		func() {
			for n, m := range msgs {
				digests[n], _ = sha1dc.Sum(m)
			}
		},
		func() { results = batches[0].Sum(results[:0], msgs) },
	}
	timed := func(way func()) time.Duration {
		start := time.Now()
		for range reps {
			way()
		}
		return max(time.Since(start), 1)
	}
	both := func() time.Duration {
		var wg sync.WaitGroup
		start := time.Now()
		for n, dst := range [][]sha1dc.Result{results, other} {
			wg.Go(func() {
				for range reps {
					batches[n].Sum(dst[:0], msgs)
				}
			})
		}
		wg.Wait()
		return max(time.Since(start), 1)
	}
	f.lengths(msgs, lengths)
	for timed(ways[0]) < o.time/2 {
		reps *= 2
	}
	var fig manyFigure
	for round := range o.rounds {
		f.lengths(msgs, lengths)
		touch(msgs)
		var elapsed [4]time.Duration
		for n := range elapsed {
			if n = (n + round) % len(elapsed); n < len(ways) {
				elapsed[n] = timed(ways[n])
			} else {
				elapsed[n] = both()
			}
		}
		base := float64(elapsed[0])
		fig.speed = append(fig.speed, float64(bytes*reps)*1e3/base)
		fig.alone = append(fig.alone, base/float64(elapsed[1]))
		fig.many = append(fig.many, base/float64(elapsed[2]))
		fig.two = append(fig.two, 2*base/float64(elapsed[3]))
		for n, m := range msgs {
			if want := sha1.Sum(m); results[n].Digest != want {
				return fig, fmt.Errorf("%s: digest of %d bytes is %x, want %x", load.name, len(m), results[n].Digest, want)
			}
		}
	}
	for _, v := range [][]float64{fig.speed, fig.alone, fig.many, fig.two} {
		slices.Sort(v)
	}
	return fig, nil
}
