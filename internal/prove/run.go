package prove

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
	"github.com/sha1dc/go/internal/prove/processor"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// scenario is a call of a kernel: how many blocks, which vectors its plans keep
// of each, and where things are in memory.
type scenario struct {
	name   string
	blocks int
	masks  []uint32 // by block; no vector where there is none
	first  []uint32 // by block: vectors that the first part of a plan keeps beside these, if it may
	end    int      // how many of the blocks are apart, at the end
	clear  bool     // the last block is not to be looked at
	stack  uint64   // offset of the arguments from a multiple of 64
	data   uint64   // of the tables, 0 or 32
}

// Where things are, up to what a scenario adds. The message and the chaining
// value have no alignment that an instruction could rely on.
const (
	chainBase   = 0x15_ffff_fff4
	messageBase = 0x17_ffff_ffc4
	stackBase   = 0x19_0000_0400
	endBase     = 0x1b_ffff_ffc4
)

// arguments are those of a call of the kernel: the addresses of the chaining
// value and the message, the number of blocks, where the end is, of how many
// blocks, and whether the last is clear, and the address of the message
// differences. The number of blocks added is left behind them.
func (k Kernel) arguments(s *scenario) []uint64 {
	out := []uint64{chainBase, messageBase, uint64(s.blocks - s.end)}
	if k.Ends {
		clear := uint64(0)
		if s.clear {
			clear = 1
		}
		out = append(out, endBase, uint64(s.end), clear)
	}
	return append(out, differenceBase)
}

// resultOffset is where a kernel leaves the number of blocks added.
func (k Kernel) resultOffset() int { return 8 * len(k.arguments(&scenario{})) }

// maxSteps bounds a path, against code that loops for ever.
const maxSteps = 200_000

// Failure says what could not be proved, and where.
type Failure struct {
	Kernel, Scenario string
	File             string
	Line             int
	Code             string // instruction
	Err              error
	Counterexample   *Counterexample // nil if the failure is none of the filter
}

func (f *Failure) Error() string {
	s := fmt.Sprintf("%s:%d: %s: %v (%s, %s)", f.File, f.Line, f.Code, f.Err, f.Kernel, f.Scenario)
	if f.Counterexample != nil {
		s += ": " + f.Counterexample.String()
	}
	return s
}

// run explores all ways through a kernel in a scenario.
type run struct {
	*subject
	program *Program
	kernel  Kernel
	scenario
	memo     map[symbolic.Bit]ternary
	words    map[symbolic.Word]symbolic.Word
	paths    []*path
	executed map[*asm.Instruction]bool
	ended    int // paths that returned
}

type ternary int8

const (
	unseen ternary = iota
	unknown
	isFalse
	isTrue
)

// path is one way through a kernel.
type path struct {
	cpu       processor.Processor
	pc        int
	callers   []caller
	steps     int
	rechecked map[[2]int]bool // block and vector that are no attack
	hit       *[2]int         // block and vector that are one
}

// caller is a function that waits for another, and where it goes on.
type caller struct {
	processor.Frame
	pc int
}

// explore runs the kernel and returns the first failure.
func (r *run) explore() *Failure {
	r.memo = make(map[symbolic.Bit]ternary)
	r.words = make(map[symbolic.Word]symbolic.Word)
	fn := r.program.functions[r.kernel.Function]
	if fn == nil {
		return &Failure{Kernel: r.kernel.Backend, Scenario: r.name, File: r.kernel.File, Err: fmt.Errorf("no function %s", r.kernel.Function)}
	}
	r.paths = []*path{r.start(fn)}
	for len(r.paths) > 0 {
		p := r.paths[len(r.paths)-1]
		r.paths = r.paths[:len(r.paths)-1]
		if f := r.follow(p); f != nil {
			return f
		}
	}
	return nil
}

