package prove

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/sha1dc/go/internal/plan"
)

// ModuleSources returns the files of package sha1dc in the module at root.
func ModuleSources(root string, load func(name string) (*plan.Plan, error)) *Sources {
	return &Sources{
		File: func(name string) (string, error) {
			text, err := os.ReadFile(filepath.Join(root, "sha1dc", name))
			return string(text), err
		},
		Plan: load,
	}
}

// All proves the plans with the given names, the Go code and the kernels, and
// writes a line about each to out. It goes on after a failure, and returns how
// many there were as an error.
func All(s *Sources, plans []string, out io.Writer) error {
	if err := s.ReadDifferences(); err != nil {
		return err
	}
	jobs := []func() (string, error){
		func() (string, error) {
			start := time.Now()
			for _, name := range plans {
				p, err := s.Plan(name)
				if err == nil {
					err = ProvePlan(p)
				}
				if err != nil {
					return "plans", err
				}
			}
			return fmt.Sprintf("%-18s  none of %d dismisses a vector that the published conditions keep, %.1f s", "plans", len(plans), time.Since(start).Seconds()), nil
		},
		func() (string, error) {
			r, err := ProveGo(s)
			return fmt.Sprintf("%-18s  equal to the published conditions, compression equal to SHA-1, %d nodes, %d queries, %.1f s", "generic", r.Nodes, r.Queries, r.Time.Seconds()), err
		},
	}
	for _, k := range Kernels {
		jobs = append(jobs, func() (string, error) {
			r, err := k.Prove(s)
			return fmt.Sprintf("%-18s  %d instructions, %d bits of masks equal to plan %v, %d ways in %d calls, %d nodes, %d queries, %.1f s",
				k.Backend, r.Instructions, r.Masks, k.Plans, r.Paths, r.Scenarios, r.Nodes, r.Queries, r.Time.Seconds()), err
		})
	}
	for _, k := range ManyKernels {
		jobs = append(jobs, func() (string, error) {
			r, err := k.Prove(s)
			return fmt.Sprintf("%-18s  %d instructions, %d bits of masks of %d lanes equal to plan %s, %d calls, %d nodes, %d queries, %.1f s",
				k.Name, r.Instructions, r.Masks, k.Lanes, k.Plan, r.Calls, r.Nodes, r.Queries, r.Time.Seconds()), err
		})
	}
	for _, k := range PairKernels {
		jobs = append(jobs, func() (string, error) {
			r, err := k.Prove(s)
			return fmt.Sprintf("%-18s  %d instructions, %d bits of masks of 2 lanes equal to plan %s, %d calls, %d nodes, %d queries, %.1f s",
				k.Name, r.Instructions, r.Masks, k.Plan, r.Calls, r.Nodes, r.Queries, r.Time.Seconds()), err
		})
	}
	lines := make([]chan string, len(jobs))
	failed := 0
	var mu sync.Mutex
	slots := make(chan bool, min(2, runtime.GOMAXPROCS(0))) // each takes some hundred megabytes
	for n, job := range jobs {
		lines[n] = make(chan string, 1)
		go func() {
			slots <- true
			line, err := job()
			if err != nil {
				mu.Lock()
				failed++
				mu.Unlock()
				line = fmt.Sprintf("FAILED  %v", err)
				var f *Failure
				if errors.As(err, &f) && f.Counterexample != nil && f.Kernel != "generic" {
					line += f.replay(s)
				}
			} else {
				line = "PROVED  " + line
			}
			<-slots
			lines[n] <- line
		}()
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(out, <-l); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d proofs failed", failed, len(jobs))
	}
	return nil
}

// replay executes the counterexample, and says what came of it and how to run
// it on the processor.
func (f *Failure) replay(s *Sources) string {
	k, ok := targetNamed(f.Kernel)
	if !ok || !f.Counterexample.Message {
		return ""
	}
	text := "\n        executed on it and what survives beside it, the kernel does as its plan says: it differs on another way"
	if err := k.Replay(s, f.Counterexample); err != nil {
		text = fmt.Sprintf("\n        executed on it: %v", err)
	}
	return text + "\n        on the processor: " + f.Counterexample.Command(k)
}
