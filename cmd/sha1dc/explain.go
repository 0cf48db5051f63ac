package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sha1dc/go/forensics"
	"github.com/sha1dc/go/internal/cli"
)

// explainOptions are what the command line of explain asks for.
type explainOptions struct {
	json     bool
	twin     string // where to write the other file, or nothing
	svg      string // where to write the picture, or nothing
	attack   int    // whose other file to write; 0 is the first that has one
	analysis forensics.Options

	help     bool
	operands []string
}

// parseExplain returns the options in args.
func parseExplain(args []string) (explainOptions, error) {
	o := explainOptions{analysis: forensics.Options{Window: forensics.DefaultWindow}}
	operands, err := cli.Getopt(args, o.table(), cli.Posix(), func() bool { return o.help })
	if len(operands) == 0 {
		operands = []string{cli.StdinName}
	}
	o.operands = operands
	if err == nil && !o.help {
		err = o.validate()
	}
	return o, err
}

// table returns the options that set o.
func (o *explainOptions) table() []cli.Option {
	text := func(where *string) func(string) error {
		return func(value string) error { *where = value; return checkNew(value) }
	}
	number := func(where *int, what string, most int) func(string) error {
		return func(value string) error {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > most {
				return fmt.Errorf("invalid %s %s: must be from 1 to %d", what, cli.QuoteAlways(value), most)
			}
			*where = n
			return nil
		}
	}
	return []cli.Option{
		{Long: "json", Set: cli.Flag(&o.json)},
		{Long: "twin", Arg: true, Set: text(&o.twin)},
		{Long: "svg", Arg: true, Set: text(&o.svg)},
		{Long: "attack", Arg: true, Set: number(&o.attack, "number of an attack", forensics.MaxAttacks)},
		{Long: "window", Arg: true, Set: number(&o.analysis.Window, "window", forensics.MaxWindow)},
		{Long: "reduced-round", Set: cli.Flag(&o.analysis.ReducedRounds)},
		{Long: "help", Set: cli.Flag(&o.help)},
	}
}

// validate reports options that exclude each other.
func (o *explainOptions) validate() error {
	switch {
	case o.twin != "" && len(o.operands) > 1:
		return errors.New("--twin takes one FILE at a time")
	case o.svg != "" && len(o.operands) > 1:
		return errors.New("--svg takes one FILE at a time")
	case o.twin != "" && o.operands[0] == cli.StdinName:
		return errors.New("--twin reads the FILE twice: save standard input to a file first")
	case o.twin != "" && filepath.Clean(o.twin) == filepath.Clean(o.svg):
		return errors.New("--twin and --svg would write the same file")
	case o.attack != 0 && o.twin == "":
		return errors.New("the --attack option is meaningful only with --twin")
	}
	return nil
}

// An explainer is one run of explain.
type explainer struct {
	explainOptions
	stdin    io.Reader
	printer  *cli.Printer
	progress cli.Progress

	failed   bool // something went wrong that is not an attack
	attacked bool // a file is part of a collision attack
	printed  int  // reports
}

// runExplain runs the command explain.
func runExplain(args []string, s streams) int {
	p := s.printer()
	o, err := parseExplain(args)
	if err != nil {
		p.Warn("%v", err)
		p.Note(cli.TryHelp(program + " explain"))
		p.Close()
		return cli.ExitFailure
	}
	e := &explainer{explainOptions: o, stdin: s.stdin, printer: p}
	if o.help {
		p.Print([]byte(explainUsage))
	} else {
		e.all()
	}
	if !p.Close() {
		e.failed = true
	}
	return cli.Status(e.attacked, e.failed)
}

// all explains every operand.
func (e *explainer) all() {
	defer e.progress.Show(e.printer, e.operands, e.stdin)()
	for _, name := range e.operands {
		if name == cli.StdinName {
			e.explain(name, e.stdin)
			continue
		}
		if e.twin != "" && blocksOpen(name) {
			e.unreadable(name, nil, errNotRegular)
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			e.unreadable(name, nil, err)
			continue
		}
		e.explain(name, f)
		f.Close() // only read from: nothing can be lost
	}
}

// explain explains one file.
func (e *explainer) explain(name string, r io.Reader) {
	if e.twin != "" && !isRegular(r) {
		e.unreadable(name, nil, errNotRegular)
		return
	}
	s := e.analyze(name, r)
	if s.err != nil {
		e.unreadable(name, s.report, s.err)
		if len(s.report.Attacks) == 0 {
			return
		}
	}
	e.attacked = e.attacked || len(s.report.Attacks) > 0
	e.print(s)
	if e.svg != "" {
		e.writePicture(s)
	}
	if e.twin != "" {
		e.writeTwin(s, r.(*os.File))
	}
}

// analyze reads a file.
func (e *explainer) analyze(name string, r io.Reader) *subject {
	head := &headReader{r: &cli.CountingReader{Reader: r, Progress: &e.progress}}
	report, err := forensics.Analyze(head, e.analysis)
	e.progress.Files.Add(1)
	return &subject{name: name, typ: fileType(head.head), report: report, err: err}
}

var errNotRegular = errors.New("--twin reads the file twice, and this is no regular file: save it to one first")

// A subject is a file with what is known about it.
type subject struct {
	name   string
	typ    string // of file, "" if unknown
	report *forensics.Report
	err    error // that ended reading
}

