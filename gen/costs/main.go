// Command costs measures what a filter instruction and a survivor cost in each
// kernel, the parameters of internal/plan/machine.go. It emits every kernel with
// filters of different sizes, builds the runtime's tests with each, in place of
// the checked-in kernels and without touching them, and times them by turns on
// blocks that all of the filters dismiss, and on such blocks with survivors
// between them. See "make costs".
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sha1dc/go/gen/amd64"
	"github.com/sha1dc/go/gen/files"
	"github.com/sha1dc/go/gen/golang"
	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/plans"
)

const (
	rounds     = 5 // by turns; the least time is the least disturbed
	poolBlocks = 1 << 15
	oneIn      = 8 // blocks in the pool with survivors
)

// shares are the parts of all groups, in percent, that the filters have.
var shares = []int{40, 60, 80, 100}

// timing is the test that measures, built into package sha1dc.
//
//go:embed timing.go.txt
var timing []byte

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "costs: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: it takes none, and measures for about a minute", args[0])
	}
	if runtime.GOARCH != "amd64" {
		return fmt.Errorf("there are kernels to measure for amd64 only, this is %s", runtime.GOARCH)
	}
	root, err := files.ModuleRoot()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "costs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	table := dvs.Published()
	var tests []string
	for _, share := range shares {
		test, err := build(root, dir, share, table)
		if err != nil {
			return fmt.Errorf("filters with %d %% of the groups: %w", share, err)
		}
		tests = append(tests, test)
	}
	if err := writePools(dir, table); err != nil {
		return err
	}
	times := make(map[string][]float64) // nanoseconds a block by backend and pool, for each share
	var order []string
	for range rounds {
		for n, test := range tests {
			cmd := exec.Command(test, "-test.run", "^TestTiming$", "-test.v")
			cmd.Env = append(os.Environ(), "COSTS_POOLS="+dir, "SHA1DC_BACKENDS=")
			cmd.Dir = filepath.Join(root, "sha1dc")
			out, err := cmd.CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w\n%s", err, out)
			}
			for line := range strings.Lines(string(out)) {
				f := strings.Fields(line)
				if len(f) != 4 || f[0] != "timing" {
					continue
				}
				ns, err := strconv.ParseFloat(f[3], 64)
				if err != nil {
					return err
				}
				key := f[1] + " " + f[2]
				if times[key] == nil {
					order = append(order, key)
					times[key] = slices.Repeat([]float64{math.Inf(1)}, len(shares))
				}
				times[key][n] = min(times[key][n], ns)
			}
		}
	}
	return print(order, times)
}

// planOf returns the groups that a target's filter is measured with: the first
// of those that cover all conditions.
func planOf(name string, share int) (*plan.Plan, error) {
	p, err := plans.Load(name)
	if err != nil {
		return nil, err
	}
	full, err := plans.Load(fmt.Sprintf("full-uniform-%d", p.Machine.Lanes))
	if err != nil {
		return nil, err
	}
	p.Groups = full.Groups[:len(full.Groups)*share/100]
	return p, nil
}

// build builds the tests of the runtime with filters of a share of the groups.
func build(root, dir string, share int, table *dvs.Table) (string, error) {
	load := func(name string) (*plan.Plan, error) { return planOf(name, share) }
	prefix, err := load("generic")
	if err != nil {
		return "", err
	}
	filters, err := plans.All()
	if err != nil {
		return "", err
	}
	generated, err := golang.Files(table, prefix, filters)
	if err != nil {
		return "", err
	}
	assembly, err := amd64.WholeFilters(load)
	if err != nil {
		return "", err
	}
	replace := make(map[string]string)
	add := func(path string, content []byte) error {
		name := filepath.Join(dir, fmt.Sprintf("%d-%s", share, filepath.Base(path)))
		replace[filepath.Join(root, filepath.FromSlash(path))] = name
		return os.WriteFile(name, content, 0o600)
	}
	for _, f := range append(generated, assembly...) {
		if err := add(f.Path, f.Content); err != nil {
			return "", err
		}
	}
	if err := add("sha1dc/timing_test.go", timing); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, fmt.Sprintf("overlay-%d.json", share))
	if err := os.WriteFile(name, overlay, 0o600); err != nil {
		return "", err
	}
	test := filepath.Join(dir, fmt.Sprintf("test-%d", share))
	cmd := exec.Command("go", "test", "-c", "-overlay", name, "-o", test, "./sha1dc")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return test, nil
}

