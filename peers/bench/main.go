// Bench prints the speed of SHA-1 implementations side by side. All rows hash
// the same messages in one process, in interleaved rounds, and the ratio to
// crypto/sha1 is taken within a round: figures of one machine or one minute do
// not compare with those of another, ratios do.
package main

import (
	"bufio"
	"cmp"
	"crypto/sha1"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are the command line.
type options struct {
	rounds   int
	time     time.Duration
	sizes    []int
	rows     []row
	input    input
	many     bool
	spread   bool
	markdown bool
}

func main() {
	o, err := parse(os.Args[1:])
	if err == flag.ErrHelp {
		return
	}
	if err == nil {
		measure := run
		if o.many {
			measure = runMany
		}
		err = measure(os.Stdout, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.IntVar(&o.rounds, "rounds", 21, "rounds to take the median of")
	f.DurationVar(&o.time, "time", 20*time.Millisecond, "time that crypto/sha1 is given in a round")
	sizes := f.String("sizes", "64,256,1K,16K,1M", "message `sizes` in bytes; K and M stand for 2^10 and 2^20")
	names := f.String("rows", "", "`names` of the rows beside crypto/sha1 (default all)")
	kind := f.String("input", inputs[0].name, "`kind` of bytes to hash: "+list(inputs, func(i input) string { return i.name }))
	f.BoolVar(&o.many, "many", false, "hash many messages at once instead, of sizes and numbers of its own")
	f.BoolVar(&o.spread, "spread", false, "print the quartiles of each ratio")
	f.BoolVar(&o.markdown, "markdown", false, "print the table in Markdown")
	f.SetOutput(io.Discard) // errors are returned
	f.Usage = func() {}
	if err := f.Parse(args); err != nil {
		if err == flag.ErrHelp {
			f.SetOutput(os.Stderr)
			f.PrintDefaults()
		}
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: there are only flags", f.Arg(0))
	}
	if o.rounds < 1 {
		return o, fmt.Errorf("-rounds %d: want at least 1", o.rounds)
	}
	if o.time <= 0 {
		return o, fmt.Errorf("-time %v: want more than 0", o.time)
	}
	for _, s := range strings.Split(*sizes, ",") {
		n, err := parseSize(s)
		if err != nil {
			return o, fmt.Errorf("-sizes: %w", err)
		}
		o.sizes = append(o.sizes, n)
	}
	var err error
	if o.rows, err = pickRows(*names); err != nil {
		return o, fmt.Errorf("-rows: %w", err)
	}
	n := slices.IndexFunc(inputs, func(i input) bool { return i.name == *kind })
	if n < 0 {
		return o, fmt.Errorf("-input: no %q, have %s", *kind, list(inputs, func(i input) string { return i.name }))
	}
	o.input = inputs[n]
	return o, nil
}

// parseSize reads a size as "64", "16K" or "1M".
func parseSize(s string) (int, error) {
	digits, shift := s, 0
	if d, ok := strings.CutSuffix(s, "K"); ok {
		digits, shift = d, 10
	} else if d, ok := strings.CutSuffix(s, "M"); ok {
		digits, shift = d, 20
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size, want a number of bytes as 64, 16K or 1M", s)
	}
	if n < 1 || n > poolSize>>shift {
		return 0, fmt.Errorf("%q is out of range, want 1 to %dM", s, poolSize>>20)
	}
	return n << shift, nil
}

// pickRows returns the rows named in a list, or all for "". The baseline is
// always the first.
func pickRows(names string) ([]row, error) {
	all := rows()
	if names == "" {
		return all, nil
	}
	picked := []row{baseline}
	for _, name := range strings.Split(names, ",") {
		n := slices.IndexFunc(all, func(r row) bool { return r.name == name })
		if n < 0 {
			return nil, fmt.Errorf("no %q, have %s", name, list(all, func(r row) string { return r.name }))
		}
		if !slices.ContainsFunc(picked, func(r row) bool { return r.name == name }) {
			picked = append(picked, all[n])
		}
	}
	return picked, nil
}

// list joins the names of a table's entries.
func list[T any](entries []T, name func(T) string) string {
	var names []string
	for _, e := range entries {
		names = append(names, name(e))
	}
	return strings.Join(names, ", ")
}

// figure is what was measured of a row at a size, an entry a round.
type figure struct {
	speed []float64 // MB/s
	ratio []float64 // of speed to the baseline's
}

func run(w io.Writer, o options) error {
	if err := verify(o.rows); err != nil {
		return err
	}
	// The garbage of a row is collected at its expense.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f := newFeed(o.input)
	figures := make([][]figure, len(o.sizes))
	for n, size := range o.sizes {
		figures[n] = measure(f, size, o)
	}
	out := bufio.NewWriter(w)
	header(out, o)
	table(out, o, figures)
	return out.Flush()
}

// measure returns the figures of all rows for messages of a size.
func measure(f *feed, size int, o options) []figure {
	msgs := make([][]byte, batch(f, size, o.time))
	digests := make([][sha1.Size]byte, len(msgs))
	figures := make([]figure, len(o.rows))
	elapsed := make([]time.Duration, len(o.rows))
	for round := range o.rounds {
		f.messages(msgs, size)
		for n := range o.rows {
			// No place in the order is anybody's for good.
			n = (n + round) % len(o.rows)
			touch(msgs)
			runtime.GC()
			start := time.Now()
			o.rows[n].hash(digests, msgs)
			elapsed[n] = max(time.Since(start), 1)
		}
		for n, d := range elapsed {
			fig := &figures[n]
			fig.speed = append(fig.speed, float64(size*len(msgs))/1e6/d.Seconds())
			fig.ratio = append(fig.ratio, float64(elapsed[0])/float64(d))
		}
	}
	for n := range figures {
		slices.Sort(figures[n].speed)
		slices.Sort(figures[n].ratio)
	}
	return figures
}

// batch returns how many messages the baseline hashes in about the time d.
func batch(f *feed, size int, d time.Duration) int {
	for n := 1; ; n *= 2 {
		msgs := make([][]byte, n)
		digests := make([][sha1.Size]byte, n)
		f.messages(msgs, size)
		touch(msgs)
		start := time.Now()
		baseline.hash(digests, msgs)
		if t := time.Since(start); t >= d/4 {
			return max(1, int(float64(n)*float64(d)/float64(t)))
		}
	}
}

// sink keeps touch from being optimised away.
var sink byte

// touch reads the messages, so that no row pays for memory that is not yet in
// the cache.
func touch(msgs [][]byte) {
	for _, m := range msgs {
		for n := 0; n < len(m); n += 64 {
			sink ^= m[n]
		}
	}
}

// header prints what the figures depend on.
func header(w io.Writer, o options) {
	fmt.Fprintf(w, "%s, %s %s/%s", cmp.Or(cpuModel(), "unknown CPU"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if tags := buildTags(); tags != "" {
		fmt.Fprintf(w, ", built with -tags %s", tags)
	}
	if !cgoEnabled {
		fmt.Fprint(w, ", without cgo")
	}
	fmt.Fprintf(w, "; %s input, one core, median of %d rounds; MB/s and ratio to %s\n\n", o.input.name, o.rounds, baseline.name)
}

// cpuModel returns the name of the CPU where the system tells it.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func buildTags() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			return s.Value
		}
	}
	return ""
}

// table prints a line a row and a column a size.
func table(w io.Writer, o options, figures [][]figure) {
	lines := [][]string{{""}, {"---"}}
	for _, size := range o.sizes {
		lines[0] = append(lines[0], sizeName(size))
		lines[1] = append(lines[1], "---:")
	}
	for n, r := range o.rows {
		line := []string{r.name}
		for s := range o.sizes {
			line = append(line, cell(&figures[s][n], o.spread))
		}
		lines = append(lines, line)
	}
	printTable(w, lines, o.markdown)
}

// printTable prints lines of cells, of which the second is for Markdown only.
func printTable(w io.Writer, lines [][]string, markdown bool) {
	if markdown {
		for _, line := range lines {
			fmt.Fprintf(w, "| %s |\n", strings.Join(line, " | "))
		}
		return
	}
	lines = slices.Delete(lines, 1, 2)
	width := make([]int, len(lines[0]))
	for _, line := range lines {
		for n, s := range line {
			width[n] = max(width[n], len(s))
		}
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%-*s", width[0], line[0])
		for n, s := range line[1:] {
			fmt.Fprintf(w, "   %*s", width[n+1], s)
		}
		fmt.Fprintln(w)
	}
}

func cell(f *figure, spread bool) string {
	return fmt.Sprintf("%.0f  %s", quantile(f.speed, 2), ratios(f.ratio, spread))
}

// ratios prints the median of sorted ratios, and their quartiles if asked for.
func ratios(sorted []float64, spread bool) string {
	s := fmt.Sprintf("%.2f", quantile(sorted, 2))
	if spread {
		s += fmt.Sprintf(" (%.2f-%.2f)", quantile(sorted, 1), quantile(sorted, 3))
	}
	return s
}

// quantile returns the quarter-th quartile of sorted values; the second is
// their median.
func quantile(sorted []float64, quarter int) float64 { return sorted[quarter*(len(sorted)-1)/4] }

func sizeName(n int) string {
	switch {
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// verify checks that all rows hash correctly, or their figures mean nothing.
// The messages hold no attacks, so that all digests are plain SHA-1.
func verify(rows []row) error {
	for _, in := range inputs {
		pool := make([]byte, 64*64)
		in.fill(pool)
		for size := 1; size <= 1000; size += 37 {
			var msgs [][]byte
			for at := 0; at+size <= len(pool); at += 64 {
				msgs = append(msgs, pool[at:at+size])
			}
			digests := make([][sha1.Size]byte, len(msgs))
			for _, r := range rows {
				clear(digests)
				r.hash(digests, msgs)
				for n, m := range msgs {
					if want := sha1.Sum(m); digests[n] != want {
						return fmt.Errorf("row %s: digest of %d bytes of %s input is %x, want %x", r.name, size, in.name, digests[n], want)
					}
				}
			}
		}
	}
	return nil
}
