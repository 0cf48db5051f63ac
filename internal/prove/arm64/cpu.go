// Package arm64 gives the instructions of arm64 that the kernels use a meaning:
// what they do to registers, flags and memory, as functions of bits. An
// instruction is found by its name in Go's assembler, or if it is written as a
// word, by decoding the word; one without an entry in one of the tables is an
// error. The meanings are tested against a processor, or an emulated one, on
// random operands.
package arm64

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
	"github.com/sha1dc/go/internal/prove/processor"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

type (
	word = symbolic.Word
	bit  = symbolic.Bit
	// pair is a general register, its lower half first.
	pair = [2]word
	// vector is a vector register, its lowest word first.
	vector = [4]word
)

// CPU is the state of a processor. All but State may be zero: it may hold
// anything then, and is read as free variables.
type CPU struct {
	processor.State

	general [generalRegisters]pair
	vectors [32]vector
	flags   flags
}

// generalRegisters is the number of general registers without the stack pointer.
const generalRegisters = 31

// flags are those of a comparison; zero if undefined.
type flags struct{ negative, zero, carry, overflow bit }

// Clone returns a copy.
func (c *CPU) Clone() processor.Processor {
	d := *c
	d.Memory = c.Memory.Clone()
	return &d
}

// stackAlignment is what the stack pointer is always a multiple of.
const stackAlignment = 16

// linkSize is the room for the return address, where the stack pointer points.
const linkSize = 8

// Place returns where the arguments of a function may stand: behind the return
// address of its caller.
func (c *CPU) Place(at uint64) uint64 { return at&^(stackAlignment-1) + linkSize }

// Enter makes fn the current function. All registers may hold anything.
func (c *CPU) Enter(fn *asm.Function, fp uint64) {
	c.general, c.vectors = [generalRegisters]pair{}, [32]vector{}
	c.enter(fn, fp)
}

// Call makes fn the current function. It finds the registers as its caller left
// them, since the two are of one program.
func (c *CPU) Call(fn *asm.Function) { c.enter(fn, c.Frame.SP+linkSize) }

// enter gives fn a frame: the return address, locals, and room for what the
// assembler saves, up to where the stack pointer of the caller points.
func (c *CPU) enter(fn *asm.Function, fp uint64) {
	sp := fp - linkSize
	if fn.Frame > 0 || slices.ContainsFunc(fn.Code, func(i asm.Instruction) bool { return i.Name == "CALL" }) {
		sp -= (uint64(fn.Frame) + linkSize + stackAlignment) &^ (stackAlignment - 1)
	}
	if fn.Frame > 0 {
		c.Memory.Add("the frame of "+fn.Name, sp+linkSize, fn.Frame, memory.ReadWrite, nil)
	}
	c.Frame, c.flags = processor.Frame{Fn: fn, FP: fp, SP: sp}, flags{}
}

// Resume returns from the current function.
func (c *CPU) Resume(caller processor.Frame) {
	if c.Frame.Fn.Frame > 0 {
		c.Memory.Remove(c.Frame.SP + linkSize)
	}
	c.Frame, c.flags = caller, flags{}
}

// Words calls f for the words in registers.
func (c *CPU) Words(f func(word)) {
	for _, r := range c.general {
		f(r[0])
	}
	for _, r := range c.vectors {
		for _, w := range r {
			f(w)
		}
	}
}

// Step executes an instruction.
func (c *CPU) Step(i *asm.Instruction) (processor.Action, error) {
	e := &execution{CPU: c, i: i, ops: i.Operands}
	if i.Name == "WORD" {
		e.encoded()
		return e.action, e.err
	}
	m, ok := lookup(i.Name)
	if !ok {
		return processor.Action{}, fmt.Errorf("%s has no meaning: give it one in internal/prove/arm64", i.Name)
	}
	if m.operands != len(i.Operands) {
		return processor.Action{}, fmt.Errorf("%d operands, want %d", len(i.Operands), m.operands)
	}
	m.execute(e)
	return e.action, e.err
}

// meaning executes an instruction with so many operands.
type meaning struct {
	operands int
	execute  func(*execution)
}

// tables are all meanings.
var tables = []map[string]meaning{moves, arithmetic, control, vectors, rounds}

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

// number returns n of a name that is the given letter and n, or -1.
func number(name, letter string, limit int) int {
	digits, ok := strings.CutPrefix(name, letter)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n >= limit || digits != strconv.Itoa(n) {
		return -1
	}
	return n
}

// generalRegister returns the number of a general register that functions may
// use. R16 and R17 are the linker's, which may insert code at a call that uses
// them; R18 is the platform's; R27 the assembler's, R28 the goroutine's, and R29
// and R30 are for the frame and the return address.
func generalRegister(name string) (n int, ok bool) {
	n = number(name, "R", 27)
	return n, n >= 0 && (n < 16 || n > 18)
}

// vectorRegister returns the number of a vector register with the given
// arrangement, or with none where that is empty, or of a floating-point register.
func vectorRegister(name, arrangement string) (n int, ok bool) {
	if arrangement != "" {
		name, ok = strings.CutSuffix(name, "."+arrangement)
		if !ok {
			return 0, false
		}
	} else if n = number(name, "F", 32); n >= 0 {
		return n, true
	}
	n = number(name, "V", 32)
	return n, n >= 0
}
