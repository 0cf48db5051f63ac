package main

import "iter"

// window is how many items may wait for their turn to be emitted, so that many
// operands or a long check file do not pile up behind one big file.
const window = 1024

// A job is an item to work on.
type job[T, R any] struct {
	item   T
	turn   chan struct{} // closed when everything before it has been emitted
	result R
	done   chan struct{}
}

// finish ends the job.
func (j *job[T, R]) finish(r R) {
	j.result = r
	close(j.done)
}

// mostJobs is how many jobs a worker is given at once.
const mostJobs = 64

// ordered works on the items of source in up to n goroutines, and calls emit
// with every item and its result in the order of source. Each goroutine calls
// newWorker for a function of its own. That function finishes all jobs that it
// is given, of which it may keep some while it works on others. It may wait for
// a job's turn once it has finished those before it.
func ordered[T, R any](n int, source iter.Seq[T], newWorker func() func([]*job[T, R]), emit func(T, R)) {
	queue := make(chan *job[T, R], mostJobs)
	waiting := make(chan *job[T, R], window)
	go func() {
		defer close(waiting)
		defer close(queue)
		started := 0
		for item := range source {
			j := &job[T, R]{item: item, turn: make(chan struct{}), done: make(chan struct{})}
			waiting <- j
			if started < n {
				started++
				go work(queue, n, newWorker)
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

// work works on the jobs in a queue that n workers share.
func work[T, R any](queue <-chan *job[T, R], n int, newWorker func() func([]*job[T, R])) {
	worker := newWorker()
	var jobs []*job[T, R]
	for j := range queue {
		jobs = append(jobs[:0], j)
		for share := len(queue) / n; share > 0 && len(jobs) < mostJobs; share-- {
			select {
			case j, ok := <-queue:
				if ok {
					jobs = append(jobs, j)
				}
			default: // another worker was faster
			}
		}
		worker(jobs)
	}
}
