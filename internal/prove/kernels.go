package prove

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/prove/amd64"
	"github.com/sha1dc/go/internal/prove/arm64"
	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/processor"
)

// Kernel is a function of the runtime in assembly, and the plans that its
// filter may follow.
type Kernel struct {
	Backend  string // its name in the runtime
	File     string // in package sha1dc
	Recheck  string // file of the function that it calls
	Function string
	Plans    []string
	First    int  // groups of its plan that test every block, if the others test what these keep
	Lanes    int  // blocks whose filters it runs at once, if it does
	Ends     bool // it takes the last blocks from a second place, and may be told not to look at the last
}

// Kernels are the kernels that are proved.
var Kernels = []Kernel{
	{"shani-avx512", "blocks_shani_avx512_amd64.s", "recheck_shani_amd64.s", "·blocksSHANIAVX512", []string{"avx512"}, 0, 0, true},
	{"shani-avx512-intel", "blocks_shani_avx512_intel_amd64.s", "recheck_shani_amd64.s", "·blocksSHANIAVX512Intel", []string{"avx512vl"}, 0, 0, true},
	{"shani-avx2", "blocks_shani_avx2_amd64.s", "recheck_shani_amd64.s", "·blocksSHANIAVX2", []string{"avx2"}, 0, 0, true},
	{"shani-avx2-intel", "blocks_shani_avx2_intel_amd64.s", "recheck_shani_amd64.s", "·blocksSHANIAVX2Intel", []string{"sse"}, 24, 0, true},
	{"shani-sse", "blocks_shani_sse_amd64.s", "recheck_shani_amd64.s", "·blocksSHANISSE", []string{"sse"}, 24, 0, true},
	{"avx512", "blocks_avx512_amd64.s", "recheck_twins_amd64.s", "·blocksAVX512", []string{"eight", "avx2"}, 0, 8, false},
	{"avx2", "blocks_avx2_amd64.s", "recheck_twins_amd64.s", "·blocksAVX2", []string{"eight", "avx2"}, 0, 8, false},
	{"sha1-neon", "blocks_sha1_neon_arm64.s", "recheck_sha1_arm64.s", "·blocksSHA1NEON", []string{"neon"}, 0, 0, false},
	{"sha1-neon2", "blocks_sha1_neon2_arm64.s", "recheck_sha1_arm64.s", "·blocksSHA1NEON2", []string{"neon"}, 15, 0, false},
}

// processor returns a processor that the kernel is for, in a state.
func (k Kernel) processor(s processor.State) processor.Processor {
	if strings.HasSuffix(k.File, "_arm64.s") {
		return &arm64.CPU{State: s}
	}
	return &amd64.CPU{State: s}
}

// constraint is when the assembly is part of the runtime.
const constraint = "gc && !purego && !noasm"

// Sources are the inputs of a proof.
type Sources struct {
	// File returns the text of a file of package sha1dc.
	File func(name string) (string, error)
	// Plan returns a plan by its name.
	Plan func(name string) (*plan.Plan, error)
	// Differences are the message differences that the runtime has, by vector.
	Differences [dvs.Count][dvs.Steps]uint32
}

// program reads the files of a kernel.
func (k Kernel) program(s *Sources) (*Program, error) {
	var differences []byte
	for _, dm := range s.Differences {
		for _, w := range dm {
			differences = binary.LittleEndian.AppendUint32(differences, w)
		}
	}
	return readProgram(s, []string{k.File, k.Recheck}, differences)
}

// readProgram reads files of assembly.
func readProgram(s *Sources, names []string, differences []byte) (*Program, error) {
	var files []*asm.File
	for _, name := range names {
		text, err := s.File(name)
		if err != nil {
			return nil, err
		}
		f, err := asm.Parse(name, text)
		if err != nil {
			return nil, err
		}
		if f.Build != constraint {
			return nil, fmt.Errorf("%s: built if %q, want %q", name, f.Build, constraint)
		}
		files = append(files, f)
	}
	return NewProgram(files, differences)
}

