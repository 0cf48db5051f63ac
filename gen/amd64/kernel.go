package amd64

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/sha1dc/go/gen/asm"
	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

const (
	noSplit        = attr.NOSPLIT
	dataAttributes = attr.RODATA | attr.NOPTR
)

// chunkBlocks is the number of blocks whose survivors are rechecked together.
const chunkBlocks = asm.ChunkBlocks

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
		plan: "avx512vl", filter: wideFilter, schedule: scheduleWideAVX512, from: 0.3, to: 1,
	},
	{
		file: "avx2", name: "blocksSHANIAVX2", about: "the SHA extensions and an AVX2 filter of 256 bits",
		plan: "avx2", filter: newFilter256, schedule: scheduleSHA, upper: true, to: 1,
	},
	{
		file: "avx2_intel", name: "blocksSHANIAVX2Intel", about: "the SHA extensions and an AVX filter of 128 bits",
		plan: "sse", filter: fourLanes(vex128), schedule: scheduleWide, to: 1,
	},
	{
		file: "sse", name: "blocksSHANISSE", about: "the SHA extensions and an SSE4.1 filter of 128 bits",
		plan: "sse", filter: fourLanes(legacy), schedule: scheduleSHA, to: 1,
	},
}

func wideFilter(ctx *build.Context, p *plan.Plan, r filterRegisters) filter {
	return newFilterAVX512(ctx, p, r)
}

