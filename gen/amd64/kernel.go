package amd64

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/sha1dc/go/internal/plan"
)

const (
	noSplit        = attr.NOSPLIT
	dataAttributes = attr.RODATA | attr.NOPTR
)

// chunkBlocks is the number of blocks whose survivors are rechecked together.
const chunkBlocks = 16

// filter is a filter of one block at a time.
type filter interface {
	// load emits what fills the registers that the filter keeps.
	load(ctx *build.Context) error
	// filter returns the filter of the block in the slot at slot+offset, which
	// leaves the mask of the vectors kept in the slot.
	filter(slot reg.Register, offset int) *stream
}

// filterRegisters are the general registers of a filter: addresses of tables,
// and one for its result.
type filterRegisters struct{ tables, more, result reg.GPPhysical }

// kernel describes a kernel with the SHA extensions.
type kernel struct {
	file     string
	name     string
	about    string // of the instructions that it needs
	plan     string
	filter   func(ctx *build.Context, p *plan.Plan, r filterRegisters) filter
	schedule schedule
	upper    bool // the filter leaves values in the upper halves of registers 0 to 15

	// from and to say over which part of the compression of one block the
	// filter of the block before is spread.
	from, to float64
}

// shaKernels lists the kernels with the SHA extensions. Those for Intel's
// processors differ in two ways: SHA1MSG2 is slow there, and so is any SSE
// instruction while the upper half of a register 0 to 15 is in use: an SHA
// instruction beside a filter of 256 bits took hundreds of cycles.
var shaKernels = []*kernel{
	{
		file: "avx512", name: "blocksSHANIAVX512", about: "the SHA extensions and an AVX-512 filter of 512 bits",
		plan: "avx512", filter: wideFilter, schedule: scheduleSHA, to: 1,
	},
	{
		file: "avx512_intel", name: "blocksSHANIAVX512Intel", about: "the SHA extensions and an AVX-512 filter of 256 bits",
		plan: "avx2", filter: wideFilter, schedule: scheduleWideAVX512, from: 0.3, to: 1,
	},
	{
		file: "avx2", name: "blocksSHANIAVX2", about: "the SHA extensions and an AVX2 filter of 256 bits",
		plan: "avx2", filter: narrowFilter(vex256), schedule: scheduleSHA, upper: true, to: 1,
	},
	{
		file: "avx2_intel", name: "blocksSHANIAVX2Intel", about: "the SHA extensions and an AVX filter of 128 bits",
		plan: "sse", filter: narrowFilter(vex128), schedule: scheduleWide, to: 1,
	},
	{
		file: "sse", name: "blocksSHANISSE", about: "the SHA extensions and an SSE4.1 filter of 128 bits",
		plan: "sse", filter: narrowFilter(legacy), schedule: scheduleSHA, to: 1,
	},
}

func wideFilter(ctx *build.Context, p *plan.Plan, r filterRegisters) filter {
	return newFilterAVX512(ctx, p, r)
}

func narrowFilter(e encoding) func(*build.Context, *plan.Plan, filterRegisters) filter {
	return func(ctx *build.Context, p *plan.Plan, r filterRegisters) filter {
		return newFilterNarrow(ctx, p, e, r)
	}
}

