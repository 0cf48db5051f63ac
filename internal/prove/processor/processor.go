// Package processor is what a proof asks of an architecture: a processor with
// registers and memory that executes instructions one at a time.
package processor

import (
	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// Processor is the state of a processor.
type Processor interface {
	// Common returns the part of the state that no architecture has for itself.
	Common() *State
	// Clone returns a copy.
	Clone() Processor
	// Place returns where the arguments of a function that is called from outside
	// stand, near the given address, which is a multiple of eight.
	Place(at uint64) (fp uint64)
	// Enter makes fn the current function, with its arguments at fp, and gives it a
	// frame. All registers may hold anything.
	Enter(fn *asm.Function, fp uint64)
	// Call makes fn the current function, called by the one before.
	Call(fn *asm.Function)
	// Resume ends the current function, and makes its caller the current one again,
	// whose frame was the given one.
	Resume(caller Frame)
	// Step executes an instruction of the current function.
	Step(i *asm.Instruction) (Action, error)
	// Words calls f for words in registers, for a search after a failure.
	Words(f func(symbolic.Word))
}

// Frame is a function that is executed, where its arguments start, and the stack
// pointer.
type Frame struct {
	Fn     *asm.Function
	FP, SP uint64
}

// State is what all architectures have in common.
type State struct {
	G      *symbolic.Graph
	Memory *memory.Memory

	// Known returns a word's constant, if it is known by other means than its
	// bits, or else the word. It may be nil.
	Known func(symbolic.Word) symbolic.Word
	// Address returns where a symbol stands. Names end in "<>" if the symbol is
	// local to the file.
	Address func(fn *asm.Function, symbol string) (uint64, bool)

	Frame Frame
}

// Common returns s.
func (s *State) Common() *State { return s }

// Action says what follows an instruction.
type Action struct {
	Kind   ActionKind
	Target string // label or symbol
	Taken  symbolic.Bit
}

// ActionKind is a kind of Action.
type ActionKind int

// The kinds of actions.
const (
	Next ActionKind = iota
	Jump            // to Target if Taken
	Call            // of Target
	Return
)

// Load returns n words of memory. After an error they are zeros.
func (s *State) Load(at uint64, n int) (words []symbolic.Word, err error) {
	words = make([]symbolic.Word, n)
	for i := range words {
		w, fault := s.Memory.Load(at + uint64(4*i))
		if fault != nil {
			w = s.G.Const(0)
			if err == nil {
				err = fault
			}
		}
		words[i] = w
	}
	return words, err
}

// Find returns the meaning of an instruction, which stands in one of the tables.
func Find[M any](tables []map[string]M, name string) (meaning M, ok bool) {
	for _, t := range tables {
		if meaning, ok = t[name]; ok {
			break
		}
	}
	return meaning, ok
}

// Names returns the instructions in the tables.
func Names[M any](tables []map[string]M) (names []string) {
	for _, t := range tables {
		for name := range t {
			names = append(names, name)
		}
	}
	return names
}