// subject returns the message to prove the kernel on in the given calls.
func (k Kernel) subject(s *Sources, calls []scenario) (*subject, error) {
	plans, err := k.plans(s)
	if err != nil {
		return nil, err
	}
	if k.First > 0 {
		if len(plans) != 1 || k.First >= len(plans[0].Groups) {
			return nil, fmt.Errorf("%s: one plan with more than %d groups is wanted", k.Backend, k.First)
		}
		first, second := *plans[0], *plans[0]
		first.Groups, second.Groups = first.Groups[:k.First], second.Groups[k.First:]
		plans = []*plan.Plan{&first, &second}
	}
	blocks := 0
	for _, c := range calls {
		blocks = max(blocks, c.blocks)
	}
	sub := newSubject(dvs.Published(), plans, blocks)
	if k.First > 0 {
		sub.splitPlan()
	}
	return sub, nil
}

// plans returns the plans that the filter may follow.
func (k Kernel) plans(s *Sources) (plans []*plan.Plan, err error) {
	for _, name := range k.Plans {
		p, err := s.Plan(name)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// Report says what was proved of a kernel, and at what cost.
type Report struct {
	Kernel       Kernel
	Instructions int // that the kernel and its recheck consist of, each of which was executed
	Nodes        int // of the graph
	Scenarios    int
	Paths        int
	Masks        int // bits of masks proved equal to the plan's
	Queries      int // of the solver
	Time         time.Duration
}

// Prove proves a kernel. The error is a *Failure if the kernel is wrong, and
// another if it cannot be read.
func (k Kernel) Prove(s *Sources) (Report, error) {
	start := time.Now()
	report := Report{Kernel: k}
	program, err := k.program(s)
	if err != nil {
		return report, err
	}
	calls := k.scenarios()
	sub, err := k.subject(s, calls)
	if err != nil {
		return report, err
	}
	p := &prover{kernel: k, program: program, subject: sub, executed: make(map[*asm.Instruction]bool)}
	f := p.all(calls)
	if f == nil {
		f = unreached(program, p.executed, k.Backend)
	}
	report.Nodes, report.Scenarios, report.Paths = sub.g.Size(), p.scenarios, p.paths
	report.Masks, report.Queries = sub.proof.bits, sub.proof.queries
	report.Instructions, report.Time = len(p.executed), time.Since(start)
	if f != nil {
		return report, f
	}
	return report, nil
}

// prover proves one program.
type prover struct {
	kernel           Kernel
	program          *Program
	subject          *subject
	executed         map[*asm.Instruction]bool
	scenarios, paths int
}

// all explores the scenarios, and returns the first failure.
func (p *prover) all(scenarios []scenario) *Failure {
	for _, s := range scenarios {
		r := &run{subject: p.subject, program: p.program, kernel: p.kernel, scenario: s, executed: p.executed}
		if f := r.explore(); f != nil {
			return f
		}
		p.scenarios++
		p.paths += r.ended
	}
	return nil
}

// unreached returns a failure if some instruction of the functions executed was
// not in any scenario, so that nothing is known of it.
func unreached(program *Program, executed map[*asm.Instruction]bool, kernel string) *Failure {
	reached := make(map[*asm.Function]bool)
	for _, fn := range program.functions {
		for n := range fn.Code {
			if executed[&fn.Code[n]] {
				reached[fn] = true
			}
		}
	}
	for fn := range reached {
		for n := range fn.Code {
			if i := &fn.Code[n]; !executed[i] {
				return &Failure{
					Kernel: kernel, Scenario: "all scenarios", File: fn.FileName, Line: i.Line, Code: i.String(),
					Err: errors.New("is executed in no scenario: add one that reaches it to internal/prove"),
				}
			}
		}
	}
	return nil
}
