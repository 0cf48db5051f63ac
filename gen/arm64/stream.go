package arm64

import (
	"errors"
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"

	"github.com/sha1dc/go/gen/asm"
)

// stream is a sequence of instructions that does one job. Streams with
// registers of their own can be merged in any proportion.
type stream struct {
	nodes []ir.Node
	errs  []error
}

// add appends an instruction in the syntax of Go's assembler: sources first.
func (s *stream) add(opcode string, operands ...operand.Op) {
	for _, o := range operands {
		if r, ok := o.(R); ok && !r.allowed() {
			s.fail("%s uses %s, which is not ours", opcode, r.Asm())
		}
	}
	s.nodes = append(s.nodes, &ir.Instruction{Opcode: opcode, Operands: operands})
}

// fail records an error of whoever asks for an instruction.
func (s *stream) fail(format string, args ...any) {
	s.errs = append(s.errs, fmt.Errorf(format, args...))
}

// append adds all of t.
func (s *stream) append(t *stream) {
	s.nodes = append(s.nodes, t.nodes...)
	s.errs = append(s.errs, t.errs...)
}

// merge spreads side evenly over main, from the fraction from of it to the
// fraction to, keeping the order within each.
func merge(main, side *stream, from, to float64) *stream {
	return &stream{
		nodes: asm.Spread(main.nodes, side.nodes, from, to),
		errs:  append(append([]error{}, main.errs...), side.errs...),
	}
}

// err returns the errors recorded.
func (s *stream) err() error { return errors.Join(s.errs...) }

// label names the place behind the last instruction.
func (s *stream) label(name string) { s.nodes = append(s.nodes, ir.Label(name)) }
