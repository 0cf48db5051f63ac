package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sha1dc/go/gitpack"
	"github.com/sha1dc/go/internal/cli"
)

// indexPackOptions are what the command line of index-pack asks for.
type indexPackOptions struct {
	packOptions
	files   gitpack.Files
	stdin   bool
	fixThin bool
	verbose bool
}

func (o *indexPackOptions) table() []cli.Option {
	return append(o.packOptions.table(),
		cli.Option{Short: 'o', Arg: true, Set: func(value string) error { o.files.Index = value; return nil }},
		cli.Option{Long: "stdin", Set: cli.Flag(&o.stdin)},
		cli.Option{Long: "fix-thin", Set: cli.Flag(&o.fixThin)},
		cli.Option{Long: "rev-index", Set: cli.Flag(&o.files.Reverse)},
		cli.Option{Long: "no-rev-index", Set: func(string) error { o.files.Reverse = false; return nil }},
		cli.Option{Short: 'v', Set: cli.Flag(&o.verbose)},
	)
}

// validate sets the name of the pack and reports options that exclude each
// other.
func (o *indexPackOptions) validate() error {
	switch {
	case len(o.operands) > 1:
		return fmt.Errorf("extra operand %s", cli.QuoteAlways(o.operands[1]))
	case o.fixThin && !o.stdin:
		return errors.New("the --fix-thin option is meaningful only with --stdin")
	case len(o.operands) == 0:
		return errors.New("missing the name of a pack")
	}
	o.files.Pack = o.operands[0]
	if o.files.Index == "" && !strings.HasSuffix(o.files.Pack, ".pack") {
		return fmt.Errorf("the name of the pack, %s, does not end in .pack: name the index with -o", cli.QuoteAlways(o.files.Pack))
	}
	return nil
}

// runIndexPack runs the command index-pack.
func runIndexPack(args []string, s streams) int {
	var o indexPackOptions
	r, status, ok := startPackRun("index-pack", indexPackUsage, args, o.table(), &o.packOptions, s)
	if !ok {
		return status
	}
	if err := o.validate(); err != nil {
		return r.misused("index-pack", err.Error())
	}
	stop := r.progress.Show(r.printer, nil, s.stdin)
	report, err := o.run(s)
	stop()
	r.result(o.files.Pack, report, err)
	if err == nil && !r.json {
		prefix := ""
		if o.stdin {
			prefix = "pack\t"
		}
		r.printer.Print([]byte(prefix + report.PackChecksum.String() + "\n"))
		if o.verbose {
			r.printer.Print([]byte(summary(report)))
		}
	}
	return r.close()
}

// run indexes the pack.
func (o *indexPackOptions) run(s streams) (*gitpack.Report, error) {
	ctx, cancel := interruptible()
	defer cancel()
	if !o.stdin {
		return gitpack.IndexFile(ctx, o.files, o.Options)
	}
	var bases gitpack.BaseFunc
	if o.fixThin {
		repo := &repository{dir: filepath.Dir(o.files.Pack)}
		defer repo.close()
		bases = repo.object
	}
	return gitpack.Receive(ctx, s.stdin, o.files, bases, o.Options)
}

// summary returns what is in a pack, for people.
func summary(r *gitpack.Report) string {
	var b strings.Builder
	for t, c := range r.Types {
		if c.Objects > 0 {
			fmt.Fprintf(&b, "%-7s%10d  %15d bytes\n", gitpack.ObjectType(t), c.Objects, c.Bytes)
		}
	}
	fmt.Fprintf(&b, "%-7s%10d  at most %d on each other\n", "deltas", r.Deltas, r.MaxDepth)
	if r.Added > 0 {
		fmt.Fprintf(&b, "%-7s%10d  to complete the pack\n", "added", r.Added)
	}
	return b.String()
}

const indexPackUsage = `Usage: sha1dc index-pack [OPTION]... PACK.pack
  or:  sha1dc index-pack [OPTION]... --stdin PACK.pack
Check all of a git pack, with detection of collision attacks in every object,
write its index, and print the checksum of the pack. Nothing is written if
anything is wrong.

  -o FILE                    write the index to FILE instead of PACK.idx
      --stdin                read the pack from standard input, and write it too
      --fix-thin             with --stdin: add objects that are bases of deltas
                             in the pack but not in it, from the git repository
                             that GIT_DIR names or that PACK.pack is in
      --rev-index            also write a reverse index
  -v                         also print what is in the pack
` + packOptionsUsage + packStatusUsage
