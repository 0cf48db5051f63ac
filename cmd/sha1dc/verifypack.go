package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/sha1dc/go/gitpack"
	"github.com/sha1dc/go/internal/cli"
)

// verifyPackOptions are what the command line of verify-pack asks for.
type verifyPackOptions struct {
	packOptions
	verbose  bool
	statOnly bool
}

func (o *verifyPackOptions) table() []cli.Option {
	return append(o.packOptions.table(),
		cli.Option{Long: "verbose", Short: 'v', Set: cli.Flag(&o.verbose)},
		cli.Option{Long: "stat-only", Short: 's', Set: cli.Flag(&o.statOnly)},
	)
}

// runVerifyPack runs the command verify-pack.
func runVerifyPack(args []string, s streams) int {
	var o verifyPackOptions
	r, status, ok := startPackRun("verify-pack", verifyPackUsage, args, o.table(), &o.packOptions, s)
	if !ok {
		return status
	}
	if len(o.operands) == 0 {
		return r.misused("verify-pack", "missing the name of a pack")
	}
	r.printer.Buffered = true
	stop := r.progress.Show(r.printer, nil, s.stdin)
	ctx, cancel := interruptible()
	defer cancel()
	for _, name := range o.operands {
		if ctx.Err() != nil {
			r.failed = true
			break
		}
		files := packFiles(name)
		report, err := gitpack.Verify(ctx, files, o.Options)
		if !r.json && (o.verbose || o.statOnly) {
			r.printer.Print(o.text(files.Pack, report, err))
		}
		r.result(files.Pack, report, err)
	}
	stop()
	return r.close()
}

// packFiles returns the files that belong to an operand: a pack, its index, or
// the name of both without extension.
func packFiles(name string) gitpack.Files {
	base, cut := strings.CutSuffix(name, ".idx")
	if !cut {
		base = strings.TrimSuffix(name, ".pack")
	}
	_, err := os.Stat(base + ".rev")
	return gitpack.Files{Pack: base + ".pack", Reverse: !errors.Is(err, fs.ErrNotExist)}
}

// text returns what git verify-pack prints.
func (o *verifyPackOptions) text(name string, report *gitpack.Report, err error) []byte {
	var b bytes.Buffer
	if err != nil {
		fmt.Fprintf(&b, "%s: bad\n", name)
		return b.Bytes()
	}
	w := bufio.NewWriter(&b)
	whole, chains := 0, make([]int, report.MaxDepth+1)
	for e := range report.Entries() {
		if e.Depth == 0 {
			whole++
		} else {
			chains[e.Depth]++
		}
		if o.statOnly {
			continue
		}
		fmt.Fprintf(w, "%v %-6v %d %d %d", e.ID, e.Type, e.Size, e.PackedSize, e.Offset)
		if e.Depth > 0 {
			fmt.Fprintf(w, " %d %v", e.Depth, e.Base)
		}
		w.WriteByte('\n')
	}
	objects := func(n int) string {
		if n == 1 {
			return "1 object"
		}
		return fmt.Sprintf("%d objects", n)
	}
	if whole > 0 {
		fmt.Fprintf(w, "non delta: %s\n", objects(whole))
	}
	for depth, n := range chains {
		if n > 0 {
			fmt.Fprintf(w, "chain length = %d: %s\n", depth, objects(n))
		}
	}
	if !o.statOnly {
		fmt.Fprintf(w, "%s: ok\n", name)
	}
	w.Flush()
	return b.Bytes()
}

const verifyPackUsage = `Usage: sha1dc verify-pack [OPTION]... PACK...
Check all of each git pack, with detection of collision attacks in every object,
and its index, and its reverse index if there is one. PACK is the name of the
pack or of the index.

  -v, --verbose              print all objects, as git verify-pack does
  -s, --stat-only            print how long the chains of deltas are
` + packOptionsUsage + packStatusUsage
