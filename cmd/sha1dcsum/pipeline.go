package main

import "iter"

// window is how many items may wait for their turn to be emitted, so that many
// operands or a long check file do not pile up behind one big file.
const window = 1024

// ordered works on the items of source in up to n goroutines, and calls emit
// with every item and its result in the order of source. Each goroutine calls
// newWorker for a function of its own. That function may wait until its item's
// turn has come: until everything before it has been emitted.
func ordered[T, R any](n int, source iter.Seq[T], newWorker func() func(item T, turn <-chan struct{}) R, emit func(T, R)) {
	type job struct {
		item   T
		result R
		turn   chan struct{}
		done   chan struct{}
	}
	queue := make(chan *job)
	waiting := make(chan *job, window)
	go func() {
		defer close(waiting)
		defer close(queue)
		started := 0
		for item := range source {
			j := &job{item: item, turn: make(chan struct{}), done: make(chan struct{})}
			waiting <- j
			if started < n {
				started++
				go func() {
					work := newWorker()
					for j := range queue {
						j.result = work(j.item, j.turn)
						close(j.done)
					}
				}()
			}
			queue <- j
		}
	}()
	for j := range waiting {
		close(j.turn)
		<-j.done
		emit(j.item, j.result)
	}
}
