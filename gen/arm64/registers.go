package arm64

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// R is a general register, V a vector register.
type (
	R uint8
	V uint8
)

// Asm returns the register's name in Go assembly.
func (r R) Asm() string { return fmt.Sprintf("R%d", r) }

// Asm returns the name of the vector register as SHA instructions take it.
func (v V) Asm() string { return fmt.Sprintf("V%d", v) }

// text is an operand in the syntax of Go's assembler.
type text string

// Asm returns the operand.
func (t text) Asm() string { return string(t) }

// B16 is the register as 16 bytes, S4 as four words.
func (v V) B16() operand.Op { return text(fmt.Sprintf("V%d.B16", v)) }
func (v V) S4() operand.Op  { return text(fmt.Sprintf("V%d.S4", v)) }

// D is one half of the register.
func (v V) D(n int) operand.Op { return text(fmt.Sprintf("V%d.D[%d]", v, n)) }

// F is the register as a floating-point register of any width.
func (v V) F() operand.Op { return text(fmt.Sprintf("F%d", v)) }

// allowed reports whether generated code may name the register. R16 and R17
// belong to the linker, which may insert code at a call that uses them; R18 to
// the platform; R27 to the assembler, R28 to the current goroutine, R29 and R30
// to the frame and the return address, and 31 is the stack pointer or zero.
func (r R) allowed() bool { return r < 16 || r >= 19 && r <= 26 }

// registers hands out registers. Running out of them is an error in the
// generator, so it panics.
type registers struct {
	general []R
	vector  []V
}

// newRegisters returns the registers that a function may use.
func newRegisters() *registers {
	a := &registers{}
	for n := range 32 {
		if R(n).allowed() {
			a.general = append(a.general, R(n))
		}
		a.vector = append(a.vector, V(n))
	}
	return a
}

// R returns a general register that is not in use.
func (a *registers) R() R {
	if len(a.general) == 0 {
		panic("arm64: out of general registers")
	}
	r := a.general[0]
	a.general = a.general[1:]
	return r
}

// V returns a vector register that is not in use.
func (a *registers) V() V { return a.Vs(1)[0] }

// Vs returns n vector registers that are not in use.
func (a *registers) Vs(n int) []V {
	if n > len(a.vector) {
		panic(fmt.Sprintf("arm64: %d vector registers wanted, %d are left", n, len(a.vector)))
	}
	v := a.vector[:n:n]
	a.vector = a.vector[n:]
	return v
}
