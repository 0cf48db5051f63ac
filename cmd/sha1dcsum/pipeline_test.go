package main

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// each makes a worker of what works on one item after the other.
func each[T, R any](newWork func() func(T, <-chan struct{}) R) func() func([]*job[T, R]) {
	return func() func([]*job[T, R]) {
		work := newWork()
		return func(jobs []*job[T, R]) {
			for _, j := range jobs {
				j.finish(work(j.item, j.turn))
			}
		}
	}
}

// numbers yields 0 to n-1 and counts them in made.
func numbers(n int, made *int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			*made = i + 1
			if !yield(i) {
				return
			}
		}
	}
}

func TestOrdered(t *testing.T) {
	for _, workers := range []int{1, 2, 5, 64} {
		synctest.Test(t, func(t *testing.T) {
			var have []int
			made := 0
			var started atomic.Int32
			const n = 3 * window
			newWorker := func() func(int, <-chan struct{}) int {
				started.Add(1)
				return func(i int, _ <-chan struct{}) int {
					time.Sleep(time.Duration(i*37%11) * time.Millisecond) // they end in another order
					return -i
				}
			}
			ordered(workers, numbers(n, &made), each(newWorker), func(i, result int) {
				if result != -i {
					t.Fatalf("item %d has the result %d", i, result)
				}
				have = append(have, i)
			})
			if len(have) != n || !slices.IsSorted(have) {
				t.Errorf("%d workers: %d results in order %v", workers, len(have), slices.IsSorted(have))
			}
			if started := int(started.Load()); started != workers {
				t.Errorf("%d workers started, want %d", started, workers)
			}
		})
	}
}

// TestOrderedBounded checks that items do not pile up behind a slow one, and
// that no more workers start than there are items.
func TestOrderedBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 4
		made, emitted := 0, 0
		release, finished := make(chan struct{}), make(chan struct{})
		newWorker := func() func(int, <-chan struct{}) int {
			return func(i int, _ <-chan struct{}) int {
				if i == 0 {
					<-release
				}
				return 0
			}
		}
		go func() {
			defer close(finished)
			ordered(workers, numbers(10*window, &made), each(newWorker), func(int, int) { emitted++ })
		}()
		synctest.Wait()
		if emitted != 0 || made < window/2 || made > window+workers {
			t.Errorf("behind the first item, %d are made and %d emitted", made, emitted)
		}
		close(release)
		<-finished
		if emitted != 10*window {
			t.Errorf("%d emitted", emitted)
		}
	})
}

// TestOrderedTurn checks that an item that waits for its turn is worked on
// after everything before it was emitted.
func TestOrderedTurn(t *testing.T) {
	for _, workers := range []int{1, 3, 64} {
		synctest.Test(t, func(t *testing.T) {
			made, emitted := 0, 0
			newWorker := func() func(int, <-chan struct{}) int {
				return func(i int, turn <-chan struct{}) int {
					if i%3 != 0 {
						time.Sleep(time.Millisecond)
						return 0
					}
					<-turn
					return emitted // nothing is emitted before this item now
				}
			}
			ordered(workers, numbers(300, &made), each(newWorker), func(i, before int) {
				if i%3 == 0 && before != i {
					t.Errorf("%d workers: item %d had its turn after %d", workers, i, before)
				}
				emitted++
			})
			if emitted != 300 {
				t.Errorf("%d workers: %d emitted", workers, emitted)
			}
		})
	}
}

func TestOrderedNothing(t *testing.T) {
	made := 0
	newWorker := func() func(int, <-chan struct{}) int {
		t.Error("a worker is started")
		return nil
	}
	ordered(3, numbers(0, &made), each(newWorker), func(int, int) { t.Error("emitted") })
}
