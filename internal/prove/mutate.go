package prove

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/prove/asm"
)

// tally counts what became of the mutants of a kind.
type tally struct {
	all            int
	counterexample int // refused with a block that shows the damage
	replayed       int // of these, executed with that block and seen to differ
	otherwise      int // refused because of what they compute, access or leave undefined
	unread         int // refused by the reader
	equivalent     int // proved to be as good as the kernel
	accepted       []string
}

func (t *tally) add(u tally) {
	t.all += u.all
	t.counterexample += u.counterexample
	t.replayed += u.replayed
	t.otherwise += u.otherwise
	t.unread += u.unread
	t.equivalent += u.equivalent
	t.accepted = append(t.accepted, u.accepted...)
}

// Mutate damages each kernel in count ways, one at a time, and proves the
// mutants. It writes a table of what became of them to out. A mutant that the
// proof accepts must behave as its plan says when it is executed: if not, an
// error names the mutant.
func Mutate(s *Sources, count int, out io.Writer) error {
	if err := s.ReadDifferences(); err != nil {
		return err
	}
	tallies := make([]map[string]tally, len(Kernels))
	errs := make([]error, len(Kernels))
	slots := make(chan bool, min(2, runtime.GOMAXPROCS(0)))
	var wait sync.WaitGroup
	for n, k := range Kernels {
		wait.Add(1)
		go func() {
			defer wait.Done()
			slots <- true
			defer func() { <-slots }()
			tallies[n], errs[n] = k.mutate(s, count, uint64(n), k.scenarios())
		}()
	}
	wait.Wait()
	total := make(map[string]tally)
	for _, t := range tallies {
		for _, kind := range kinds {
			sum := total[kind.name]
			sum.add(t[kind.name])
			total[kind.name] = sum
		}
	}
	return errors.Join(writeTallies(out, total), errors.Join(errs...))
}

func writeTallies(out io.Writer, total map[string]tally) error {
	var sum tally
	format := "%-24s %8v %15v %9v %10v %7v %11v\n"
	_, err := fmt.Fprintf(out, format, "damage", "mutants", "counterexample", "replayed", "otherwise", "unread", "equivalent")
	row := func(name string, t tally) {
		if err == nil {
			_, err = fmt.Fprintf(out, format, name, t.all, t.counterexample, t.replayed, t.otherwise, t.unread, t.equivalent)
		}
	}
	for _, k := range kinds {
		row(k.name, total[k.name])
		sum.add(total[k.name])
	}
	row("all", sum)
	for _, text := range sum.accepted {
		if err == nil {
			_, err = fmt.Fprintf(out, "equivalent: %s\n", text)
		}
	}
	return err
}

// maxNodes bounds the graph that mutants share.
const maxNodes = 8_000_000

// mutate proves count mutants of the kernel.
func (k Kernel) mutate(s *Sources, count int, seed uint64, calls []scenario) (map[string]tally, error) {
	program, err := k.program(s)
	if err != nil {
		return nil, err
	}
	sub, err := k.subject(s, calls)
	if err != nil {
		return nil, err
	}
	p := &prover{kernel: k, program: program, subject: sub, executed: make(map[*asm.Instruction]bool)}
	if f := p.all(calls); f != nil {
		return nil, fmt.Errorf("the kernel itself fails: %w", f)
	}
	all, err := mutants(s, k, program, p.reached(), count, seed)
	if err != nil {
		return nil, err
	}
	tallies := make(map[string]tally)
	rng := rand.New(rand.NewPCG(seed, 12))
	for _, m := range all {
		if sub.g.Size() > maxNodes {
			if sub, err = k.subject(s, calls); err != nil {
				return tallies, err
			}
		}
		t, err := k.judge(s, sub, &m, calls, rng)
		if err != nil {
			return tallies, fmt.Errorf("%v: %w", &m, err)
		}
		sum := tallies[m.kind]
		sum.add(t)
		tallies[m.kind] = sum
	}
	return tallies, nil
}

// reached returns the functions that were executed: twice their line, plus one
// if they are in the second file.
func (p *prover) reached() map[int]bool {
	out := make(map[int]bool)
	for _, fn := range p.program.functions {
		for n := range fn.Code {
			if p.executed[&fn.Code[n]] {
				file := 0
				if fn.FileName == p.kernel.Recheck {
					file = 1
				}
				out[fn.Line<<1|file] = true
			}
		}
	}
	return out
}

// judge proves one mutant.
func (k Kernel) judge(s *Sources, sub *subject, m *mutant, calls []scenario, rng *rand.Rand) (tally, error) {
	t := tally{all: 1}
	damaged := *s
	damaged.File = func(name string) (string, error) {
		if name == m.file {
			return m.text, nil
		}
		return s.File(name)
	}
	program, err := k.program(&damaged)
	if err != nil {
		t.unread = 1
		return t, nil
	}
	p := &prover{kernel: k, program: program, subject: sub, executed: make(map[*asm.Instruction]bool)}
	f := p.all(calls)
	switch {
	case f == nil:
		t.equivalent, t.accepted = 1, []string{m.String()}
		return t, k.differential(&damaged, rng)
	case f.Counterexample == nil:
		t.otherwise = 1
		return t, nil
	}
	t.counterexample = 1
	if f.Counterexample.Message && k.Replay(&damaged, f.Counterexample) != nil {
		t.replayed = 1
	}
	return t, nil
}

// differential executes the kernel on random and crafted messages, and returns
// how it differs from what its plans say.
func (k Kernel) differential(s *Sources, rng *rand.Rand) error {
	plans, err := k.plans(s)
	if err != nil {
		return err
	}
	table := dvs.Published()
	for range 6 {
		c := call{hits: 1<<rng.IntN(32) | 1<<rng.IntN(32), data: uint64(32 * rng.IntN(2))}
		for range 1 + rng.IntN(16) {
			var b [16]uint32
			dv := rng.IntN(dvs.Count)
			switch rng.IntN(4) {
			case 0:
				b = craft.Passing(table, dv, rng)
			case 1:
				b = craft.NearMiss(table, dv, rng.IntN(len(craft.Conditions(table, dv))), rng)
			default:
				for n := range b {
					b[n] = rng.Uint32()
				}
			}
			c.blocks = append(c.blocks, b)
		}
		if err := k.deviates(s, plans, &c); err != nil {
			return fmt.Errorf("was accepted, and differs when it is executed: %w", err)
		}
	}
	return nil
}
