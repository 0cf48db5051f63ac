package prove

import (
	"errors"
	"fmt"

	"github.com/sha1dc/go/internal/prove/arm64"
	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
	"github.com/sha1dc/go/internal/prove/processor"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// Where things are in the calls of kernels for pairs. Nothing has an alignment
// that an instruction could rely on.
const (
	jobsBase  = 0x1d_ffff_fff4
	slotsBase = 0x1b_ffff_f444
	valueBase = 0x21_ffff_fff4 // of the first chaining value, and so on with laneDistance
	blockBase = 0x41_ffff_ffc4 // of the first blocks, the same
)

// pairRun is a call of a kernel for pairs of messages.
type pairRun struct {
	*pairProver
	*pairCall
	cpu    *arm64.CPU
	pc     int
	values map[uint64]place // of chaining values: the block before which they have to be
	wrong  *Counterexample
}

// call runs a call, and returns the first failure.
func (p *pairProver) call(c *pairCall) *Failure {
	r := &pairRun{pairProver: p, pairCall: c, values: make(map[uint64]place)}
	name := p.kernel.Pair
	if c.alone {
		name = p.kernel.Filter
	}
	fn := p.program.functions[name]
	if fn == nil {
		return &Failure{Kernel: p.kernel.Name, Scenario: c.name, File: p.kernel.File, Err: fmt.Errorf("no function %s", name)}
	}
	r.start(fn)
	if err := r.follow(fn); err != nil {
		f := &Failure{Kernel: p.kernel.Name, Scenario: c.name, File: fn.FileName, Err: err, Counterexample: r.wrong}
		if r.pc < len(fn.Code) {
			f.Line, f.Code = fn.Code[r.pc].Line, fn.Code[r.pc].String()
		}
		if r.wrong != nil {
			r.wrong.pair = c
		}
		return f
	}
	return nil
}

// start makes the state at the call of fn.
func (r *pairRun) start(fn *asm.Function) {
	g := r.lanes.g
	m := memory.New(g)
	r.program.load(m, r.data)
	var args []uint64
	if r.alone {
		m.Add("the slot", slotsBase, r.slot.size, memory.ReadWrite, r.filled())
		args = []uint64{slotsBase}
	} else {
		// In front of the slots is room for one.
		m.Add("the slots", slotsBase-uint64(r.slot.size), (1+2*r.each())*r.slot.size, memory.ReadWrite, nil)
		r.addJobs(m)
		args = []uint64{jobsBase, uint64(len(r.jobs)), slotsBase, uint64(r.each())}
	}
	r.cpu = &arm64.CPU{State: processor.State{
		G: g, Memory: m,
		Address: func(fn *asm.Function, symbol string) (uint64, bool) { return r.program.address(fn, symbol, r.data) },
	}}
	fp := r.cpu.Place(stackBase + r.stack)
	m.Add("the arguments", fp, fn.Args, memory.ReadOnly, arguments(g, args...))
	r.cpu.Enter(fn, fp)
}

// filled returns a slot with the words of the first block, and any others.
func (r *pairRun) filled() []symbolic.Word {
	words := make([]symbolic.Word, r.slot.size/4)
	for n := range words {
		words[n] = r.lanes.other(n)
	}
	w := r.lanes.block(place{}).W
	copy(words[r.slot.words/4:], w[:])
	return words
}

// addJobs adds the jobs, their blocks and chaining values to memory.
func (r *pairRun) addJobs(m *memory.Memory) {
	g := r.lanes.g
	jobs := make([]symbolic.Word, len(r.jobs)*r.slot.jobSize/4)
	blocks, next := uint64(blockBase), uint64(valueBase)
	var value [2]uint64
	for n, j := range r.jobs {
		put := func(offset int, v uint64) { copy(jobs[(n*r.slot.jobSize+offset)/4:], arguments(g, v)) }
		for lane := range 2 {
			at := place{r.group + n, 0, lane}
			if j.continues[lane] {
				before := at
				before.group, before.block = at.group-1, r.jobs[n-1].n
				r.lanes.in[[2]int{at.group, lane}] = r.lanes.chain(before)
			} else {
				value[lane] = next
				next += laneDistance
				in := r.lanes.chain(at)
				m.Add("a chaining value", value[lane], 20, memory.ReadWrite, in[:])
			}
			var message []symbolic.Word
			for at.block = range j.n {
				for _, w := range r.lanes.block(at).W[:16] {
					message = append(message, bigEndian(g, w))
				}
			}
			at.block = j.n
			r.values[value[lane]] = at
			m.Add(fmt.Sprintf("the blocks of job %d in lane %d", n, lane), blocks, 4*len(message), memory.ReadOnly, message)
			put(r.slot.blocks.at+8*lane, blocks)
			put(r.slot.values.at+8*lane, value[lane])
			blocks += laneDistance
		}
		put(r.slot.count.at, uint64(j.n))
	}
	m.Add("the jobs", jobsBase, 4*len(jobs), memory.ReadOnly, jobs)
}

// follow executes fn until it returns.
func (r *pairRun) follow(fn *asm.Function) error {
	for steps := 0; ; steps++ {
		if r.pc >= len(fn.Code) {
			return errors.New("runs beyond the end of the function")
		}
		if steps > maxSteps {
			return fmt.Errorf("not finished after %d instructions", maxSteps)
		}
		i := &fn.Code[r.pc]
		r.executed[i] = true
		a, err := r.cpu.Step(i)
		if err != nil {
			return err
		}
		switch a.Kind {
		case processor.Return:
			return r.returned(fn)
		case processor.Call:
			return errors.New("calls a function")
		case processor.Jump:
			taken, err := r.decide(a.Taken)
			if err != nil {
				return err
			}
			if taken {
				r.pc = fn.Labels[a.Target]
				continue
			}
		}
		r.pc++
	}
}

// decide returns whether a branch is taken. It may depend on whether the first
// part of a filter keeps a block.
func (r *pairRun) decide(taken symbolic.Bit) (bool, error) {
	if v, ok := r.lanes.g.Constant(taken); ok {
		return v, nil
	}
	of, first := r.lanes.blockOf(taken), r.lanes.first
	if first == nil || of == nil {
		return false, errors.New("the branch depends on a message")
	}
	b := first.block(of.place)
	c := claim{taken, b.survives, b, anyVector}
	if first.opposite(taken, b.survives) {
		c.want = b.survives.Not()
	}
	if r.refuted(first, []claim{c}) {
		return false, errors.New("the branch depends on more than whether a block survives the first part of the filter")
	}
	return r.survivors[b.place] == (c.want == b.survives), nil
}

// refuted reports whether one of the claims is wrong.
func (r *pairRun) refuted(l *lanes, claims []claim) bool {
	if r.wrong = l.prove(claims); r.wrong == nil {
		return false
	}
	if l == r.lanes.first {
		r.wrong.Part = " in its first part"
	}
	return true
}