// start returns the state at the call of fn.
func (r *run) start(fn *asm.Function) *path {
	g := r.g
	m := memory.New(g)
	r.program.load(m, r.data)
	var message []symbolic.Word
	for n := range r.scenario.blocks {
		for _, w := range r.subject.blocks[n].W[:16] {
			message = append(message, bigEndian(g, w))
		}
	}
	behind := len(message) - 16*r.scenario.end
	m.Add("the message", messageBase, 4*behind, memory.ReadOnly, message[:behind])
	m.Add("the end of the message", endBase, 4*(len(message)-behind), memory.ReadOnly, message[behind:])
	m.Add("the chaining value", chainBase, 20, memory.ReadWrite, r.in[:])
	cpu := r.kernel.processor(processor.State{
		G: g, Memory: m, Known: r.knownWord,
		Address: func(fn *asm.Function, symbol string) (uint64, bool) { return r.program.address(fn, symbol, r.data) },
	})
	fp := cpu.Place(stackBase + r.stack)
	m.Add("the arguments", fp, fn.Args, memory.ReadWrite, arguments(g, r.kernel.arguments(&r.scenario)...))
	cpu.Enter(fn, fp)
	return &path{cpu: cpu, rechecked: make(map[[2]int]bool)}
}

func bigEndian(g *symbolic.Graph, w symbolic.Word) symbolic.Word {
	b := *g.Bits(w)
	var out [32]symbolic.Bit
	for i := range out {
		out[i] = b[i^24]
	}
	return g.Word(out)
}

func arguments(g *symbolic.Graph, values ...uint64) (words []symbolic.Word) {
	for _, v := range values {
		words = append(words, g.Const(uint32(v)), g.Const(uint32(v>>32)))
	}
	return words
}

// follow executes a path until it ends. Others that branch off are queued.
func (r *run) follow(p *path) *Failure {
	for {
		fn := p.cpu.Common().Frame.Fn
		if p.pc >= len(fn.Code) {
			return r.failure(p, errors.New("runs beyond the end of the function"))
		}
		i := &fn.Code[p.pc]
		p.steps++
		r.executed[i] = true
		if p.steps > maxSteps {
			return r.failure(p, fmt.Errorf("not finished after %d instructions", maxSteps))
		}
		action, err := p.cpu.Step(i)
		if err != nil {
			return r.failure(p, err)
		}
		done, err := r.act(p, action)
		if err != nil {
			return r.failure(p, err)
		}
		if done {
			r.ended++
			return nil
		}
	}
}

// act does what follows an instruction, and reports whether the path ends.
func (r *run) act(p *path, a processor.Action) (done bool, err error) {
	frame := p.cpu.Common().Frame
	fn := frame.Fn
	switch a.Kind {
	case processor.Jump:
		taken, err := r.decide(p, a.Taken, fn.Labels[a.Target])
		if err != nil {
			return false, err
		}
		if taken {
			p.pc = fn.Labels[a.Target]
			return false, nil
		}
	case processor.Call:
		callee := r.program.functions[a.Target]
		if callee == nil {
			return false, fmt.Errorf("no function %s", a.Target)
		}
		if callee.Flags != "NOSPLIT" {
			return false, fmt.Errorf("%s may move the stack, into which the caller has pointers", a.Target)
		}
		if callee.Args > fn.Frame {
			return false, fmt.Errorf("no room for the arguments of %s", a.Target)
		}
		p.callers = append(p.callers, caller{frame, p.pc + 1})
		p.cpu.Call(callee)
		p.pc = 0
		return false, nil
	case processor.Return:
		if len(p.callers) == 0 {
			return true, r.returned(p)
		}
		c := p.callers[len(p.callers)-1]
		p.callers = p.callers[:len(p.callers)-1]
		p.cpu.Resume(c.Frame)
		p.pc = c.pc
		return false, nil
	}
	p.pc++
	return false, nil
}

