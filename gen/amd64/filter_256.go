package amd64

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/plan"
)

// filter256 is the filter with 8 lanes and AVX2. A lane's failure is a word of
// ones, which selects the lane's vectors from the table.
type filter256 struct {
	plan   *plan.Plan
	table  operand.Mem
	tables reg.GPPhysical // address of table
	result reg.GPPhysical

	dismissed, x reg.VecPhysical
}

// newFilter256 emits the tables of the filter of p and returns it. It uses the
// vector registers 14 and 15.
func newFilter256(ctx *build.Context, p *plan.Plan, r filterRegisters) filter {
	return &filter256{
		plan: p, table: table256(ctx, p), tables: r.tables, result: r.result,
		dismissed: reg.Y15, x: reg.Y14,
	}
}

func (f *filter256) load(ctx *build.Context) error {
	ctx.LEAQ(f.table, f.tables)
	return nil
}

// filter returns the filter of the block in slot. It leaves the mask of the
// vectors kept there.
func (f *filter256) filter(slot reg.Register) *stream {
	var out stream
	row := func(n int) operand.Mem { return mem(f.tables, 32*n) }
	out.add(x86.VPXOR(f.dismissed, f.dismissed, f.dismissed))
	for n := range f.plan.Groups {
		g := &f.plan.Groups[n]
		out.add(x86.VMOVDQU(mem(slot, windowOffset(g.Start+g.Gap, len(g.Lanes))), f.x))
		switch {
		case g.B > g.A:
			out.add(x86.VPSRLD(operand.U8(g.B-g.A), f.x, f.x))
		case g.B < g.A:
			out.add(x86.VPSLLD(operand.U8(g.A-g.B), f.x, f.x))
		}
		out.add(x86.VPXOR(mem(slot, windowOffset(g.Start, len(g.Lanes))), f.x, f.x))
		out.add(x86.VPAND(row(g.A), f.x, f.x))
		if g.C == 0 { // fails where the bit is set, else where it is not
			out.add(x86.VPCMPEQD(row(g.A), f.x, f.x))
		} else {
			out.add(x86.VPCMPEQD(row(zero256), f.x, f.x))
		}
		out.add(x86.VPAND(row(lanes256+n), f.x, f.x))
		out.add(x86.VPOR(f.x, f.dismissed, f.dismissed))
	}
	// Or the lanes together.
	d, x := f.dismissed.AsX(), f.x.AsX()
	out.add(x86.VEXTRACTI128(operand.U8(1), f.dismissed, x))
	out.add(x86.VPOR(x, d, d))
	for _, order := range []operand.Constant{operand.U8(0x4e), operand.U8(0xb1)} {
		out.add(x86.VPSHUFD(order, d, x))
		out.add(x86.VPOR(x, d, d))
	}
	out.add(x86.VMOVD(d, f.result.As32()))
	out.add(x86.NOTL(f.result.As32()))
	out.add(x86.MOVL(f.result.As32(), mem(slot, slotMask)))
	return &out
}

// The rows of table256.
const (
	zero256  = 32
	lanes256 = 33
)

// table256 emits the 32 powers of two, each in all lanes, a row of zeros, and
// the masks of the groups' lanes in memory order.
func table256(ctx *build.Context, p *plan.Plan) operand.Mem {
	table := ctx.StaticGlobal("filter_" + p.Name)
	ctx.DataAttributes(dataAttributes)
	for row := range lanes256 {
		for range 8 {
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
