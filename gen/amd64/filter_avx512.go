package amd64

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/plan"
)

// filterRegisters are the general registers of a filter.
type filterRegisters struct {
	lanes, bits, result reg.GPPhysical // tables of laneTable and bitTable
}

// filterAVX512 returns the filter of plan p on the slot at the given register.
// It leaves the mask of the vectors kept in the slot. It uses Z16 to Z27,
// and K1 to K7; writing Z16 and above leaves no state that would slow
// down the SSE instructions beside it.
func filterAVX512(p *plan.Plan, slot reg.Register, offset int, r filterRegisters) *stream {
	var out stream
	dismissed := []reg.VecPhysical{reg.Z16, reg.Z17}
	temps := []reg.VecPhysical{reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23}
	masks := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}
	for n := range p.Groups {
		g := &p.Groups[n]
		x, k := temps[n%len(temps)], masks[n%len(masks)]
		first := mem(slot, offset+windowOffset(g.Start, len(g.Lanes)))
		second := mem(slot, offset+windowOffset(g.Start+g.Gap, len(g.Lanes)))
		if g.Shifted() {
			out.add(x86.VPRORD(operand.U8((g.B-g.A)&31), second, x))
			out.add(x86.VPXORD(first, x, x))
		} else {
			out.add(x86.VMOVDQU32(first, x))
			out.add(x86.VPXORD(second, x, x))
		}
		if g.C == 0 {
			out.add(x86.VPTESTMD_BCST(mem(r.bits, 4*g.A), x, k))
		} else {
			out.add(x86.VPTESTNMD_BCST(mem(r.bits, 4*g.A), x, k))
		}
		lanes := mem(r.lanes, 64*n)
		d := dismissed[n%2]
		if n < 2 {
			out.add(x86.VMOVDQU32_Z(lanes, k, d))
		} else {
			out.add(x86.VPORD(lanes, d, k, d))
		}
	}
	out.add(x86.VPORD(dismissed[1], dismissed[0], dismissed[0]))
	out.add(x86.VEXTRACTI64X4(operand.U8(1), reg.Z16, reg.Y17))
	out.add(x86.VPORD(reg.Y17, reg.Y16, reg.Y16))
	out.add(x86.VEXTRACTI32X4(operand.U8(1), reg.Y16, reg.X17))
	out.add(x86.VPORD(reg.X17, reg.X16, reg.X16))
	out.add(x86.VPSHUFD(operand.U8(0x4e), reg.X16, reg.X17))
	out.add(x86.VPORD(reg.X17, reg.X16, reg.X16))
	out.add(x86.VPSHUFD(operand.U8(0xb1), reg.X16, reg.X17))
	out.add(x86.VPORD(reg.X17, reg.X16, reg.X16))
	out.add(x86.VMOVD(reg.X16, r.result.As32()))
	out.add(x86.NOTL(r.result.As32()))
	out.add(x86.MOVL(r.result.As32(), mem(slot, offset+slotMask)))
	return &out
}

// windowOffset returns where a window of consecutive words stands in a slot.
func windowOffset(start, lanes int) int { return slotW + 4*(79-(start+lanes-1)) }

// laneTable returns the masks of all lanes in memory order, 4 bytes a lane.
func laneTable(ctx *build.Context, p *plan.Plan) operand.Mem {
	table := ctx.StaticGlobal("lanes_" + p.Name)
	ctx.DataAttributes(dataAttributes)
	for n := range p.Groups {
		lanes := p.Groups[n].Lanes
		for l := range lanes {
			ctx.AppendDatum(operand.U32(lanes[len(lanes)-1-l].DVs))
		}
	}
	return table
}

// bitTable returns the 32 powers of two.
func bitTable(ctx *build.Context) operand.Mem {
	table := ctx.StaticGlobal("bits")
	ctx.DataAttributes(dataAttributes)
	for n := range 32 {
		ctx.AppendDatum(operand.U32(1 << n))
	}
	return table
}
