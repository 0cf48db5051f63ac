package prove

import (
	"errors"
	"fmt"

	"github.com/sha1dc/go/internal/prove/amd64"
	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
	"github.com/sha1dc/go/internal/prove/processor"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// Where things are in the calls of kernels for many messages. The messages have
// no alignment that an instruction could rely on, and the area not more than it
// must have.
const (
	areaBase     = 0x1b_ffff_c000
	partBase     = 0x1d_ffff_ff08
	sumsBase     = 0x1f_ffff_fff4
	laneBase     = 0x21_ffff_ffc4 // of the first message, and so on with
	laneDistance = 1 << 32
)

// sliceWords is the size of a slice of Go's, whose address stands first.
const sliceWords = 6

// manyRun is a call of a kernel for many messages.
type manyRun struct {
	*manyProver
	*manyCall
	cpu   *amd64.CPU
	pc    int
	fp    uint64
	memo  map[symbolic.Word]symbolic.Word
	wrong *Counterexample

	before map[uint64]symbolic.Word // words of the area that must stay as they are
	bank   uint64
	sums   [spec.Steps]symbolic.Word
}

// call runs a call, and returns the first failure.
func (p *manyProver) call(c *manyCall) *Failure {
	r := &manyRun{manyProver: p, manyCall: c, memo: make(map[symbolic.Word]symbolic.Word), before: make(map[uint64]symbolic.Word)}
	name := [...]string{addBlocks: p.kernel.Blocks, addSame: p.kernel.Same, filterAlone: p.kernel.Filter}[c.do]
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
			r.wrong.many = c
		}
		return f
	}
	return nil
}

// base returns where the area starts: a multiple of its alignment, and of no
// more.
func (r *manyRun) base() uint64 { return areaBase + uint64(r.area.align) }

// start makes the state at the call of fn.
func (r *manyRun) start(fn *asm.Function) {
	g := r.lanes.g
	m := memory.New(g)
	r.program.load(m, r.data)
	r.addArea(m)
	r.cpu = &amd64.CPU{State: processor.State{
		G: g, Memory: m, Known: r.known,
		Address: func(fn *asm.Function, symbol string) (uint64, bool) { return r.program.address(fn, symbol, r.data) },
	}}
	r.fp = r.cpu.Place(stackBase + r.stack)
	var args []uint64
	switch r.do {
	case addBlocks:
		r.addMessages(m)
		args = []uint64{partBase, r.base(), uint64(r.group), uint64(r.from), uint64(r.n), uint64(r.more), uint64(r.groups)}
	case addSame:
		for t := range r.sums {
			r.sums[t] = r.lanes.other(-1 - t)
		}
		m.Add("the sums", sumsBase, 4*spec.Steps, memory.ReadOnly, r.sums[:])
		args = []uint64{sumsBase, r.base(), uint64(r.group)}
	case filterAlone:
		args = []uint64{r.base()}
	}
	m.Add("the arguments", r.fp, fn.Args, memory.ReadWrite, arguments(g, args...))
	r.cpu.Enter(fn, r.fp)
}

// addArea adds the area to memory. What a call need not set is free.
func (r *manyRun) addArea(m *memory.Memory) {
	g, a := r.lanes.g, r.area
	// fill returns the words of a field, which must stay as they are unless the
	// call is to change them.
	fill := func(f room, word func(n int) (symbolic.Word, bool)) []symbolic.Word {
		words := make([]symbolic.Word, f.size/4)
		for n := range words {
			w, ok := word(n)
			if !ok {
				w = r.lanes.other(f.at + 4*n)
			}
			words[n] = w
			r.before[r.base()+uint64(f.at+4*n)] = w
		}
		return words
	}
	free := func(int) (symbolic.Word, bool) { return 0, false }
	place := func(name string, f room, access memory.Access, words []symbolic.Word) {
		m.Add(name, r.base()+uint64(f.at), f.size, access, words)
	}
	place("the chaining values", a.values, memory.ReadWrite, fill(a.values, r.value))
	place("the row of idle lanes", a.idle, memory.ReadOnly, fill(a.idle, func(n int) (symbolic.Word, bool) {
		if n < len(r.lanes.idle) {
			return r.lanes.idle[n], true
		}
		return 0, false
	}))
	place("the owners of slots", a.owner, memory.ReadWrite, fill(a.owner, free))
	place("the number of slots", a.used, memory.ReadWrite, fill(a.used, func(n int) (symbolic.Word, bool) {
		return g.Const(uint32([2]int{r.used, 0}[n])), true
	}))
	place("the slots", a.slots, memory.ReadWrite, fill(a.slots, free))
	banks := make([]symbolic.Word, a.banks.size/4)
	if r.do == filterAlone {
		for lane := range r.kernel.Lanes {
			for t, w := range r.lanes.block(place0(lane)).W {
				banks[(a.bankWord+4*a.lanes*t)/4+lane] = w
			}
		}
	}
	place("the banks", a.banks, memory.ReadWrite, banks)
}

