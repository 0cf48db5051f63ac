package amd64

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/plan"
)

// encoding is a family of vector instructions without mask registers.
type encoding int

const (
	legacy encoding = iota // SSE: two operands, 128 bits, aligned memory operands
	vex128                 // AVX: three operands, 128 bits
	vex256                 // AVX2: three operands, 256 bits
)

// filterNarrow is the filter with 4 or 8 lanes. A lane's failure is a word of
// ones, which selects the lane's vectors from the table.
type filterNarrow struct {
	plan     *plan.Plan
	encoding encoding
	tables   reg.GPPhysical // address of narrowTable
	result   reg.GPPhysical

	dismissed, x, y reg.VecPhysical
	table           operand.Mem
}

// register returns the register n in the width of the encoding.
func (e encoding) register(n int) reg.VecPhysical {
	if e == vex256 {
		return []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
			reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}[n]
	}
	return []reg.VecPhysical{reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15}[n]
}

// width returns the bytes of a register.
func (e encoding) width() int {
	if e == vex256 {
		return 32
	}
	return 16
}

// newFilterNarrow emits the tables of the filter of p and returns it. It uses
// the vector registers 14 and 15, and 13 if the encoding is legacy.
func newFilterNarrow(ctx *build.Context, p *plan.Plan, e encoding, r filterRegisters) *filterNarrow {
	return &filterNarrow{
		plan: p, encoding: e, tables: r.tables, result: r.result,
		dismissed: e.register(15), x: e.register(14), y: e.register(13),
		table: narrowTable(ctx, p, e),
	}
}

func (f *filterNarrow) load(ctx *build.Context) error {
	ctx.LEAQ(f.table, f.tables)
	return nil
}

// binary is a constructor of an instruction with two sources.
type (
	binary2 func(mx, x operand.Op) (*ir.Instruction, error)
	binary3 func(mxy, xy, xy1 operand.Op) (*ir.Instruction, error)
)

// apply appends dst = dst op src.
func (f *filterNarrow) apply(s *stream, two binary2, three binary3, src, dst operand.Op) {
	if f.encoding == legacy {
		s.add(two(src, dst))
	} else {
		s.add(three(src, dst, dst))
	}
}

// window appends an unaligned load.
func (f *filterNarrow) window(s *stream, src operand.Mem, dst operand.Op) {
	if f.encoding == legacy {
		s.add(x86.MOVOU(src, dst))
	} else {
		s.add(x86.VMOVDQU(src, dst))
	}
}

// xorWindow appends dst ^= the words at src. SSE wants aligned operands, so it
// loads them first.
func (f *filterNarrow) xorWindow(s *stream, src operand.Mem, dst reg.VecPhysical) {
	if f.encoding == legacy {
		f.window(s, src, f.y)
		s.add(x86.PXOR(f.y, dst))
	} else {
		s.add(x86.VPXOR(src, dst, dst))
	}
}

// shift appends a shift of dst to the right, or to the left if n is negative.
func (f *filterNarrow) shift(s *stream, n int, dst reg.VecPhysical) {
	two, three := x86.PSRLL, x86.VPSRLD
	if n < 0 {
		n, two, three = -n, x86.PSLLL, x86.VPSLLD
	}
	if f.encoding == legacy {
		s.add(two(operand.U8(n), dst))
	} else {
		s.add(three(operand.U8(n), dst, dst))
	}
}

// filter returns the filter of the block in the slot at slot+offset. It leaves
// the mask of the vectors kept in the slot.
func (f *filterNarrow) filter(slot reg.Register, offset int) *stream {
	var out stream
	width := f.encoding.width()
	f.apply(&out, x86.PXOR, x86.VPXOR, f.dismissed, f.dismissed)
	for n := range f.plan.Groups {
		g := &f.plan.Groups[n]
		first := mem(slot, offset+windowOffset(g.Start, len(g.Lanes)))
		second := mem(slot, offset+windowOffset(g.Start+g.Gap, len(g.Lanes)))
		f.window(&out, second, f.x)
		if g.Shifted() {
			f.shift(&out, g.B-g.A, f.x)
		}
		f.xorWindow(&out, first, f.x)
		bit := mem(f.tables, width*g.A)
		f.apply(&out, x86.PAND, x86.VPAND, bit, f.x)
		if g.C == 0 { // fails where the bit is set, else where it is not
			f.apply(&out, x86.PCMPEQL, vpcmpeqd, bit, f.x)
		} else {
			f.apply(&out, x86.PCMPEQL, vpcmpeqd, mem(f.tables, width*narrowZero), f.x)
		}
		f.apply(&out, x86.PAND, x86.VPAND, mem(f.tables, width*(narrowLanes+n)), f.x)
		f.apply(&out, x86.POR, x86.VPOR, f.x, f.dismissed)
	}
	f.fold(&out)
	out.add(x86.NOTL(f.result.As32()))
	out.add(x86.MOVL(f.result.As32(), mem(slot, offset+slotMask)))
	return &out
}

// fold ors the lanes together into result.
func (f *filterNarrow) fold(s *stream) {
	d, x := f.dismissed.AsX(), f.x.AsX()
	if f.encoding == vex256 {
		s.add(x86.VEXTRACTI128(operand.U8(1), f.dismissed, x))
		s.add(x86.VPOR(x, d, d))
	}
	for _, order := range []operand.Constant{operand.U8(0x4e), operand.U8(0xb1)} {
		if f.encoding == legacy {
			s.add(x86.PSHUFD(order, d, x))
			s.add(x86.POR(x, d))
		} else {
			s.add(x86.VPSHUFD(order, d, x))
			s.add(x86.VPOR(x, d, d))
		}
	}
	if f.encoding == legacy {
		s.add(x86.MOVD(d, f.result.As32()))
	} else {
		s.add(x86.VMOVD(d, f.result.As32()))
	}
}

func vpcmpeqd(src, a, b operand.Op) (*ir.Instruction, error) { return x86.VPCMPEQD(src, a, b) }

// The rows of narrowTable.
const (
	narrowZero  = 32
	narrowLanes = 33
)

// narrowTable emits the 32 powers of two, each in all lanes, a row of zeros,
// and the masks of the groups' lanes in memory order.
func narrowTable(ctx *build.Context, p *plan.Plan, e encoding) operand.Mem {
	table := ctx.StaticGlobal("filter_" + p.Name)
	ctx.DataAttributes(dataAttributes)
	for row := range narrowLanes {
		for range e.width() / 4 {
			ctx.AppendDatum(operand.U32(uint32(1 << row))) // zero in the last row
		}
	}
	for n := range p.Groups {
		lanes := p.Groups[n].Lanes
		for l := range lanes {
			ctx.AppendDatum(operand.U32(lanes[len(lanes)-1-l].DVs))
		}
	}
	return table
}
