// Package asm reads files in the syntax of Go's assembler, as generated code
// uses it: no macros, no conditional parts, one statement a line. It knows no
// architecture.
package asm

import "fmt"

// File is a file of functions and data.
type File struct {
	Name      string
	Build     string // the expression of the line //go:build
	Functions []*Function
	Data      map[string]*Data // by name, with "<>" if local to the file
}

// Function is a TEXT symbol.
type Function struct {
	Name     string // with the middle dot
	Line     int
	Flags    string
	Frame    int // bytes of locals
	Args     int // bytes of arguments and results
	Code     []Instruction
	Labels   map[string]int // index in Code
	FileName string
	Data     map[string]*Data // of the file
}

// Instruction is a statement of a function.
type Instruction struct {
	Line     int
	Name     string // with suffixes, as VPORD.BCST
	Operands []Operand
}

// Kind says what an operand is.
type Kind int

// The kinds of operands.
const (
	Immediate Kind = iota // $1
	Register              // AX
	Memory                // 8(AX)(CX*4)
	Argument              // name+8(FP)
	Symbol                // name<>+8(SB)
	Label                 // name, the target of a jump
	Shifted               // R1>>32
	Address               // $8(R1), $name<>+8(SB): where its part stands
	List                  // (R1, R2)
)

// Operand is an operand of an instruction.
type Operand struct {
	Kind  Kind
	Text  string // as written
	Value int64  // of an immediate; the offset of an argument, symbol or address; by how much to shift
	Name  string // of a register, with its arrangement as V1.S4, symbol or label; the base register of an address
	Index string // index register of an address; how to shift
	Scale int
	Parts []Operand // of an address, one; of a list, its registers
}

// Data is a GLOBL symbol with its bytes.
type Data struct {
	Name    string
	Line    int
	Flags   string
	Content []byte
}

// Error is a fault in a file.
type Error struct {
	File string
	Line int
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns the fault without its place.
func (e *Error) Unwrap() error { return e.Err }

// Function returns the function with the given name.
func (f *File) Function(name string) (*Function, bool) {
	for _, fn := range f.Functions {
		if fn.Name == name {
			return fn, true
		}
	}
	return nil, false
}

// String returns the instruction in assembler syntax.
func (i Instruction) String() string {
	s := i.Name
	for n, o := range i.Operands {
		if n == 0 {
			s += " "
		} else {
			s += ", "
		}
		s += o.Text
	}
	return s
}
