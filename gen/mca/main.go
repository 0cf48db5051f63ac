// Command mca estimates how many cycles a block takes in the kernels, and in the
// loop of crypto/sha1 with the same instructions, on processors that are not
// here. "make mca" finds the programs that it needs and builds the binaries:
//
//	mca -mca llvm-mca -objdump llvm-objdump arm64.test amd64.test
//
// The loops are taken from the binaries. An estimate knows nothing of caches,
// predictions and what the model of a processor leaves out.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// processor is what is estimated.
type processor struct {
	name    string // to LLVM
	triple  string
	options []string
	kernels []kernel // the one in use first
}

// kernel is the functions of a kernel: for one message, and for two at once if
// there is one.
type kernel struct{ one, two string }

const (
	runtime  = "github.com/sha1dc/go/sha1dc."
	standard = "crypto/sha1."
)

var (
	crypto     = []string{"-mattr=+crypto"}
	neon       = kernel{"blocksSHA1NEON", "pairSHA1NEON"}
	neon2      = kernel{"blocksSHA1NEON2", "pairSHA1NEON2"}
	wide       = []kernel{neon, neon2}
	narrow     = []kernel{neon2, neon}
	processors = []processor{
		{"neoverse-n1", "aarch64", crypto, narrow},
		{"neoverse-n2", "aarch64", crypto, narrow},
		{"neoverse-v1", "aarch64", crypto, wide},
		{"neoverse-v2", "aarch64", crypto, narrow},
		{"apple-m1", "aarch64", crypto, wide},
		{"znver5", "x86_64", nil, []kernel{{one: "blocksSHANIAVX512"}, {one: "blocksSHANIAVX2"}}},
		{"sapphirerapids", "x86_64", nil, []kernel{{one: "blocksSHANIAVX512Intel"}}},
		{"alderlake", "x86_64", nil, []kernel{{one: "blocksSHANIAVX2Intel"}}},
	}
	// The loops to compare with.
	plain = map[string]string{"aarch64": "sha1block", "x86_64": "blockSHANI"}
)

// tools are the programs of LLVM.
type tools struct{ mca, objdump string }

func main() {
	var t tools
	flag.StringVar(&t.mca, "mca", "llvm-mca", "the program llvm-mca")
	flag.StringVar(&t.objdump, "objdump", "llvm-objdump", "the program llvm-objdump")
	flag.Parse()
	if err := run(t, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "mca: %v\n", err)
		os.Exit(1)
	}
}

func run(t tools, binaries []string, out io.Writer) error {
	if len(binaries) == 0 {
		return errors.New("no binaries, see \"make mca\"")
	}
	found := make(map[string]loop) // by function and blocks
	for _, b := range binaries {
		text, err := output(nil, t.objdump, "--disassemble", "--no-show-raw-insn", b)
		if err != nil {
			return err
		}
		list, err := loops(text)
		if err != nil {
			return fmt.Errorf("%s: %w", b, err)
		}
		for _, l := range list {
			found[fmt.Sprintf("%s/%d", l.function, l.blocks)] = l
		}
	}
	fmt.Fprintln(out, "| processor | crypto/sha1 | kernel | no survivors | ratio | with a recheck | two messages | ratio |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|")
	for _, p := range processors {
		if err := t.rows(p, found, out); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// rows writes the rows of a processor: cycles a block. A recheck goes beside one
// block, in the loop for one message.
func (t tools) rows(p processor, found map[string]loop, out io.Writer) error {
	cycles := func(function string, blocks int) (float64, error) {
		l, ok := found[fmt.Sprintf("%s.abi0/%d", function, blocks)]
		if !ok {
			return 0, fmt.Errorf("no binary has a loop of %s with %d times 80 steps", function, blocks)
		}
		return t.estimate(p, l)
	}
	base, err := cycles(standard+plain[p.triple], 1)
	if err != nil {
		return err
	}
	for n, k := range p.kernels {
		alone, err := cycles(runtime+k.one, 1)
		if err != nil {
			return err
		}
		recheck, err := cycles(runtime+k.one, 2)
		if err != nil {
			return err
		}
		name, two := k.one, " | "
		if n > 0 {
			name += " (not in use there)"
		}
		if k.two != "" {
			both, err := cycles(runtime+k.two, 2)
			if err != nil {
				return err
			}
			two = fmt.Sprintf("%.1f | %.2f", both/2, 2*base/both)
		}
		fmt.Fprintf(out, "| %s | %.1f | %s | %.1f | %.2f | %.1f | %s |\n", p.name, base, name, alone, base/alone, recheck, two)
	}
	return nil
}

const iterations = 300

var totalCycles = regexp.MustCompile(`(?m)^Total Cycles:\s+(\d+)$`)

// estimate returns the cycles of one iteration of l.
func (t tools) estimate(p processor, l loop) (float64, error) {
	args := append([]string{"-mtriple=" + p.triple, "-mcpu=" + p.name, fmt.Sprintf("-iterations=%d", iterations)}, p.options...)
	text, err := output(strings.NewReader(strings.Join(l.body, "\n")+"\n"), t.mca, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", l.function, err)
	}
	m := totalCycles.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%s: %s reports no cycles", l.function, t.mca)
	}
	n, err := strconv.Atoi(m[1])
	return float64(n) / iterations, err
}

// output runs a program and returns what it writes.
func output(in io.Reader, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stdin = in
	var errs strings.Builder
	cmd.Stderr = &errs
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(errs.String()))
	}
	if strings.Contains(errs.String(), "not a recognized processor") {
		return "", fmt.Errorf("%s: %s", name, strings.TrimSpace(errs.String()))
	}
	return string(text), nil
}
