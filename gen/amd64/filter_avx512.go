package amd64

import (
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/plan"
)

// The AVX-512 filter keeps to the registers 16 to 31: writing to them leaves no
// state that slows down the SSE instructions of the compression beside it.
//
// With 16 lanes almost every window straddles two cache lines, so windows that
// groups share stay in registers, and so do the bits that several groups test.
// With 8 lanes, in registers of 256 bits, there are more groups, but Intel's
// processors run them beside the SHA instructions on three ports instead of
// two.
type filterAVX512 struct {
	plan        *plan.Plan
	lanes, bits reg.GPPhysical // addresses of the tables
	result      reg.GPPhysical

	laneTable, bitTable operand.Mem

	dismissed [2]reg.Register
	constants map[int]reg.Register // by bit position
	free      []reg.Register       // for windows and intermediate values
	order     []int                // the groups in the order of their windows
}

// newFilterAVX512 emits the tables of the filter of p and returns it.
func newFilterAVX512(ctx *build.Context, p *plan.Plan, r filterRegisters) *filterAVX512 {
	f := &filterAVX512{
		plan: p, lanes: r.tables, bits: r.more, result: r.result,
		laneTable: laneTable(ctx, p), bitTable: bitTable(ctx),
	}
	var registers []reg.Register
	for _, r := range []reg.VecPhysical{
		reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
		reg.X24, reg.X25, reg.X26, reg.X27, reg.X28, reg.X29, reg.X30, reg.X31,
	} {
		if f.lanesPerGroup() == 16 {
			registers = append(registers, r.AsZ())
		} else {
			registers = append(registers, r.AsY())
		}
	}
	take := func() reg.Register {
		r := registers[0]
		registers = registers[1:]
		return r
	}
	f.dismissed = [2]reg.Register{take(), take()}
	uses := make(map[int]int)
	for _, g := range p.Groups {
		uses[g.A]++
	}
	f.constants = make(map[int]reg.Register)
	for bit := range 32 {
		if uses[bit] > 1 {
			f.constants[bit] = take()
		}
	}
	f.free = registers

	for n := range p.Groups {
		f.order = append(f.order, n)
	}
	slices.SortStableFunc(f.order, func(a, b int) int {
		g, h := &p.Groups[a], &p.Groups[b]
		return slices.Compare([]int{g.Start, g.Gap}, []int{h.Start, h.Gap})
	})
	return f
}

func (f *filterAVX512) lanesPerGroup() int { return len(f.plan.Groups[0].Lanes) }

func (f *filterAVX512) load(ctx *build.Context) error {
	f.alignLaneTable(ctx)
	ctx.LEAQ(f.bitTable, f.bits)
	for bit := range 32 {
		if r, ok := f.constants[bit]; ok {
			ctx.VPBROADCASTD(mem(f.bits, 4*bit), r)
		}
	}
	return nil
}

// windows hands out registers for windows of words and intermediate values.
type windows struct {
	free []reg.Register
	held map[int]reg.Register // by first word
	last map[int]int          // step of the last use of a window
}

// take returns a free register, dropping at need the window that is not used
// for the longest time.
func (w *windows) take() reg.Register {
	if len(w.free) == 0 {
		victim := -1
		for start := range 80 { // in order, for determinism
			if _, ok := w.held[start]; ok && (victim < 0 || w.last[start] > w.last[victim]) {
				victim = start
			}
		}
		w.release(victim)
	}
	r := w.free[0]
	w.free = w.free[1:]
	return r
}

func (w *windows) release(start int) {
	w.free = append(w.free, w.held[start])
	delete(w.held, start)
}

