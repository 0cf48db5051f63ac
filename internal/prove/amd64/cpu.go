// Package amd64 gives the instructions of amd64 that the kernels use a meaning:
// what they do to registers, flags and memory, as functions of bits. An
// instruction without an entry in one of the tables is an error. The meanings
// are tested against the processor on random operands.
package amd64

import (
	"fmt"
	"strconv"

	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
	"github.com/sha1dc/go/internal/prove/processor"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

type (
	word = symbolic.Word
	bit  = symbolic.Bit
)

// CPU is the state of a processor. The zero register is valid: it may hold
// anything, and is read as free variables.
type CPU struct {
	processor.State

	general [16][2]word
	vector  [32][16]word
	mask    [8][2]word
	flags   flags
}

// flags are the arithmetic flags, those that are defined.
type flags struct {
	zero     []word // ZF is set if all are zero; nil if undefined
	sign     word   // SF is its highest bit; zero if undefined
	carry    bit    // zero if undefined
	overflow bit    // zero if undefined
}

var generalNames = map[string]int{
	"AX": 0, "CX": 1, "DX": 2, "BX": 3, "SP": 4, "BP": 5, "SI": 6, "DI": 7,
	"R8": 8, "R9": 9, "R10": 10, "R11": 11, "R12": 12, "R13": 13, "R14": 14, "R15": 15,
}

const registerSP, registerBP = 4, 5

// class is a class of registers.
type class int

const (
	none class = iota
	general
	lowByte
	maskRegister
	x
	y
	z
)

// lanes returns the 32-bit words of a vector register.
func (c class) lanes() int { return 4 << (c - x) }

func register(name string) (class, int) {
	if n, ok := generalNames[name]; ok {
		return general, n
	}
	if name == "AL" {
		return lowByte, 0
	}
	n, err := strconv.Atoi(name[1:])
	if err != nil || n < 0 || name[1:] != strconv.Itoa(n) {
		return none, 0
	}
	switch {
	case name[0] == 'K' && n < 8:
		return maskRegister, n
	case name[0] == 'X' && n < 32:
		return x, n
	case name[0] == 'Y' && n < 32:
		return y, n
	case name[0] == 'Z' && n < 32:
		return z, n
	}
	return none, 0
}

// Clone returns a copy.
func (c *CPU) Clone() processor.Processor {
	d := *c
	d.Memory = c.Memory.Clone()
	return &d
}

// Place returns where the arguments of a function may stand, which is anywhere.
func (c *CPU) Place(at uint64) uint64 { return at }

// Enter makes fn the current function. The return address, and the frame pointer
// of functions with locals, are between these and the arguments.
func (c *CPU) Enter(fn *asm.Function, fp uint64) {
	c.general, c.vector, c.mask = [16][2]word{}, [32][16]word{}, [8][2]word{}
	sp := fp - 8
	if fn.Frame > 0 {
		sp -= 8 + uint64(fn.Frame)
		c.Memory.Add("the frame of "+fn.Name, sp, fn.Frame, memory.ReadWrite, nil)
	}
	c.set(processor.Frame{Fn: fn, FP: fp, SP: sp})
}

// Call makes fn the current function, and keeps no register of its caller.
func (c *CPU) Call(fn *asm.Function) { c.Enter(fn, c.Frame.SP) }

// Resume returns from the current function.
func (c *CPU) Resume(caller processor.Frame) {
	if c.Frame.Fn.Frame > 0 {
		c.Memory.Remove(c.Frame.SP)
	}
	c.set(caller)
}

func (c *CPU) set(f processor.Frame) {
	c.Frame = f
	c.general[registerSP] = c.constant(f.SP)
	c.flags = flags{}
}

// Words calls f for the words in registers, for a search after a failure.
func (c *CPU) Words(f func(symbolic.Word)) {
	for _, r := range c.general {
		f(r[0])
	}
	for _, r := range c.vector {
		for _, w := range r {
			f(w)
		}
	}
}

func (c *CPU) constant(v uint64) [2]word {
	return [2]word{c.G.Const(uint32(v)), c.G.Const(uint32(v >> 32))}
}

// Step executes an instruction.
func (c *CPU) Step(i *asm.Instruction) (processor.Action, error) {
	m, ok := lookup(i.Name)
	if !ok {
		return processor.Action{}, fmt.Errorf("%s has no meaning: give it one in internal/prove/amd64", i.Name)
	}
	e := &execution{CPU: c, i: i, ops: i.Operands}
	m(e)
	return e.action, e.err
}

// meaning executes an instruction.
type meaning func(*execution)

// tables are all meanings.
var tables = []map[string]meaning{moves, arithmetic, control, lanewise, shifts, shuffles, comparisons, rounds}

func lookup(name string) (meaning, bool) { return processor.Find(tables, name) }

// Names returns the instructions that have a meaning.
func Names() []string { return processor.Names(tables) }

// execution is the execution of one instruction. The first error sticks; what
// is computed after it is of no meaning.
type execution struct {
	*CPU
	i      *asm.Instruction
	ops    []asm.Operand
	action processor.Action
	err    error
}

func (e *execution) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

// want fails unless there are n operands.
func (e *execution) want(n int) bool {
	if len(e.ops) != n {
		e.fail("%d operands, want %d", len(e.ops), n)
	}
	return e.err == nil
}

// bits returns the bits of a word, or constants after an error.
func (e *execution) bits(w word) [32]bit {
	return *e.G.Bits(w)
}

// general returns a general register.
func (e *execution) readGeneral(n int) [2]word {
	r := &e.CPU.general[n]
	for i := range r {
		if r[i] == 0 {
			r[i] = e.G.FreshWord()
		}
		if e.Known != nil {
			r[i] = e.Known(r[i])
		}
	}
	return *r
}

func (e *execution) writeGeneral(n int, v [2]word) {
	if n == registerSP || n == registerBP {
		e.fail("writes to a register of the stack")
		return
	}
	e.CPU.general[n] = v
}

// address returns the address of a memory operand.
func (e *execution) address(o asm.Operand) uint64 {
	switch o.Kind {
	case asm.Argument:
		return e.Frame.FP + uint64(o.Value)
	case asm.Symbol:
		at, ok := e.Address(e.Frame.Fn, o.Name)
		if !ok {
			e.fail("no symbol %s", o.Name)
		}
		return at + uint64(o.Value)
	case asm.Memory:
		at := e.value(e.baseRegister(o.Name), o.Name) + uint64(o.Value)
		if o.Index != "" {
			at += uint64(o.Scale) * e.value(e.baseRegister(o.Index), o.Index)
		}
		return at
	}
	e.fail("%s is no memory operand", o.Text)
	return 0
}

func (e *execution) baseRegister(name string) [2]word {
	c, n := register(name)
	if c != general {
		e.fail("%s is no register for an address", name)
		return e.constant(0)
	}
	return e.readGeneral(n)
}

// value returns the value of a pair of words, which must be a constant.
func (e *execution) value(w [2]word, what string) uint64 {
	low, ok1 := e.G.Value(w[0])
	high, ok2 := e.G.Value(w[1])
	if !ok1 || !ok2 {
		e.fail("%s depends on more than the number of blocks and which vectors survive", what)
	}
	return uint64(high)<<32 | uint64(low)
}

// maxLookup is the number of entries that a table may have which is looked up
// by what depends on the message.
const maxLookup = 64

// operand returns the n words of an operand in memory. Its index may depend on
// the message, if it has but a few values: it then is a choice between them.
func (e *execution) operand(o asm.Operand, n int) []word {
	if o.Kind != asm.Memory || o.Index == "" {
		return e.load(e.address(o), n)
	}
	index := e.baseRegister(o.Index)
	if _, ok := e.fixed(index); ok {
		return e.load(e.address(o), n)
	}
	at := e.value(e.baseRegister(o.Name), o.Name) + uint64(o.Value)
	if high, ok := e.G.Value(index[1]); !ok || high != 0 {
		e.fail("%s depends on the message in its upper half", o.Index)
		return e.load(at, n)
	}
	return e.choose(at, uint64(o.Scale), e.bits(index[0]), 31, 1, n)
}

// choose returns the n words at the given address plus scale times the number
// that the bits up to the given one make. count bounds how many there are.
func (e *execution) choose(at, scale uint64, bits [32]bit, top, count, n int) []word {
	for ; top >= 0; top-- {
		if v, ok := e.G.Constant(bits[top]); !ok {
			break
		} else if v {
			at += scale << top
		}
	}
	if e.err != nil || top < 0 {
		return e.load(at, n)
	}
	if count *= 2; count > maxLookup {
		e.fail("the index has more than %d values", maxLookup)
		return e.load(at, n)
	}
	low := e.choose(at, scale, bits, top-1, count, n)
	high := e.choose(at+scale<<top, scale, bits, top-1, count, n)
	for i := range low {
		low[i] = e.G.ChoiceWord(bits[top], high[i], low[i])
	}
	return low
}

// load returns n words of memory.
func (e *execution) load(at uint64, n int) []word {
	words, err := e.Load(at, n)
	if err != nil {
		e.fail("%s: reads %w", e.i.Name, err)
	}
	return words
}

func (e *execution) store(at uint64, words []word) {
	for i, w := range words {
		if err := e.Memory.Store(at+uint64(4*i), w); err != nil {
			e.fail("%s: %w", e.i.Name, err)
			return
		}
	}
}

func isMemory(o asm.Operand) bool {
	return o.Kind == asm.Memory || o.Kind == asm.Argument || o.Kind == asm.Symbol
}

// immediate returns an immediate of 8 bits.
func (e *execution) immediate(o asm.Operand) int {
	if o.Kind != asm.Immediate || o.Value < -128 || o.Value > 255 {
		e.fail("%s is no immediate of 8 bits", o.Text)
		return 0
	}
	return int(uint8(o.Value))
}