// print prints the report on a file.
func (e *explainer) print(s *subject) {
	if e.json {
		e.printer.Print(jsonReport(s))
		return
	}
	if e.printed > 0 {
		e.printer.Print([]byte("\n"))
	}
	e.printed++
	e.printer.Print(textReport(s))
}

// problem reports something that went wrong.
func (e *explainer) problem(format string, args ...any) {
	e.failed = true
	e.printer.Warn(format, args...)
}

// unreadable reports a file that could not be read, or only in part.
func (e *explainer) unreadable(name string, report *forensics.Report, err error) {
	part := ""
	if report != nil && report.Size > 0 {
		part = fmt.Sprintf(" (after %d bytes)", report.Size)
	}
	e.problem("%s: %s%s", cli.Quote(name), cli.Reason(err), part)
	if e.json && (report == nil || len(report.Attacks) == 0) {
		e.printer.Print(jsonError(name, err))
	}
}

// wrote says what a file holds that was written. The first verb of
// format is for its name.
func (e *explainer) wrote(name, format string, args ...any) {
	name = cli.Quote(name)
	if e.json {
		e.printer.Warn(format, append([]any{name}, args...)...)
		return
	}
	text := fmt.Sprintf(format, append([]any{unbroken(name)}, args...)...)
	e.printer.Print([]byte("\n" + wrap("", "", textWidth, text)))
}

// writePicture writes the picture of a file.
func (e *explainer) writePicture(s *subject) {
	if len(s.report.Attacks) == 0 {
		e.problem("%s: not written: there is no attack to draw", cli.Quote(e.svg))
		return
	}
	err := create(e.svg, func(w io.Writer) error {
		_, err := w.Write(drawing(s))
		return err
	})
	if err != nil {
		e.problem("%s: not written: %s", cli.Quote(e.svg), cli.Reason(err))
		return
	}
	e.wrote(e.svg, "Wrote the picture to %s.")
}

// writeTwin writes the other file, or what is known of it.
func (e *explainer) writeTwin(s *subject, f *os.File) {
	a, err := e.chosen(s)
	if err != nil {
		e.problem("%s: not written: %v", cli.Quote(e.twin), err)
		return
	}
	err = create(e.twin, func(w io.Writer) error {
		r := &cli.CountingReader{Reader: io.NewSectionReader(f, 0, 1<<62), Progress: &e.progress}
		return s.report.WriteOther(w, a, r)
	})
	if err != nil {
		e.problem("%s: not written: %s", cli.Quote(e.twin), cli.Reason(err))
		return
	}
	if a.Complete() {
		e.wrote(e.twin, "Wrote the other file to %s: %s, checked to have the same SHA-1 and another mitigated digest.",
			count(s.report.Size, "byte"))
		return
	}
	e.wrote(e.twin, "Wrote what is known of the other file to %s: its bytes %s. Its first %s are not known; what follows is as in this file.",
		span(a.Offset(), lengthInFile(a, s.report.Size)), count(a.Offset(), "byte"))
}

// chosen returns the attack whose other file is asked for.
func (e *explainer) chosen(s *subject) (*forensics.Attack, error) {
	r := s.report
	if s.err != nil {
		return nil, errors.New("the file was not read to its end")
	}
	if e.attack > len(r.Attacks) {
		return nil, fmt.Errorf("there is no attack %d: %s found", e.attack, count(int64(len(r.Attacks)), "attack"))
	}
	list := r.Attacks
	if e.attack > 0 {
		list = list[e.attack-1 : e.attack]
	}
	for n := range list {
		if list[n].HasOther() {
			return &list[n], nil
		}
	}
	if len(list) == 0 {
		return nil, errors.New("there is no attack")
	}
	return nil, forensics.ErrNoOther
}

// lengthInFile returns the number of bytes in the blocks of an attack that are the
// file's, not padding.
func lengthInFile(a *forensics.Attack, size int64) int64 {
	return max(0, min(int64(a.Length()), size-a.Offset()))
}

// isRegular reports whether r is a regular file.
func isRegular(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.IsDir()) // reading a directory tells its error
}

// blocksOpen reports whether opening a file would wait for another process.
func blocksOpen(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

const explainUsage = `Usage: sha1dc explain [OPTION]... [FILE]...
Say where each FILE is attacked, how, and what the other file of the collision
is. Without FILE, or for the FILE -, standard input is read.

      --json           print one JSON object a FILE, each on one line, as
                       docs/explain.schema.json says
      --twin=OUT       write the other file, or what can be known of it, to OUT
      --attack=N       with --twin: of attack N, if there are several (default:
                       the first that has another file)
      --svg=OUT        draw the attacks to OUT
      --window=N       follow an attack through up to N blocks of 64 bytes
                       (default: 4096)
      --reduced-round  also report blocks that collide only if SHA-1 had fewer
                       steps
      --help           print this help

From the attacked block its twin in the other file follows, and from there,
block by block backwards, those in front of it, until both files agree. If the
attack has an identical prefix, that is all that differs, and the other file is
known to the last byte. If it has chosen prefixes, the other file's start
remains unknown.

OUT must not exist. It appears when it is complete: the other file has been
checked to have the same SHA-1 and another mitigated digest, the blocks of a
chosen-prefix attack to end in the same chaining value. With --twin, FILE must
be one regular file. Memory does not grow with the size of a FILE, but with
--window.

Exit status:
  0  no attack
  1  a file could not be read or written, or the usage was wrong
  3  a file is part of a collision attack, whatever else went wrong
`
