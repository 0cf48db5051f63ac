package sha1dc

import (
	"io"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sha1dc/go/internal/vectors"
)

// collecting runs garbage collections one after the other while f runs, and
// returns the number of those that began and ended meanwhile.
func collecting(f func()) (during int) {
	var stop atomic.Bool
	started, ended := make(chan bool), make(chan bool)
	go func() {
		close(started)
		for {
			runtime.GC()
			if stop.Load() {
				break
			}
			during++
		}
		close(ended)
	}()
	<-started
	f()
	stop.Store(true)
	<-ended
	return during
}

// A kernel must return often enough for the garbage collector to stop the
// goroutine: collections must complete while one Write or Sum goes on.
func TestPreemption(t *testing.T) {
	data := make([]byte, 128<<20)
	for _, b := range suited() {
		if b == generic {
			continue // Go can stop it anywhere, or on some platforms nowhere
		}
		use(t, b)
		for what, hash := range map[string]func(){
			"Write": func() { New().Write(data) },
			"Sum":   func() { Sum(data) },
		} {
			if during := collecting(hash); during < 3 {
				t.Errorf("%v: %d collections during a %s of %d MiB, want many", b, during, what, len(data)>>20)
			}
		}
	}
}

// Kernels must bear what the runtime does beside them: profiles and traces walk
// their frames, and stacks move when they grow.
func TestRuntime(t *testing.T) {
	forEachBackend(t, func(t *testing.T) {
		if err := pprof.StartCPUProfile(io.Discard); err != nil {
			t.Log("no profile:", err) // one is being written already
		} else {
			defer pprof.StopCPUProfile()
		}
		if err := trace.Start(io.Discard); err != nil {
			t.Log("no trace:", err)
		} else {
			defer trace.Stop()
		}
		runtime.SetBlockProfileRate(1)
		defer runtime.SetBlockProfileRate(0)
		length := 500 * time.Millisecond
		if testing.Short() {
			length = 100 * time.Millisecond
		}
		end := time.Now().Add(length)
		f := vectors.All()[0]
		collecting(func() {
			var wg sync.WaitGroup
			for time.Now().Before(end) {
				for depth := range 50 {
					wg.Go(func() { // begins with a small stack
						if digest := sumAt(depth, f.Data); digest != f.Mitigated {
							t.Errorf("%x, want %x", digest, f.Mitigated)
						}
					})
				}
				wg.Wait()
			}
		})
	})
}

// sumAt returns the digest of data, computed so many frames further down.
func sumAt(depth int, data []byte) [Size]byte {
	if depth > 0 {
		var frame [256]byte
		digest := sumAt(depth-1, data)
		frame[depth] = digest[0]
		runtime.KeepAlive(&frame)
		return digest
	}
	digest, _ := Sum(data)
	return digest
}

// BenchmarkPause hashes 256 MiB in one Write while the garbage collector runs. It
// reports how long collections waited for the goroutines to stop: the median,
// the 99th percentile and the longest time, as upper bounds, since the runtime
// counts in classes. Compare with generic, which Go can stop anywhere.
func BenchmarkPause(b *testing.B) {
	data := make([]byte, 256<<20)
	for _, a := range suited() {
		b.Run(a.String(), func(b *testing.B) {
			use(b, a)
			b.SetBytes(int64(len(data)))
			before := stopping()
			for b.Loop() {
				collecting(func() { New().Write(data) })
			}
			after := stopping()
			total, bounds := uint64(0), after.Buckets[1:]
			for n := range after.Counts {
				after.Counts[n] -= before.Counts[n]
				total += after.Counts[n]
			}
			for _, q := range []struct {
				part float64
				unit string
			}{{0.5, "median-stop-µs"}, {0.99, "p99-stop-µs"}, {1, "max-stop-µs"}} {
				n, seen := 0, after.Counts[0]
				for float64(seen) < q.part*float64(total) {
					n++
					seen += after.Counts[n]
				}
				b.ReportMetric(bounds[n]*1e6, q.unit)
			}
		})
	}
}

// stopping returns a histogram of the times that collections waited.
func stopping() metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(sample)
	h := *sample[0].Value.Float64Histogram()
	h.Counts = slices.Clone(h.Counts) // the runtime may use them again
	return h
}
