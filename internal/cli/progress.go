package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"
	"time"
)

// Progress counts what has been hashed. The zero value is ready to use.
type Progress struct {
	Bytes, Files atomic.Int64

	// Text, if not nil, returns what to show instead of the two.
	Text func() string
}

// Work shorter than progressDelay shows no progress; longer work shows it
// anew in every progressInterval.
const (
	progressDelay    = time.Second
	progressInterval = 250 * time.Millisecond
)

// Show shows progress on p until the function that it returns is called, if
// standard error is a terminal and nobody types one of the operands.
func (g *Progress) Show(p *Printer, operands []string, stdin io.Reader) (stop func()) {
	typed := slices.Contains(operands, StdinName) && IsTerminal(stdin)
	if !IsTerminal(p.Stderr) || typed {
		return func() {}
	}
	return g.start(p)
}

// start shows progress on p until the function that it returns is called.
func (g *Progress) start(p *Printer) (stop func()) {
	begin := time.Now()
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTimer(progressDelay)
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
				if f, ok := p.Stderr.(*os.File); !ok || foreground(f) {
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
func (g *Progress) line(elapsed time.Duration) string {
	if g.Text != nil {
		return g.Text()
	}
	files, bytes := g.Files.Load(), float64(g.Bytes.Load())
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

// A CountingReader counts the bytes read in a Progress.
type CountingReader struct {
	io.Reader
	Progress *Progress
}

func (c *CountingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.Progress.Bytes.Add(int64(n))
	return n, err
}
