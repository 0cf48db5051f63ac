// Package planner makes the checked-in filter plans: it lists what is wanted
// for each target, has it solved, and has every result checked by code that
// shares nothing with the solver.
package planner

import (
	"embed"
	"fmt"
	"runtime"
	"sync"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/plan/corpus"
	"github.com/sha1dc/go/internal/solver"
)

// Tasks returns what is to be solved, the plans that the runtime is generated
// from first.
func Tasks() []solver.Task {
	var (
		uniform  = []plan.Shape{plan.Uniform}
		variable = []plan.Shape{plan.Variable}
		laneDV   = []plan.Shape{plan.LaneDV}
		mixed    = []plan.Shape{plan.Uniform, plan.Variable}
	)
	var tasks []solver.Task
	// Where branch and bound cannot close the gap, more nodes only take time.
	nodes := map[string]int{"avx512": 2000, "avx512vl": 20, "avx2": 20, "sse": 20, "neon": 20, "generic": 20, "many": 20}
	for _, name := range []string{"avx512", "avx512vl", "avx2", "sse", "neon", "generic", "many", "eight"} {
		m := machine(name)
		tasks = append(tasks, solver.Task{
			Name: name, Machine: m, Shapes: uniform, Minimise: plan.Cycles, Limit: plan.Any,
			Corpora: m.MustDismiss(), Families: corpus.Contradicted(), Kicks: 120, Nodes: nodes[name],
		})
	}
	full := func(t solver.Task, shapes []plan.Shape, machineName string) {
		t.Machine, t.Shapes, t.Limit = machine(machineName), shapes, plan.Full
		tasks = append(tasks, t)
	}
	full(solver.Task{Name: "full-uniform-16"}, uniform, "count16")
	full(solver.Task{Name: "full-uniform-8"}, uniform, "count8")
	full(solver.Task{Name: "full-uniform-4", Kicks: 200}, uniform, "count4")
	full(solver.Task{Name: "full-uniform-1", Kicks: 20}, uniform, "count1")
	full(solver.Task{Name: "full-variable-16", First: 22}, variable, "count16")
	full(solver.Task{Name: "full-variable-8"}, variable, "count8")
	full(solver.Task{Name: "full-variable-4"}, variable, "count4")
	full(solver.Task{Name: "full-polarity-16", First: 22, OnePolarity: true}, variable, "count16")
	full(solver.Task{Name: "full-polarity-8", OnePolarity: true}, variable, "count8")
	full(solver.Task{Name: "full-lanedv-16"}, laneDV, "count16")
	full(solver.Task{Name: "full-lanedv-8"}, laneDV, "count8")
	full(solver.Task{Name: "full-lanedv-4"}, laneDV, "count4")
	full(solver.Task{Name: "full-mixed-16", Minimise: plan.Instructions}, mixed, "count16")
	return tasks
}

func machine(name string) plan.Machine {
	m, ok := plan.MachineNamed(name)
	if !ok {
		panic("unknown target " + name) // the names are those above
	}
	return m
}

// File is a plan as it is checked in.
type File struct {
	Name    string // in the directory plans
	Content string
	Plan    *plan.Plan
}

// Files solves all tasks. Progress, which may be nil, is called from one
// goroutine at a time. The result does not depend on how many processors
// there are.
func Files(table *dvs.Table, progress solver.Progress) ([]File, error) {
	return solveAll(table, Tasks(), progress)
}

func solveAll(table *dvs.Table, tasks []solver.Task, progress solver.Progress) ([]File, error) {
	var lock sync.Mutex
	report := func(s solver.Step) {
		lock.Lock()
		defer lock.Unlock()
		if progress != nil {
			progress(s)
		}
	}
	files := make([]File, len(tasks))
	errs := make([]error, len(tasks))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for n := range next {
				files[n], errs[n] = solve(table, tasks[n], report)
			}
		})
	}
	for n := range tasks {
		next <- n
	}
	close(next)
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// known holds plans that take the solver minutes to find, those of 8 and 4
// lanes with variable shifts by solving parts of a plan: most conditions stay
// tested or untested as they are, and the solver looks for one group fewer. They
// are given to it to prove their bound; whatever they say is checked like any
// other plan.
//
//go:embed known/*.txt
var known embed.FS

// solve makes one plan and checks it as a reader of the file would.
func solve(table *dvs.Table, task solver.Task, progress solver.Progress) (File, error) {
	file := "known/" + task.Name + ".txt"
	if text, err := known.ReadFile(file); err == nil {
		if task.Known, err = plan.Parse("gen/planner/"+file, string(text), table); err != nil {
			return File{}, err
		}
	}
	p, err := solver.Solve(table, task, progress)
	if err != nil {
		return File{}, err
	}
	f := File{Name: task.Name + ".txt", Content: plan.Format(p, table)}
	if f.Plan, err = plan.Parse(f.Name, f.Content, table); err != nil {
		return File{}, fmt.Errorf("the solver's plan is refused: %w", err)
	}
	return f, Check(f.Plan, table)
}

// Check checks what a plan without a limit dismisses of the data that is hashed
// most. Plans with a limit dismiss all that the conditions do.
func Check(p *plan.Plan, table *dvs.Table) error {
	if p.Limit != plan.Any {
		return nil
	}
	if err := p.ValidateFamilies(table); err != nil {
		return err
	}
	return p.ValidateBlocks(table)
}