func place0(lane int) place { return place{0, 0, lane} }

// value returns word n of the chaining values, if the call is to change it.
func (r *manyRun) value(n int) (symbolic.Word, bool) {
	group, word, lane := n/(5*r.area.lanes)-r.group, n/r.area.lanes%5, n%r.area.lanes
	if group < 0 || group >= max(1, r.groups) || lane >= r.kernel.Lanes {
		return 0, false
	}
	return r.lanes.chain(place{group, 0, lane})[word], true
}

// addMessages adds the messages to memory, no byte of them but the blocks that
// are to be added, and the slices.
func (r *manyRun) addMessages(m *memory.Memory) {
	g := r.lanes.g
	parts := 2 * r.groups
	if r.groups == 1 && r.more == 0 {
		parts = 1
	}
	words := make([]symbolic.Word, parts*r.area.lanes*sliceWords)
	at := uint64(laneBase)
	for part := range parts {
		first, count, from := 0, r.n, r.from
		if part%2 == 1 {
			first, count, from = r.n, r.more, 0
		}
		if count == 0 {
			continue
		}
		for lane := range r.kernel.Lanes {
			var message []symbolic.Word
			for n := range count {
				for _, w := range r.lanes.block(place{part / 2, first + n, lane}).W[:16] {
					message = append(message, bigEndian(g, w))
				}
			}
			m.Add(fmt.Sprintf("the message of lane %d", lane), at+uint64(from), 4*len(message), memory.ReadOnly, message)
			copy(words[(part*r.area.lanes+lane)*sliceWords:], arguments(g, at))
			at += laneDistance
		}
	}
	m.Add("the slices", partBase, 4*len(words), memory.ReadOnly, words)
}

// follow executes fn until it returns.
func (r *manyRun) follow(fn *asm.Function) error {
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
			taken, ok := r.lanes.g.Constant(a.Taken)
			if !ok {
				return errors.New("the branch depends on more than which blocks survive")
			}
			if taken {
				r.pc = fn.Labels[a.Target]
				continue
			}
		}
		r.pc++
	}
}

// known returns the constant that the survivors make of a word: of one whose
// bits say of the lanes whether their blocks survive.
func (r *manyRun) known(w symbolic.Word) symbolic.Word {
	if _, ok := r.lanes.g.Value(w); ok {
		return w
	}
	k, ok := r.memo[w]
	if !ok {
		k = r.survivorsIn(w)
		r.memo[w] = k
	}
	return k
}

func (r *manyRun) survivorsIn(w symbolic.Word) symbolic.Word {
	l, bits := r.lanes, *r.lanes.g.Bits(w)
	for _, b := range bits[r.kernel.Lanes:] {
		if _, ok := l.g.Constant(b); !ok {
			return w // a word of a message or the like
		}
	}
	var claims []claim
	for lane, b := range bits {
		if _, ok := l.alias[b&^1]; ok || b>>1 == l.g.True>>1 {
			continue
		}
		of := l.blockOf(b)
		if of == nil {
			return w
		}
		of = l.block(place{of.group, of.block, lane})
		c := claim{b, of.survives, of, anyVector}
		if l.opposite(b, of.survives) {
			c.want = of.survives.Not()
		}
		claims = append(claims, c)
	}
	if wrong := l.prove(claims); wrong != nil {
		r.wrong = wrong
		return w
	}
	for _, c := range claims {
		l.alias[c.b&^1] = survival{c.of, (c.want != c.of.survives) != (c.b&1 != 0)}
	}
	var v uint32
	for n, b := range bits {
		set, ok := l.g.Constant(b)
		if s, found := l.alias[b&^1]; !ok && found {
			set = r.survivors[s.place] != s.negated != (b&1 != 0)
		}
		if set {
			v |= 1 << n
		}
	}
	return l.g.Const(v)
}