// decide returns whether a branch is taken. A branch on a recheck goes both
// ways: the other is queued.
func (r *run) decide(p *path, taken symbolic.Bit, target int) (bool, error) {
	if v, ok := r.evaluate(taken); ok {
		return v, nil
	}
	if at, equal, ok := r.findRecheck(p, taken); ok {
		if p.hit != nil {
			return false, errors.New("goes on after a recheck that hit")
		}
		// The branch that is queued is the one where the twin is no attack.
		q := &path{cpu: p.cpu.Clone(), pc: target, callers: slices.Clone(p.callers), steps: p.steps, rechecked: make(map[[2]int]bool)}
		for k := range p.rechecked {
			q.rechecked[k] = true
		}
		if equal { // taken on a hit
			q.hit = &at
			p.rechecked[at] = true
		} else {
			q.rechecked[at] = true
			p.hit = &at
		}
		r.paths = append(r.paths, q)
		return false, nil
	}
	r.collect(taken)
	clear(r.memo)
	clear(r.words)
	if v, ok := r.evaluate(taken); ok {
		return v, nil
	}
	return false, errors.New("the branch depends on what is neither a bit of the plan's mask nor a recheck that is due")
}

// evaluate returns the value of b, if the masks of the scenario determine it.
func (r *run) evaluate(b symbolic.Bit) (value, ok bool) {
	if v, ok := r.g.Constant(b); ok {
		return v, true
	}
	t := r.memo[b&^1]
	if t == unseen {
		t = r.compute(b &^ 1)
		r.memo[b&^1] = t
	}
	switch t {
	case isTrue:
		return b&1 == 0, true
	case isFalse:
		return b&1 != 0, true
	}
	return false, false
}

func (r *run) compute(b symbolic.Bit) ternary {
	if m, ok := r.lookup(b); ok {
		switch keeps, ok := r.keeps(m); {
		case !ok:
			return unknown
		case keeps != m.negated:
			return isTrue
		}
		return isFalse
	}
	k, x, y := r.g.Gate(b)
	if k == symbolic.Variable {
		return unknown
	}
	v, okV := r.evaluate(x)
	if k == symbolic.Xor {
		w, okW := r.evaluate(y)
		switch {
		case !okV || !okW:
			return unknown
		case v != w:
			return isTrue
		}
		return isFalse
	}
	if okV && !v {
		return isFalse
	}
	w, okW := r.evaluate(y)
	switch {
	case okW && !w:
		return isFalse
	case okV && okW:
		return isTrue
	}
	return unknown
}

// mask returns the vectors that the plans keep of a block.
func (s *scenario) mask(block int) uint32 {
	if block < len(s.masks) {
		return s.masks[block]
	}
	return 0
}

// keeps returns whether the plan of m keeps its vector. Of the second part of a
// plan, that is known of the vectors that the first one keeps.
func (r *run) keeps(m maskBit) (keeps, ok bool) {
	kept := r.mask(m.block)>>m.dv&1 != 0
	if !r.split {
		return kept, true
	}
	byFirst := kept || m.block < len(r.first) && r.first[m.block]&r.partly>>m.dv&1 != 0
	if m.plan == 0 {
		return byFirst, true
	}
	return kept, byFirst
}

// knownWord returns the constant that the masks of the scenario make of a word.
func (r *run) knownWord(w symbolic.Word) symbolic.Word {
	if _, ok := r.g.Value(w); ok {
		return w
	}
	if k, ok := r.words[w]; ok {
		return k
	}
	k := r.computeWord(w)
	r.words[w] = k
	return k
}

func (r *run) computeWord(w symbolic.Word) symbolic.Word {
	bits := r.g.Bits(w)
	// Only gates can be known. Of a message's words it is cheap to tell, and the
	// words of the working state are sums or functions of them.
	if !slices.ContainsFunc(bits[:], func(b symbolic.Bit) bool {
		k, _, _ := r.g.Gate(b)
		return k != symbolic.Variable && r.g.OfMessage(b)
	}) {
		return w
	}
	if isMask, _, _ := r.maskWord(w); isMask {
		clear(r.memo)
	}
	var v uint32
	for i, b := range bits {
		set, ok := r.evaluate(b)
		if !ok {
			return w
		}
		if set {
			v |= 1 << i
		}
	}
	return r.g.Const(v)
}

