package prove

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
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
	targets := targets()
	tallies := make([]map[string]tally, len(targets))
	errs := make([]error, len(targets))
	slots := make(chan bool, min(2, runtime.GOMAXPROCS(0)))
	var wait sync.WaitGroup
	for n, k := range targets {
		wait.Add(1)
		go func() {
			defer wait.Done()
			slots <- true
			defer func() { <-slots }()
			tallies[n], errs[n] = mutate(s, k, count, uint64(n))
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

// mutate proves count mutants of a kernel.
func mutate(s *Sources, k target, count int, seed uint64) (map[string]tally, error) {
	a, err := k.attempts(s)
	if err != nil {
		return nil, err
	}
	o, err := a.prove(s)
	if err != nil {
		return nil, err
	}
	if o.failure != nil {
		return nil, fmt.Errorf("the kernel itself fails: %w", o.failure)
	}
	all, err := mutants(s, k.files(), &o, count, seed)
	if err != nil {
		return nil, err
	}
	tallies := make(map[string]tally)
	rng := rand.New(rand.NewPCG(seed, 12))
	for _, m := range all {
		if a.size() > maxNodes {
			if a, err = k.attempts(s); err != nil {
				return tallies, err
			}
		}
		t, err := judge(s, k, a, &m, rng)
		if err != nil {
			return tallies, fmt.Errorf("%v: %w", &m, err)
		}
		sum := tallies[m.kind]
		sum.add(t)
		tallies[m.kind] = sum
	}
	return tallies, nil
}

// judge proves one mutant.
func judge(s *Sources, k target, a attempts, m *mutant, rng *rand.Rand) (tally, error) {
	t := tally{all: 1}
	damaged := *s
	damaged.File = func(name string) (string, error) {
		if name == m.file {
			return m.text, nil
		}
		return s.File(name)
	}
	o, err := a.prove(&damaged)
	switch f := o.failure; {
	case err != nil:
		t.unread = 1
	case f == nil:
		t.equivalent, t.accepted = 1, []string{m.String()}
		return t, k.differential(&damaged, rng)
	case f.Counterexample == nil:
		t.otherwise = 1
	default:
		t.counterexample = 1
		if f.Counterexample.Message && k.Replay(&damaged, f.Counterexample) != nil {
			t.replayed = 1
		}
	}
	return t, nil
}
