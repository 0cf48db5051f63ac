package main

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// progress counts what has been hashed. The zero value is ready to use.
type progress struct {
	bytes, files atomic.Int64
}

// Work shorter than progressDelay shows no progress; longer work shows it
// anew in every progressInterval.
const (
	progressDelay    = time.Second
	progressInterval = 250 * time.Millisecond
)

// start shows progress on p until the function that it returns is called.
func (g *progress) start(p *printer) (stop func()) {
	begin := time.Now()
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTimer(progressDelay)
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
				if f, ok := p.stderr.(*os.File); !ok || foreground(f) {
					p.show(g.line(time.Since(begin)))
				}
				timer.Reset(progressInterval)
			case <-quit:
				p.show("")
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}

// line returns the progress after some time of work.
func (g *progress) line(elapsed time.Duration) string {
	files, bytes := g.files.Load(), float64(g.bytes.Load())
	s := "s"
	if files == 1 {
		s = ""
	}
	return fmt.Sprintf("%d file%s done, %s, %s/s", files, s, size(bytes), size(bytes/elapsed.Seconds()))
}

// size returns a number of bytes to three digits or so.
func size(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	for n >= 999.5 && len(units) > 1 {
		n /= 1000
		units = units[1:]
	}
	if n < 9.95 && units[0] != "B" {
		return fmt.Sprintf("%.1f %s", n, units[0])
	}
	return fmt.Sprintf("%.0f %s", n, units[0])
}