// findRecheck looks whether a branch is taken if and only if a block is an
// attack with a vector that the plan keeps (equal), or is not.
func (r *run) findRecheck(p *path, taken symbolic.Bit) (at [2]int, equal, ok bool) {
	for _, equal := range []bool{true, false} {
		b := taken
		if !equal {
			b = b.Not()
		}
		if b&1 != 0 {
			continue // a disjunction
		}
		parts := conjuncts(r.g, b)
		if len(parts) < 100 {
			continue
		}
		for i := range parts {
			parts[i] = parts[i].Not()
		}
		slices.Sort(parts)
		for block := range r.scenario.blocks {
			mask := r.mask(block)
			for dv := range dvs.Count {
				if mask>>dv&1 == 0 {
					continue
				}
				for _, step := range r.steps[dv] {
					if slices.Equal(parts, r.recheck(block, dv, step)) {
						return [2]int{block, dv}, equal, true
					}
				}
			}
		}
	}
	return at, false, false
}

// returned checks what the kernel leaves when it returns.
func (r *run) returned(p *path) error {
	frame, m := p.cpu.Common().Frame, p.cpu.Common().Memory
	result := r.kernel.resultOffset()
	if args := frame.Fn.Args; args != result+8 {
		return fmt.Errorf("%d bytes of arguments and results, want %d", args, result+8)
	}
	low, err1 := m.Load(frame.FP + uint64(result))
	high, err2 := m.Load(frame.FP + uint64(result) + 4)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	done, ok := r.g.Value(low)
	if top, ok2 := r.g.Value(high); !ok || !ok2 || top != 0 || int(done) > r.scenario.blocks {
		return fmt.Errorf("does not return a number of blocks from 0 to %d", r.scenario.blocks)
	}
	want := r.chain(int(done))
	for n := range want {
		w, err := m.Load(chainBase + uint64(4*n))
		if err != nil {
			return err
		}
		if w != want[n] {
			return fmt.Errorf("word %d of the chaining value is not that after the %d blocks reported", n, done)
		}
	}
	for block := range int(done) {
		if r.scenario.clear && block == r.scenario.blocks-1 {
			break
		}
		for dv := range dvs.Count {
			if r.mask(block)>>dv&1 != 0 && !p.rechecked[[2]int{block, dv}] {
				return fmt.Errorf("%d blocks reported, without a recheck of block %d for %v", done, block, dvs.All()[dv])
			}
		}
	}
	if p.hit != nil && int(done) > p.hit[0] {
		return fmt.Errorf("%d blocks reported, though block %d is an attack", done, p.hit[0])
	}
	if p.hit == nil && int(done) != r.scenario.blocks {
		return fmt.Errorf("%d of %d blocks reported, though none is an attack", done, r.scenario.blocks)
	}
	return nil
}

// failure describes what went wrong on a path.
func (r *run) failure(p *path, err error) *Failure {
	fn := p.cpu.Common().Frame.Fn
	f := &Failure{Kernel: r.kernel.Backend, Scenario: r.name, File: fn.FileName, Err: err}
	if p.pc < len(fn.Code) {
		f.Line, f.Code = fn.Code[p.pc].Line, fn.Code[p.pc].String()
	}
	best := 0
	look := func(w symbolic.Word) {
		if w == 0 {
			return
		}
		if _, alike, bad := r.maskWord(w); bad != nil && alike > best {
			best, f.Counterexample = alike, bad
		}
	}
	p.cpu.Words(look)
	p.cpu.Common().Memory.Words(look)
	if f.Counterexample != nil {
		f.Counterexample.Blocks, f.Counterexample.scenario = r.scenario.blocks, r.scenario
	}
	return f
}
