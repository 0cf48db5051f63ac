package amd64

import (
	"errors"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stream is a sequence of instructions that does one job, in units that are not
// separated. Streams with registers of their own can be merged in any
// proportion.
type stream struct {
	units [][]*ir.Instruction
	errs  []error
}

// add appends what a constructor of package x86 returns.
func (s *stream) add(i *ir.Instruction, err error) {
	if err != nil {
		s.errs = append(s.errs, err)
		return
	}
	s.units = append(s.units, []*ir.Instruction{i})
}

// append adds all of t.
func (s *stream) append(t *stream) {
	s.units = append(s.units, t.units...)
	s.errs = append(s.errs, t.errs...)
}

// unit returns s as a single unit.
func (s *stream) unit() *stream {
	return &stream{units: [][]*ir.Instruction{s.instructions()}, errs: s.errs}
}

// instructions returns the instructions of all units.
func (s *stream) instructions() []*ir.Instruction { return slices.Concat(s.units...) }

// merge spreads the units of side evenly over those of main, from the fraction from of it to the
// fraction to, keeping the order within each.
func merge(main, side *stream, from, to float64) *stream {
	out := &stream{errs: append(append([]error{}, main.errs...), side.errs...)}
	m, n := len(main.units), len(side.units)
	next := 0
	for at, u := range main.units {
		for next < n {
			due := (from + (to-from)*float64(next)/float64(n)) * float64(m)
			if float64(at) < due {
				break
			}
			out.units = append(out.units, side.units[next])
			next++
		}
		out.units = append(out.units, u)
	}
	out.units = append(out.units, side.units[next:]...)
	return out
}

// emit appends a stream to the function under construction.
func emit(ctx *build.Context, s *stream) error {
	for _, i := range s.instructions() {
		ctx.Instruction(i)
	}
	return errors.Join(s.errs...)
}

// mem returns the operand disp(base).
func mem(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// roundFunction is the immediate of SHA1RNDS4 for the four steps of group g.
func roundFunction(g int) operand.Constant { return operand.U8(g / 5) }
