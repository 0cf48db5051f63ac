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

// filter is a filter of one block at a time.
type filter interface {
	// load emits what fills the registers that the filter keeps.
	load(ctx *build.Context) error
	// filter returns the filter of the block in slot, which leaves the mask of the
	// vectors kept there.
	filter(slot reg.Register) *stream
}

// splitFilter is a filter that can be split, since most blocks need only a part.
type splitFilter interface {
	filter
	// first returns the tests that leave the mask of the vectors that the first n
	// groups keep, and rest those that leave what of it the others keep.
	first(slot reg.Register, n int) *stream
	rest(slot reg.Register, n int) *stream
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

	// first is the number of groups that test every block, if the others test
	// what these keep.
	first int
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
		plan: "sse", filter: fourLanes(vex128), schedule: scheduleWide, to: 0.85, first: 24,
	},
	{
		file: "sse", name: "blocksSHANISSE", about: "the SHA extensions and an SSE4.1 filter of 128 bits",
		plan: "sse", filter: fourLanes(legacy), schedule: scheduleSHA, from: 0.1, to: 0.9, first: 24,
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

// ringSlots is the number of slots that a kernel has: for the block that it
// compresses, the one before, which it filters, and the one before that, which
// may have to be rechecked.
const ringSlots = 3

// loop is a kernel under construction: its registers, but for those of the
// filter, and what it keeps in memory.
type loop struct {
	*build.Context
	kernel *kernel
	filter filter
	sha    *shaRegisters
	rider  *recheckChain

	message     reg.GPPhysical
	data        reg.GPPhysical // blocks to come at p
	tail        reg.GPPhysical // those that follow them
	count       reg.GPPhysical // blocks to come, with the newest until it is done with
	slot        reg.GPPhysical // of the next block
	before      reg.GPPhysical // of the newest block
	older       reg.GPPhysical // of the one before it
	ring, limit reg.GPPhysical // where the slots begin and end
	result      reg.GPPhysical
	scratch     reg.GPPhysical

	arguments operand.Mem // of recheckSHANI
	saved     operand.Mem // registers
}

// emit emits the kernel with the filter of plan p.
func (k *kernel) emit(ctx *build.Context, p *plan.Plan) error {
	reverse := ctx.StaticGlobal("reverse")
	ctx.DataAttributes(dataAttributes)
	ctx.AppendDatum(operand.U64(0x08090a0b0c0d0e0f))
	ctx.AppendDatum(operand.U64(0x0001020304050607))
	f := k.filter(ctx, p, filterRegisters{tables: reg.R12, more: reg.R13, result: reg.RAX})

	ctx.Function(k.name)
	ctx.Doc(fmt.Sprintf("%s adds n blocks at p, and m blocks at tail behind them, to the", k.name),
		fmt.Sprintf("chaining value h, with %s.", k.about),
		"It stops before the first block that may be an attack with the message",
		"differences dm, and returns the number of blocks added. The last of them is not",
		"looked at if clear is 1.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(h *[5]uint32, p *byte, n int, tail *byte, m int, clear int, dm *[32][80]uint32) (done int)")
	l := &loop{
		Context: ctx, kernel: k, filter: f,
		// A recheck rides along with the compression of a block: neither of the two
		// chains of rounds can fill the processor's SHA unit alone.
		rider: &recheckChain{
			slot: reg.R10, next: reg.R9, dm: reg.RCX,
			abcd: reg.X8, e: [2]reg.VecPhysical{reg.X9, reg.X10}, x: reg.X11,
		},
		sha: &shaRegisters{
			abcd: reg.X0, e: [2]reg.VecPhysical{reg.X1, reg.X2},
			w:       []reg.VecPhysical{reg.X3, reg.X4, reg.X5, reg.X6, reg.X7}[:k.schedule.words()],
			shuffle: reg.X12, temp: reg.X13,
		},
		message: reg.RSI, data: reg.RDX, tail: reg.R14, count: reg.RBX,
		slot: reg.R8, before: reg.R9, older: reg.R10, ring: reg.R11, limit: reg.RDI,
		result: reg.RAX, scratch: reg.RCX,
		arguments: ctx.AllocLocal(32), saved: ctx.AllocLocal(8 * 8),
	}
	if err := l.start(reverse); err != nil {
		return err
	}
	if err := l.blocks(); err != nil {
		return err
	}
	if err := l.end(); err != nil {
		return err
	}
	if err := l.survivors(reverse); err != nil {
		return err
	}
	l.finish()
	return k.emitFilter(ctx, f)
}

// start loads what the kernel keeps in registers, and adds the first block.
func (l *loop) start(reverse operand.Mem) error {
	areas := l.AllocLocal((ringSlots+1)*slotSize + 64)
	l.LEAQ(areas.Offset(63), l.ring)
	l.ANDQ(operand.I32(-64), l.ring)
	l.LEAQ(mem(l.ring, ringSlots*slotSize), l.limit)
	l.MOVQ(l.ring, l.slot)

	l.Load(l.Param("h"), l.scratch)
	l.MOVOU(mem(l.scratch, 0), l.sha.abcd)
	l.PSHUFD(operand.U8(0x1b), l.sha.abcd, l.sha.abcd)
	l.PXOR(l.sha.e[0], l.sha.e[0])
	l.PINSRD(operand.U8(3), mem(l.scratch, 16), l.sha.e[0])
	l.Load(l.Param("p"), l.message)
	l.Load(l.Param("n"), l.data)
	l.Load(l.Param("tail"), l.tail)
	l.Load(l.Param("m"), l.count)
	l.ADDQ(l.data, l.count)
	l.JE(operand.LabelRef("finish"))
	if err := l.constants(reverse); err != nil {
		return err
	}
	l.nextMessage()
	if err := emit(l.Context, compress(l.sha, l.message, l.slot, l.kernel.schedule)); err != nil {
		return err
	}
	l.advance()
	l.DECQ(l.count)
	l.JE(operand.LabelRef("end"))
	return nil
}

// parameter returns where a parameter is in memory.
func (l *loop) parameter(name string) operand.Mem {
	p, err := l.Param(name).Resolve()
	if err != nil {
		panic(err) // names are constant
	}
	return p.Addr
}

// constants loads what a call of recheckSHANI does not keep.
func (l *loop) constants(reverse operand.Mem) error {
	l.MOVOU(reverse, l.sha.shuffle)
	return l.filter.load(l.Context)
}

// nextMessage goes from the last block at p to the first at tail.
func (l *loop) nextMessage() {
	l.SUBQ(operand.U32(1), l.data)
	l.CMOVQCS(l.tail, l.message)
}

// advance goes on to the next block and slot.
func (l *loop) advance() {
	l.ADDQ(operand.U32(64), l.message)
	l.MOVQ(l.before, l.older)
	l.MOVQ(l.slot, l.before)
	l.ADDQ(operand.U32(slotSize), l.slot)
	l.CMPQ(l.slot, l.limit)
	l.CMOVQEQ(l.ring, l.slot)
}

// parts returns the filter of the block in a slot: its only part, or its two.
func (k *kernel) parts(f filter, slot reg.Register) []*stream {
	if k.first == 0 {
		return []*stream{f.filter(slot)}
	}
	s := f.(splitFilter)
	return []*stream{s.first(slot, k.first), s.rest(slot, k.first)}
}

// block returns the compression of a block beside the filter of the one before,
// or the first part of that.
func (l *loop) block() *stream {
	k := l.kernel
	return merge(compress(l.sha, l.message, l.slot, k.schedule), k.parts(l.filter, l.before)[0], k.from, k.to)
}

// kept is the label to go on at if block leaves a mask that is not empty.
func (l *loop) kept() operand.LabelRef {
	if l.kernel.first > 0 {
		return "rest"
	}
	return "survivor"
}

// blocks adds the blocks behind the first, once without and once with a recheck
// beside it. It leaves for kept if the filter keeps a vector.
func (l *loop) blocks() error {
	l.Label("block")
	l.nextMessage()
	if err := emit(l.Context, l.block()); err != nil {
		return err
	}
	l.advance()
	l.TESTL(l.result.As32(), l.result.As32())
	l.JNE(l.kept())
	l.DECQ(l.count)
	l.JNE(operand.LabelRef("block"))
	return nil
}

// end filters the last block.
func (l *loop) end() error {
	l.Label("end")
	l.Load(l.Param("clear"), l.scratch)
	l.TESTQ(l.scratch, l.scratch)
	l.JNE(operand.LabelRef("finish"))
	for _, part := range l.kernel.parts(l.filter, l.before) {
		if err := emit(l.Context, part); err != nil {
			return err
		}
		l.TESTL(l.result.As32(), l.result.As32())
		l.JE(operand.LabelRef("finish"))
	}
	l.store(l.slot)
	l.advance() // count is 0
	l.JMP(operand.LabelRef("direct"))
	return nil
}

// store stores the chaining value as the incoming one of a slot.
func (l *loop) store(slot reg.Register) {
	l.MOVOU(l.sha.abcd, mem(slot, slotIn))
	l.MOVOU(l.sha.e[0], mem(slot, slotInE))
}

// load loads the incoming chaining value of a slot.
func (l *loop) load(slot reg.Register) {
	l.MOVOU(mem(slot, slotIn), l.sha.abcd)
	l.MOVOU(mem(slot, slotInE), l.sha.e[0])
}

// survivors rechecks the block in older: beside the next block if there is one,
// and only one vector to recheck, with the usual test step.
func (l *loop) survivors(reverse operand.Mem) error {
	_, vectors := asm.TestSteps()
	mask := l.result
	parts := l.kernel.parts(l.filter, l.older)
	if len(parts) > 1 {
		l.Label("rest")
		if err := emit(l.Context, parts[1]); err != nil {
			return err
		}
		l.TESTL(mask.As32(), mask.As32())
		l.JE(operand.LabelRef("dismissed"))
	}
	l.Label("survivor")
	l.CMPQ(l.count, operand.U32(1))
	l.JEQ(operand.LabelRef("direct"))
	l.LEAL(operand.Mem{Base: mask, Disp: -1}, l.scratch.As32())
	l.ORL(operand.U32(^uint32(vectors[60])), l.scratch.As32())
	l.TESTL(l.scratch.As32(), mask.As32())
	l.JNE(operand.LabelRef("direct"))
	l.BSFL(mask.As32(), l.rider.dm.As32())
	l.IMUL3Q(operand.U32(4*dvs.Steps), l.rider.dm, l.rider.dm)
	l.ADDQ(l.parameter("dm"), l.rider.dm)
	l.nextMessage()
	if err := emit(l.Context, merge(l.block(), l.rider.twin(60), 0, 1)); err != nil {
		return err
	}
	l.PTEST(l.rider.x, l.rider.x)
	l.JE(operand.LabelRef("hit"))
	l.DECQ(l.count)
	l.advance()
	l.TESTL(mask.As32(), mask.As32())
	l.JNE(l.kept())
	if len(parts) > 1 {
		l.Label("dismissed")
	}
	l.DECQ(l.count)
	l.JNE(operand.LabelRef("block"))
	l.JMP(operand.LabelRef("end"))

	l.Label("direct")
	if l.kernel.upper {
		l.VZEROUPPER()
	}
	l.store(l.slot)
	// Behind the last slot of the ring comes the first.
	l.load(l.before)
	l.MOVOU(l.sha.abcd, mem(l.older, slotSize+slotIn))
	l.MOVOU(l.sha.e[0], mem(l.older, slotSize+slotInE))
	kept := []reg.Register{l.message, l.data, l.tail, l.count, l.slot, l.before, l.older, l.ring}
	for n, r := range kept {
		l.MOVQ(r, l.saved.Offset(8*n))
	}
	l.MOVQ(l.older, l.arguments.Offset(0))
	l.MOVQ(operand.U32(1), l.arguments.Offset(8))
	l.Load(l.Param("dm"), l.scratch)
	l.MOVQ(l.scratch, l.arguments.Offset(16))
	l.CALL(operand.LabelRef("·recheckSHANI(SB)"))
	for n, r := range kept {
		l.MOVQ(l.saved.Offset(8*n), r)
	}
	l.LEAQ(mem(l.ring, ringSlots*slotSize), l.limit)
	l.CMPB(l.arguments.Offset(24), operand.U8(0))
	l.JNE(operand.LabelRef("hit"))
	l.load(l.slot)
	if err := l.constants(reverse); err != nil {
		return err
	}
	l.TESTQ(l.count, l.count)
	l.JE(operand.LabelRef("finish"))
	l.DECQ(l.count)
	l.JNE(operand.LabelRef("block"))
	l.JMP(operand.LabelRef("end"))

	l.Label("hit")
	l.INCQ(l.count)
	l.load(l.older)
	return nil
}

// finish stores the results. So many blocks as count says were not added.
func (l *loop) finish() {
	l.Label("finish")
	if l.kernel.upper {
		l.VZEROUPPER()
	}
	l.Load(l.Param("h"), l.scratch)
	l.PSHUFD(operand.U8(0x1b), l.sha.abcd, l.sha.abcd)
	l.MOVOU(l.sha.abcd, mem(l.scratch, 0))
	l.PEXTRD(operand.U8(3), l.sha.e[0], mem(l.scratch, 16))
	l.Load(l.Param("n"), l.scratch)
	l.ADDQ(l.parameter("m"), l.scratch)
	l.SUBQ(l.count, l.scratch)
	l.Store(l.scratch, l.Return("done"))
	l.RET()
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
	for _, part := range k.parts(f, reg.R8) {
		if err := emit(ctx, part); err != nil {
			return err
		}
	}
	if k.upper {
		ctx.VZEROUPPER()
	}
	ctx.RET()
	return nil
}
