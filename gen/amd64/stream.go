package amd64

import (
	"errors"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/sha1dc/go/gen/asm"
)

// stream is a sequence of instructions that does one job. Streams with
// registers of their own can be merged in any proportion.
type stream struct {
	instructions []*ir.Instruction
	errs         []error
}

// add appends what a constructor of package x86 returns.
func (s *stream) add(i *ir.Instruction, err error) {
	if err != nil {
		s.errs = append(s.errs, err)
		return
	}
	s.instructions = append(s.instructions, i)
}

// append adds all of t.
func (s *stream) append(t *stream) {
	s.instructions = append(s.instructions, t.instructions...)
	s.errs = append(s.errs, t.errs...)
}

// merge spreads side evenly over main, from the fraction from of it to the
// fraction to, keeping the order within each.
func merge(main, side *stream, from, to float64) *stream {
	return &stream{
		instructions: asm.Spread(main.instructions, side.instructions, from, to),
		errs:         append(append([]error{}, main.errs...), side.errs...),
	}
}

// emit appends a stream to the function under construction.
func emit(ctx *build.Context, s *stream) error {
	for _, i := range s.instructions {
		ctx.Instruction(i)
	}
	return errors.Join(s.errs...)
}

// mem returns the operand disp(base).
func mem(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// roundFunction is the immediate of SHA1RNDS4 for the four steps of group g.
func roundFunction(g int) operand.Constant { return operand.U8(g / 5) }