func fourLanes(e encoding) func(*build.Context, *plan.Plan, filterRegisters) filter {
	return func(ctx *build.Context, p *plan.Plan, r filterRegisters) filter {
		return newFilter128(ctx, p, e, r)
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
		"may hold an attack with the message differences dm, and returns the number of",
		"blocks added.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(h *[5]uint32, p *byte, n int, dm *[32][80]uint32) (done int)")

	var (
		message = reg.RSI
		slot    = reg.R8
		count   = reg.R9 // blocks to come in the chunk
		chunk   = reg.R10
		slots   = reg.R11 // of the chunk
		before  = reg.R14 // slots of the chunk before
		jobs    = reg.RBX // rechecks of the chunk before that are still to be done
		job     = reg.RDX // address of the next
		left    = reg.RCX // blocks not yet compressed; in memory while blocks are compressed
		scratch = reg.RAX
		mask    = reg.R9
	)
	// A recheck rides along with the compression of a block: neither of the two
	// chains of rounds can fill the processor's SHA unit alone.
	rider := &recheckChain{
		slot: reg.RDI, dm: reg.RCX,
		abcd: reg.X8, e: [2]reg.VecPhysical{reg.X9, reg.X10}, x: reg.X11,
	}
	r := &shaRegisters{
		abcd: reg.X0, e: [2]reg.VecPhysical{reg.X1, reg.X2},
		w:       []reg.VecPhysical{reg.X3, reg.X4, reg.X5, reg.X6, reg.X7}[:k.schedule.words()],
		shuffle: reg.X12, temp: reg.X13,
	}
	const (
		area    = (chunkBlocks + 2) * slotSize
		maxJobs = chunkBlocks
	)
	args := ctx.AllocLocal(32)
	saved := ctx.AllocLocal(8 * 7)
	leftMem := saved.Offset(40)
	prevMem := saved.Offset(48) // blocks of the chunk before that are not yet confirmed
	list := ctx.AllocLocal(16 * maxJobs)
	areas := ctx.AllocLocal(2*area + 64)
	ctx.LEAQ(areas.Offset(slotSize+63), slots)
	ctx.ANDQ(operand.I32(-64), slots)
	ctx.LEAQ(mem(slots, area), before)

	ctx.Load(ctx.Param("h"), scratch)
	ctx.Load(ctx.Param("p"), message)
	ctx.Load(ctx.Param("n"), left)
	ctx.MOVOU(mem(scratch, 0), r.abcd)
	ctx.PSHUFD(operand.U8(0x1b), r.abcd, r.abcd)
	ctx.PXOR(r.e[0], r.e[0])
	ctx.PINSRD(operand.U8(3), mem(scratch, 16), r.e[0])
	ctx.XORL(jobs.As32(), jobs.As32())
	ctx.MOVQ(jobs, prevMem)

	// recheck rechecks n blocks in area at once, and goes to hit if one is
	// attacked. It has to load the chaining value of the newest block again.
	recheck := func(area, n operand.Op, hit string) {
		kept := []reg.Register{message, slots, before, chunk}
		ctx.MOVQ(area, args.Offset(0))
		ctx.MOVQ(n, args.Offset(8))
		ctx.Load(ctx.Param("dm"), scratch)
		ctx.MOVQ(scratch, args.Offset(16))
		for n, r := range kept {
			ctx.MOVQ(r, saved.Offset(8*n))
		}
		ctx.CALL(operand.LabelRef("·recheckSHANI(SB)"))
		for n, r := range kept {
			ctx.MOVQ(saved.Offset(8*n), r)
		}
		ctx.CMPB(args.Offset(24), operand.U8(0))
		ctx.JNE(operand.LabelRef(hit))
		ctx.XORL(jobs.As32(), jobs.As32())
		ctx.IMUL3Q(operand.U32(slotSize), chunk, slot)
		ctx.ADDQ(slots, slot)
		ctx.MOVOU(mem(slot, slotIn), r.abcd)
		ctx.MOVOU(mem(slot, slotInE), r.e[0])
	}

	ctx.Label("chunk")
	ctx.MOVOU(reverse, r.shuffle)
	if err := f.load(ctx); err != nil {
		return err
	}
	ctx.MOVQ(operand.U32(chunkBlocks), chunk)
	ctx.CMPQ(left, chunk)
	ctx.CMOVQLT(left, chunk)
	ctx.SUBQ(chunk, left)
	ctx.MOVQ(left, leftMem)
	ctx.MOVQ(chunk, count)
	ctx.MOVQ(slots, slot)
	ctx.LEAQ(list, job)
	ctx.TESTQ(jobs, jobs)
	ctx.JE(operand.LabelRef("block"))

	one := func() *stream {
		return merge(compress(r, message, slot, k.schedule), f.filter(slot, -slotSize), k.from, k.to)
	}
	ctx.Label("rider")
	ctx.MOVQ(mem(job, 0), rider.slot)
	ctx.MOVQ(mem(job, 8), rider.dm)
	if err := emit(ctx, merge(one(), rider.twin(60), 0, 1)); err != nil {
		return err
	}
	ctx.PTEST(rider.x, rider.x)
	ctx.JE(operand.LabelRef("hitBefore"))
	ctx.ADDQ(operand.U32(64), message)
	ctx.ADDQ(operand.U32(slotSize), slot)
	ctx.ADDQ(operand.U32(16), job)
	ctx.DECQ(jobs)
	ctx.JE(operand.LabelRef("lastRider"))
	ctx.DECQ(count)
	ctx.JNE(operand.LabelRef("rider"))
	ctx.JMP(operand.LabelRef("compressed"))
	ctx.Label("lastRider")
	ctx.DECQ(count)
	ctx.JE(operand.LabelRef("compressed"))

	ctx.Label("block")
	if err := emit(ctx, one()); err != nil {
		return err
	}
	ctx.ADDQ(operand.U32(64), message)
	ctx.ADDQ(operand.U32(slotSize), slot)
	ctx.DECQ(count)
	ctx.JNE(operand.LabelRef("block"))

	ctx.Label("compressed")
	ctx.MOVOU(r.abcd, mem(slot, slotIn))
	ctx.MOVOU(r.e[0], mem(slot, slotInE))
	if err := emit(ctx, f.filter(slot, -slotSize)); err != nil {
		return err
	}
	if k.upper {
		ctx.VZEROUPPER()
	}
	ctx.TESTQ(jobs, jobs)
	ctx.JE(operand.LabelRef("scan"))
	ctx.MOVQ(prevMem, scratch)
	recheck(before, scratch, "hitBefore")

	// List the rechecks that can ride along with the next chunk.
	ctx.Label("scan")
	ctx.MOVQ(slots, slot)
	ctx.MOVQ(chunk, rider.slot) // slots to scan
	ctx.LEAQ(list, job)
	ctx.Load(ctx.Param("dm"), scratch)
	_, vectors := asm.TestSteps()
	ctx.Label("scanSlot")
	ctx.MOVL(mem(slot, slotMask), mask.As32())
	ctx.TESTL(mask.As32(), mask.As32())
	ctx.JNE(operand.LabelRef("scanMask"))
	ctx.Label("scanNext")
	ctx.ADDQ(operand.U32(slotSize), slot)
	ctx.DECQ(rider.slot)
	ctx.JNE(operand.LabelRef("scanSlot"))
	ctx.MOVQ(leftMem, left)
	ctx.TESTQ(left, left)
	ctx.JNE(operand.LabelRef("next"))
	ctx.TESTQ(jobs, jobs)
	ctx.JE(operand.LabelRef("next"))

	ctx.Label("direct")
	recheck(slots, chunk, "hit")

	ctx.Label("next")
	ctx.MOVQ(chunk, prevMem)
	ctx.XCHGQ(slots, before)
	ctx.MOVQ(leftMem, left)
	ctx.TESTQ(left, left)
	ctx.JNE(operand.LabelRef("chunk"))
	ctx.JMP(operand.LabelRef("done"))

	ctx.Label("scanMask")
	ctx.TESTL(operand.U32(^uint32(vectors[60])), mask.As32())
	ctx.JNE(operand.LabelRef("direct"))
	ctx.Label("scanVector")
	ctx.CMPQ(jobs, operand.U32(maxJobs))
	ctx.JEQ(operand.LabelRef("direct"))
	ctx.BSFL(mask.As32(), rider.dm.As32())
	ctx.IMUL3Q(operand.U32(4*dvs.Steps), rider.dm, rider.dm)
	ctx.ADDQ(scratch, rider.dm)
	ctx.MOVQ(slot, mem(job, 0))
	ctx.MOVQ(rider.dm, mem(job, 8))
	ctx.ADDQ(operand.U32(16), job)
	ctx.INCQ(jobs)
	ctx.LEAL(operand.Mem{Base: mask, Disp: -1}, rider.dm.As32())
	ctx.ANDL(rider.dm.As32(), mask.As32())
	ctx.JNE(operand.LabelRef("scanVector"))
	ctx.JMP(operand.LabelRef("scanNext"))

	ctx.Label("hitBefore")
	if k.upper {
		ctx.VZEROUPPER()
	}
	ctx.MOVQ(leftMem, left)
	ctx.ADDQ(chunk, left)
	ctx.ADDQ(prevMem, left)
	ctx.MOVOU(mem(before, slotIn), r.abcd)
	ctx.MOVOU(mem(before, slotInE), r.e[0])
	ctx.JMP(operand.LabelRef("done"))
	ctx.Label("hit")
	ctx.MOVQ(leftMem, left)
	ctx.ADDQ(chunk, left)
	ctx.MOVOU(mem(slots, slotIn), r.abcd)
	ctx.MOVOU(mem(slots, slotInE), r.e[0])
	ctx.Label("done")
	ctx.Load(ctx.Param("h"), scratch)
	ctx.PSHUFD(operand.U8(0x1b), r.abcd, r.abcd)
	ctx.MOVOU(r.abcd, mem(scratch, 0))
	ctx.PEXTRD(operand.U8(3), r.e[0], mem(scratch, 16))
	ctx.Load(ctx.Param("n"), scratch)
	ctx.SUBQ(left, scratch)
	ctx.Store(scratch, ctx.Return("done"))
	ctx.RET()
	return k.emitFilter(ctx, f)
}

// emitFilter emits the kernel's filter as a function of its own. Only tests
// call it, so the linker leaves it out of programs.
func (k *kernel) emitFilter(ctx *build.Context, f filter) error {
	name := strings.Replace(k.name, "blocks", "filter", 1)
	ctx.Function(name)
	ctx.Doc(fmt.Sprintf("%s is the filter of %s: it leaves in slot, which holds an", name, k.name),
		"expanded message, the mask of the vectors kept.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(slot *byte)")
	ctx.Attributes(noSplit)
	ctx.Load(ctx.Param("slot"), reg.R8)
	if err := f.load(ctx); err != nil {
		return err
	}
	if err := emit(ctx, f.filter(reg.R8, 0)); err != nil {
		return err
	}
	if k.upper {
		ctx.VZEROUPPER()
	}
	ctx.RET()
	return nil
}
