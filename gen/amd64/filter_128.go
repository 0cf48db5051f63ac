package amd64

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/plan"
)

// encoding is a family of vector instructions of 128 bits.
type encoding int

const (
	legacy encoding = iota // SSE: two operands, aligned memory operands
	vex128                 // AVX: three operands
)

// filter128 is the filter with 4 lanes. The tested bits of a group become an
// index into its table of the vectors dismissed, which leaves more of the work
// to the scalar units than masks would: the vector units, one of which computes
// the rounds, are what is scarce.
type filter128 struct {
	plan     *plan.Plan
	encoding encoding
	table    operand.Mem
	tables   reg.GPPhysical // address of table
	index    reg.GPPhysical
	result   reg.GPPhysical

	x, y reg.VecPhysical
}

// newFilter128 emits the table of the filter of p and returns it. It uses the
// vector register 14, and 15 if the encoding is legacy.
func newFilter128(ctx *build.Context, p *plan.Plan, e encoding, r filterRegisters) filter {
	return &filter128{
		plan: p, encoding: e, table: table128(ctx, p),
		tables: r.tables, index: r.more, result: r.result, x: reg.X14, y: reg.X15,
	}
}

func (f *filter128) load(ctx *build.Context) error {
	ctx.LEAQ(f.table, f.tables)
	return nil
}

// filter returns the filter of the block in slot. It leaves the mask of the
// vectors kept there.
func (f *filter128) filter(slot reg.Register) *stream {
	out := f.tests(slot, 0, len(f.plan.Groups))
	out.add(x86.MOVL(f.result.As32(), mem(slot, slotMask)))
	return out
}

func (f *filter128) first(slot reg.Register, n int) *stream {
	out := f.tests(slot, 0, n)
	out.add(x86.MOVL(f.result.As32(), mem(slot, slotMask)))
	return out
}

func (f *filter128) rest(slot reg.Register, n int) *stream {
	out := f.tests(slot, n, len(f.plan.Groups))
	out.add(x86.ANDL(mem(slot, slotMask), f.result.As32()))
	out.add(x86.MOVL(f.result.As32(), mem(slot, slotMask)))
	return out
}

// tests returns the tests of some groups, which leave the vectors kept in
// result.
func (f *filter128) tests(slot reg.Register, from, to int) *stream {
	var out stream
	result := f.result.As32()
	out.add(x86.XORL(result, result))
	for n := from; n < to; n++ {
		g := &f.plan.Groups[n]
		f.load4(&out, mem(slot, windowOffset(g.Start+g.Gap, len(g.Lanes))), f.x)
		f.shiftRight(&out, g.B-g.A)
		f.xor4(&out, mem(slot, windowOffset(g.Start, len(g.Lanes))))
		f.shiftRight(&out, g.A-31) // the bit to the sign
		if f.encoding == legacy {
			out.add(x86.MOVMSKPS(f.x, f.index.As32()))
		} else {
			out.add(x86.VMOVMSKPS(f.x, f.index.As32()))
		}
		out.add(x86.ORL(mem(f.tables, tableSize128*n).Idx(f.index, 4), result))
	}
	out.add(x86.NOTL(result))
	return &out
}

// load4 appends an unaligned load.
func (f *filter128) load4(s *stream, src operand.Mem, dst reg.VecPhysical) {
	if f.encoding == legacy {
		s.add(x86.MOVOU(src, dst))
	} else {
		s.add(x86.VMOVDQU(src, dst))
	}
}

// xor4 appends x ^= the words at src. SSE wants aligned operands, so it loads
// them first.
func (f *filter128) xor4(s *stream, src operand.Mem) {
	if f.encoding == legacy {
		f.load4(s, src, f.y)
		s.add(x86.PXOR(f.y, f.x))
	} else {
		s.add(x86.VPXOR(src, f.x, f.x))
	}
}

// shiftRight appends a shift of x by n bits, to the left if n is negative.
func (f *filter128) shiftRight(s *stream, n int) {
	two, three := x86.PSRLL, x86.VPSRLD
	if n < 0 {
		n, two, three = -n, x86.PSLLL, x86.VPSLLD
	}
	switch {
	case n == 0:
	case f.encoding == legacy:
		s.add(two(operand.U8(n), f.x))
	default:
		s.add(three(operand.U8(n), f.x, f.x))
	}
}

// tableSize128 is the number of bytes of a group in table128.
const tableSize128 = 4 << 4

// table128 emits, for each group and each pattern of its lanes' bits, the
// vectors that the group dismisses. Lane l is in memory, and in the pattern,
// the last but l.
func table128(ctx *build.Context, p *plan.Plan) operand.Mem {
	table := ctx.StaticGlobal("dismissed_" + p.Name)
	ctx.DataAttributes(dataAttributes)
	for n := range p.Groups {
		g := &p.Groups[n]
		for pattern := range 1 << len(g.Lanes) {
			var dismissed uint32
			for l := range g.Lanes {
				if bit := pattern >> (len(g.Lanes) - 1 - l) & 1; bit != int(g.C) {
					dismissed |= uint32(g.Lanes[l].DVs)
				}
			}
			ctx.AppendDatum(operand.U32(dismissed))
		}
	}
	return table
}
