package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"sync/atomic"

	"github.com/sha1dc/go/gitpack"
	"github.com/sha1dc/go/internal/cli"
	"github.com/sha1dc/go/sha1dc"
)

// packOptions are what index-pack and verify-pack have in common.
type packOptions struct {
	gitpack.Options
	json     bool
	help     bool
	operands []string
}

// table returns the options that set o.
func (o *packOptions) table() []cli.Option {
	limits := &o.Limits
	return []cli.Option{
		{Long: "threads", Arg: true, Set: func(value string) error {
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 || n > 1000 {
				return fmt.Errorf("invalid number of threads %s: must be from 0 to 1000", cli.QuoteAlways(value))
			}
			o.Threads = n
			return nil
		}},
		{Long: "max-input-size", Arg: true, Set: byteSize(&limits.PackSize)},
		{Long: "max-object-size", Arg: true, Set: byteSize(&limits.ObjectSize)},
		{Long: "max-inflated-size", Arg: true, Set: byteSize(&limits.InflatedTotal)},
		{Long: "max-depth", Arg: true, Set: byteSize(&limits.DeltaDepth)},
		{Long: "memory", Arg: true, Set: byteSize(&limits.Memory)},
		{Long: "allow-duplicates", Set: cli.Flag(&o.AllowDuplicates)},
		{Long: "list-collisions", Set: func(string) error { o.Collisions = gitpack.ListCollisions; return nil }},
		{Long: "json", Set: cli.Flag(&o.json)},
		{Long: "help", Short: 'h', Set: cli.Flag(&o.help)},
	}
}

const packOptionsUsage = `      --threads=N            use N threads (default: one for each processor)
      --max-input-size=N     refuse packs of more than N bytes; all N may end in
                             k, m or g
      --max-object-size=N    refuse objects of more than N bytes (default: 2g)
      --max-inflated-size=N  refuse packs whose objects have more than N bytes
                             together (default: 1024g)
      --max-depth=N          refuse chains of more than N deltas
      --memory=N             keep about N bytes of objects in memory (default:
                             64m)
      --allow-duplicates     accept packs that hold an object twice, as git does
      --list-collisions      go on after an object that is part of a collision
                             attack, and list them all
      --json                 print one JSON object a pack, each on one line
  -h, --help                 print this help
`

const packStatusUsage = `
Exit status:
  0  all is well
  1  a pack is damaged or exceeds a limit, a file could not be read or written,
     or the usage was wrong
  3  an object is part of a collision attack, whatever else went wrong
`

// byteSize returns a Set function for a number that may end in k, m or g.
func byteSize(where *uint64) func(string) error {
	return func(value string) error {
		digits, shift := value, 0
		if n := len(value) - 1; n > 0 {
			switch value[n] | 0x20 {
			case 'k':
				shift = 10
			case 'm':
				shift = 20
			case 'g':
				shift = 30
			}
			if shift > 0 {
				digits = value[:n]
			}
		}
		v, err := strconv.ParseUint(digits, 10, 64)
		if err != nil || v == 0 || v<<shift>>shift != v {
			return fmt.Errorf("invalid number %s: must be a positive number, which may end in k, m or g", cli.QuoteAlways(value))
		}
		*where = v << shift
		return nil
	}
}

// gcPercent is how much garbage there may be beside the memory in use. There is
// little to collect, of which some is large.
const gcPercent = 50

// A packRun is one run of index-pack or verify-pack.
type packRun struct {
	*packOptions
	printer  *cli.Printer
	progress cli.Progress
	latest   atomic.Pointer[gitpack.Progress]

	failed   bool // something went wrong that is not an attack
	attacked bool // an object is part of a collision attack
}

// startPackRun parses the options of a command. If ok is false, the run is over
// with an exit status.
func startPackRun(command, usage string, args []string, options []cli.Option, o *packOptions, s streams) (r *packRun, status int, ok bool) {
	p := s.printer()
	operands, err := cli.Getopt(args, options, cli.Posix(), func() bool { return o.help })
	o.operands = operands
	switch {
	case err != nil:
		p.Warn("%v", err)
		p.Note(cli.TryHelp(program + " " + command))
	case o.help:
		p.Print([]byte(usage))
	default:
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(gcPercent)
		}
		r = &packRun{packOptions: o, printer: p}
		r.progress.Text = r.text
		r.Progress = func(g gitpack.Progress) { r.latest.Store(&g) }
		return r, 0, true
	}
	return nil, cli.Status(false, !p.Close() || err != nil), false
}

// misused reports a wrong use of a command.
func (r *packRun) misused(command, what string) int {
	r.printer.Warn("%s", what)
	r.printer.Note(cli.TryHelp(program + " " + command))
	r.printer.Close()
	return cli.ExitFailure
}

// close ends a run and returns the exit status.
func (r *packRun) close() int {
	if !r.printer.Close() {
		r.failed = true
	}
	return cli.Status(r.attacked, r.failed)
}

// interruptible returns a context that ends when the user wants the program to
// end, so that no temporary file is left.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), interruptions()...)
}

// text returns the progress for the terminal.
func (r *packRun) text() string {
	g := r.latest.Load()
	if g == nil {
		return "waiting for the pack"
	}
	percent := uint64(100)
	if g.Total > 0 {
		percent = g.Done * 100 / g.Total
	}
	return fmt.Sprintf("%v: %d%% (%d/%d), %d MB", g.Phase, percent, g.Done, g.Total, g.Bytes/1e6)
}

// result takes notice of what became of a pack, and reports errors and attacks.
func (r *packRun) result(name string, report *gitpack.Report, err error) {
	var attacks []*gitpack.CollisionError
	var attack *gitpack.CollisionError
	if errors.As(err, &attack) {
		attacks = append(attacks, attack)
	} else if report != nil {
		attacks = report.Collisions
	}
	for _, a := range attacks {
		r.attacked = true
		r.printer.Warn("%s: %v", cli.Quote(name), a)
	}
	if err != nil && !errors.Is(err, sha1dc.ErrCollision) {
		r.failed = true
		r.printer.Warn("%s: %s", cli.Quote(name), packReason(err))
	}
	if r.json {
		r.printer.Print(packJSON(name, report, attacks, err))
	}
}

// packReason returns the text of an error for a message.
func packReason(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Error() // names the file, which is not always the operand
	}
	return err.Error()
}