// filter returns the filter of the block in slot. It leaves the mask of the
// vectors kept there.
func (f *filterAVX512) filter(slot reg.Register) *stream {
	var out stream
	lanes := f.lanesPerGroup()
	w := &windows{free: slices.Clone(f.free), held: make(map[int]reg.Register), last: make(map[int]int)}
	for at, n := range f.order {
		g := &f.plan.Groups[n]
		w.last[g.Start], w.last[g.Start+g.Gap] = at, at
	}
	window := func(start int) reg.Register {
		if r, ok := w.held[start]; ok {
			return r
		}
		r := w.take()
		w.held[start] = r
		out.add(x86.VMOVDQU32(mem(slot, windowOffset(start, lanes)), r))
		return r
	}
	masks := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}
	for at, n := range f.order {
		g := &f.plan.Groups[n]
		first, second := window(g.Start), window(g.Start+g.Gap)
		x := w.take()
		if g.Shifted() {
			out.add(x86.VPRORD(operand.U8((g.B-g.A)&31), second, x))
			out.add(x86.VPXORD(first, x, x))
		} else {
			out.add(x86.VPXORD(first, second, x))
		}
		for _, start := range []int{g.Start, g.Start + g.Gap} {
			if w.last[start] == at {
				w.release(start)
			}
		}
		w.free = append(w.free, x)

		k := masks[at%len(masks)]
		constant, ok := f.constants[g.A]
		switch {
		case ok && g.C == 0:
			out.add(x86.VPTESTMD(constant, x, k))
		case ok:
			out.add(x86.VPTESTNMD(constant, x, k))
		case g.C == 0:
			out.add(x86.VPTESTMD_BCST(mem(f.bits, 4*g.A), x, k))
		default:
			out.add(x86.VPTESTNMD_BCST(mem(f.bits, 4*g.A), x, k))
		}
		table, d := mem(f.lanes, 4*lanes*n), f.dismissed[at%2]
		if at < 2 {
			out.add(x86.VMOVDQU32_Z(table, k, d))
		} else {
			out.add(x86.VPORD(table, d, k, d))
		}
	}
	out.append(f.fold(slot))
	return &out
}

// fold ors the lanes together and stores the vectors that none of them
// dismisses.
func (f *filterAVX512) fold(slot reg.Register) *stream {
	var out stream
	out.add(x86.VPORD(f.dismissed[1], f.dismissed[0], f.dismissed[0]))
	if f.lanesPerGroup() == 16 {
		out.add(x86.VEXTRACTI64X4(operand.U8(1), reg.Z16, reg.Y17))
		out.add(x86.VPORD(reg.Y17, reg.Y16, reg.Y16))
	}
	out.add(x86.VEXTRACTI32X4(operand.U8(1), reg.Y16, reg.X17))
	out.add(x86.VPORD(reg.X17, reg.X16, reg.X16))
	out.add(x86.VPSHUFD(operand.U8(0x4e), reg.X16, reg.X17))
	out.add(x86.VPORD(reg.X17, reg.X16, reg.X16))
	out.add(x86.VPSHUFD(operand.U8(0xb1), reg.X16, reg.X17))
	out.add(x86.VPORD(reg.X17, reg.X16, reg.X16))
	out.add(x86.VMOVD(reg.X16, f.result.As32()))
	out.add(x86.NOTL(f.result.As32()))
	out.add(x86.MOVL(f.result.As32(), mem(slot, slotMask)))
	return &out
}

// windowOffset returns where a window of consecutive words stands in a slot.
func windowOffset(start, lanes int) int { return slotLayout.Window(start, lanes) }

// laneTable emits the masks of all lanes in memory order, 4 bytes a lane. It
// stands there twice, half a cache line apart, so that one copy is aligned to
// cache lines wherever the linker places it; alignLaneTable picks that one.
func laneTable(ctx *build.Context, p *plan.Plan) operand.Mem {
	table := ctx.StaticGlobal("lanes_" + p.Name)
	ctx.DataAttributes(dataAttributes)
	for copies := range 2 {
		for n := range p.Groups {
			lanes := p.Groups[n].Lanes
			for l := range lanes {
				ctx.AppendDatum(operand.U32(lanes[len(lanes)-1-l].DVs))
			}
		}
		if copies == 0 {
			for range 8 {
				ctx.AppendDatum(operand.U32(0))
			}
		}
	}
	return table
}

// alignLaneTable leaves the address of the aligned copy in f.lanes. The linker
// aligns symbols of this size to 32 bytes.
func (f *filterAVX512) alignLaneTable(ctx *build.Context) {
	size := 4*len(f.plan.Groups)*f.lanesPerGroup() + 32
	ctx.LEAQ(f.laneTable, f.lanes)
	ctx.LEAQ(mem(f.lanes, size), f.bits)
	ctx.TESTQ(operand.U32(32), f.lanes)
	ctx.CMOVQNE(f.bits, f.lanes)
}

// bitTable emits the 32 powers of two.
func bitTable(ctx *build.Context) operand.Mem {
	table := ctx.StaticGlobal("bits")
	ctx.DataAttributes(dataAttributes)
	for n := range 32 {
		ctx.AppendDatum(operand.U32(1 << n))
	}
	return table
}