// emit emits the kernel with the filter of plan p.
func (k *kernel) emit(ctx *build.Context, p *plan.Plan) error {
	reverse := ctx.StaticGlobal("reverse")
	ctx.DataAttributes(dataAttributes)
	ctx.AppendDatum(operand.U64(0x08090a0b0c0d0e0f))
	ctx.AppendDatum(operand.U64(0x0001020304050607))
	f := k.filter(ctx, p, filterRegisters{tables: reg.R12, more: reg.R13, result: reg.RAX})

	ctx.Function(k.name)
	ctx.Doc(fmt.Sprintf("%s adds n blocks at p to the chaining value h, with", k.name),
		fmt.Sprintf("%s. It stops before a chunk of up to %d blocks that", k.about, chunkBlocks),
		"may hold an attack, and returns the number of blocks added.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(h *[5]uint32, p *byte, n int) (done int)")

	var (
		h, message = reg.RDI, reg.RSI
		left       = reg.RCX // blocks not yet added
		slot       = reg.R8
		count      = reg.R9 // blocks to come in the chunk
		chunk      = reg.R10
		slots      = reg.R11
	)
	words := []reg.VecPhysical{reg.X3, reg.X4, reg.X5, reg.X6, reg.X7, reg.X8, reg.X9, reg.X10, reg.X11}
	r := &shaRegisters{
		abcd: reg.X0, e: [2]reg.VecPhysical{reg.X1, reg.X2},
		w: words[:k.schedule.words()], shuffle: reg.X12, temp: reg.X13,
	}

	// One slot stands before the first, since the filter works on the block
	// before the one that is compressed, and half of one behind the last.
	args := ctx.AllocLocal(24)
	saved := ctx.AllocLocal(32)
	area := ctx.AllocLocal((chunkBlocks+2)*slotSize + 64)
	ctx.LEAQ(area.Offset(slotSize+63), slots)
	ctx.ANDQ(operand.I32(-64), slots)

	ctx.Load(ctx.Param("h"), h)
	ctx.Load(ctx.Param("p"), message)
	ctx.Load(ctx.Param("n"), left)
	ctx.MOVOU(mem(h, 0), r.abcd)
	ctx.PSHUFD(operand.U8(0x1b), r.abcd, r.abcd)
	ctx.PXOR(r.e[0], r.e[0])
	ctx.PINSRD(operand.U8(3), mem(h, 16), r.e[0])

	ctx.Label("chunk")
	ctx.MOVOU(reverse, r.shuffle)
	if err := f.load(ctx); err != nil {
		return err
	}
	ctx.MOVQ(operand.U32(chunkBlocks), chunk)
	ctx.CMPQ(left, chunk)
	ctx.CMOVQLT(left, chunk)
	ctx.MOVQ(chunk, count)
	ctx.MOVQ(slots, slot)

	ctx.Label("block")
	if err := emit(ctx, merge(compress(r, message, slot, k.schedule), f.filter(slot, -slotSize), k.from, k.to)); err != nil {
		return err
	}
	ctx.ADDQ(operand.U32(64), message)
	ctx.ADDQ(operand.U32(slotSize), slot)
	ctx.DECQ(count)
	ctx.JNE(operand.LabelRef("block"))

	ctx.MOVOU(r.abcd, mem(slot, slotIn))
	ctx.MOVOU(r.e[0], mem(slot, slotInE))
	if err := emit(ctx, f.filter(slot, -slotSize)); err != nil {
		return err
	}

	// The recheck keeps none of the registers.
	kept := []reg.Register{message, left, slots, chunk}
	for n, r := range kept {
		ctx.MOVQ(r, saved.Offset(8*n))
	}
	ctx.MOVQ(slots, args.Offset(0))
	ctx.MOVQ(chunk, args.Offset(8))
	if k.upper {
		ctx.VZEROUPPER()
	}
	ctx.CALL(operand.LabelRef("·recheckSHANI(SB)"))
	for n, r := range kept {
		ctx.MOVQ(saved.Offset(8*n), r)
	}
	ctx.CMPB(args.Offset(16), operand.U8(0))
	ctx.JNE(operand.LabelRef("hit"))
	ctx.IMUL3Q(operand.U32(slotSize), chunk, slot)
	ctx.ADDQ(slots, slot)
	ctx.MOVOU(mem(slot, slotIn), r.abcd)
	ctx.MOVOU(mem(slot, slotInE), r.e[0])
	ctx.SUBQ(chunk, left)
	ctx.JNE(operand.LabelRef("chunk"))
	ctx.JMP(operand.LabelRef("done"))

	ctx.Label("hit")
	ctx.MOVOU(mem(slots, slotIn), r.abcd)
	ctx.MOVOU(mem(slots, slotInE), r.e[0])
	ctx.Label("done")
	ctx.Load(ctx.Param("h"), h)
	ctx.PSHUFD(operand.U8(0x1b), r.abcd, r.abcd)
	ctx.MOVOU(r.abcd, mem(h, 0))
	ctx.PEXTRD(operand.U8(3), r.e[0], mem(h, 16))
	ctx.Load(ctx.Param("n"), reg.RAX)
	ctx.SUBQ(left, reg.RAX)
	ctx.Store(reg.RAX, ctx.Return("done"))
	ctx.RET()
	return nil
}