// writePools writes blocks that all filters dismiss, and the same with survivors
// at random between them.
func writePools(dir string, table *dvs.Table) error {
	var smallest []*plan.Plan
	for _, name := range plans.Names() {
		p, err := plans.Load(name)
		if err != nil {
			return err
		}
		if p.Limit == plan.Any {
			if p, err = planOf(name, slices.Min(shares)); err != nil {
				return err
			}
			smallest = append(smallest, p)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	dismissed := func(b [16]uint32) bool {
		w := dvs.Expand(b)
		return !slices.ContainsFunc(smallest, func(p *plan.Plan) bool { return p.Dismissed(&w) != dvs.AllMask })
	}
	var random, clean, surviving []byte
	for n := 0; n < poolBlocks; {
		var b [16]uint32
		for n := range b {
			b[n] = rng.Uint32()
		}
		if len(random) < poolBlocks*64 {
			random = append(random, craft.Bytes(b)...)
		}
		if !dismissed(b) {
			continue
		}
		n++
		clean = append(clean, craft.Bytes(b)...)
		if rng.IntN(oneIn) == 0 {
			b = craft.Passing(table, rng.IntN(dvs.Count), rng)
		}
		surviving = append(surviving, craft.Bytes(b)...)
	}
	for name, pool := range map[string][]byte{"random": random, "dismissed": clean, "surviving": surviving} {
		if err := os.WriteFile(filepath.Join(dir, name), pool, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// targets says which plan each backend filters with.
var targets = map[string]string{
	"shani-avx512": "avx512", "shani-avx512-intel": "avx512vl", "shani-avx2": "avx2",
	"shani-avx2-intel": "sse", "shani-sse": "sse", "avx512": "eight", "avx2": "eight", "generic": "generic",
}

func print(order []string, times map[string][]float64) error {
	cycle := slices.Min(times["cycle all"])
	fmt.Printf("cycles a block of filters with %v %% of all groups, the least of %d rounds; a cycle takes %.4f ns\n\n", shares, rounds, cycle)
	fmt.Printf("%-19s %-8s %22s %26s %11s %7s %8s\n", "backend", "plan", "instructions", "cycles a block", "instruction", "recheck", "survivor")
	for _, key := range order {
		backend, pool, _ := strings.Cut(key, " ")
		if pool != "dismissed" {
			continue
		}
		var instructions, cycles []float64
		for n, share := range shares {
			p, err := planOf(targets[backend], share)
			if err != nil {
				return err
			}
			instructions = append(instructions, float64(p.Instructions()))
			cycles = append(cycles, times[key][n]/cycle)
		}
		smallest, err := planOf(targets[backend], shares[0])
		if err != nil {
			return err
		}
		last := len(shares) - 1
		fmt.Printf("%-19s %-8s %22s %26s %11.3f %7.0f %8.0f\n", backend, targets[backend],
			fmt.Sprintf("%.0f", instructions), fmt.Sprintf("%.1f", cycles), slope(instructions, cycles),
			(times[backend+" surviving"][last]/cycle-cycles[last])*oneIn,
			(times[backend+" random"][0]/cycle-cycles[0])/smallest.TotalSurvivors().Rate())
	}
	fmt.Print(`
instruction: what one more filter instruction costs, by least squares
recheck:     a block that passes all conditions, its branch included
survivor:    a random survivor of the smallest filter, tail and branch included
`)
	return nil
}

// slope returns that of the line with the least squares.
func slope(x, y []float64) float64 {
	var meanX, meanY, xy, xx float64
	for n := range x {
		meanX += x[n] / float64(len(x))
		meanY += y[n] / float64(len(y))
	}
	for n := range x {
		xy += (x[n] - meanX) * (y[n] - meanY)
		xx += (x[n] - meanX) * (x[n] - meanX)
	}
	return xy / xx
}
