package amd64

import (
	"errors"
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// batch is the number of blocks that are expanded and filtered side by side,
// one a lane.
const batch = 8

// The kernel's area on the stack. The words of a batch stand side by side,
// those of step t at 32*t; those of a single block one after the other.
const (
	areaSum   = 0                               // words plus constants
	areaWord  = areaSum + 32*dvs.Steps          // words
	areaMask  = areaWord + 32*dvs.Steps         // vectors dismissed for each block of a batch
	areaTwins = areaMask + 4*batch              // twins that wait to be rechecked
	areaTrace = areaTwins + twinsSize           // traces of a batch, and the next incoming value
	areaSize  = areaTrace + (batch+1)*traceSize // its address is a multiple of areaAlign
	areaAlign = 32
)

// scalarKernel describes a kernel for processors without the SHA extensions.
// The steps are done in general registers. Vector registers expand and filter
// eight blocks at a time, beside the steps of the first two of them; what is
// left of a message goes block by block.
type scalarKernel struct {
	file    string
	name    string
	about   string // of the instructions that it needs
	vectors vectors
	eight   string // plan for eight blocks side by side, with one lane
	one     string // plan for a single block, with eight lanes
}

var scalarKernels = []*scalarKernel{
	{
		file: "avx2", name: "blocksAVX2", about: "AVX2, BMI1 and BMI2",
		vectors: avx2, eight: "eight", one: "avx2",
	},
	{
		file: "avx512", name: "blocksAVX512", about: "AVX-512 F and VL, BMI1 and BMI2",
		vectors: avx512vl, eight: "eight", one: "avx2",
	},
}

// addScalar adds the files of the scalar kernels and their recheck.
func addScalar(add func(name string, emit func(*build.Context) error) error, plans func(name string) (*plan.Plan, error)) error {
	if err := add("recheck_twins", emitTwins); err != nil {
		return err
	}
	for _, k := range scalarKernels {
		eight, err := plans(k.eight)
		if err != nil {
			return err
		}
		one, err := plans(k.one)
		if err != nil {
			return err
		}
		if err := add("blocks_"+k.file, func(ctx *build.Context) error { return k.emit(ctx, eight, one) }); err != nil {
			return err
		}
	}
	return nil
}

// expansion expands messages.
type expansion struct {
	vectors       vectors
	constants     operand.Mem // of the four rounds, 32 bytes each
	swap          operand.Mem // reverses the bytes of every word
	area, message reg.GPPhysical
}

// newExpansion adds the tables of an expansion to ctx.
func newExpansion(ctx *build.Context, v vectors, area, message reg.GPPhysical) *expansion {
	x := &expansion{vectors: v, area: area, message: message}
	x.constants = ctx.StaticGlobal("round_constants")
	ctx.DataAttributes(dataAttributes)
	for _, k := range roundConstants {
		for range 8 {
			ctx.AppendDatum(operand.U32(k))
		}
	}
	x.swap = ctx.StaticGlobal("byte_swap")
	ctx.DataAttributes(dataAttributes)
	for range 2 {
		ctx.AppendDatum(operand.U64(0x0405060700010203))
		ctx.AppendDatum(operand.U64(0x0c0d0e0f08090a0b))
	}
	return x
}

// keep stores the words in w, which start with step t and at offset, and their
// sums with the constant of that step.
func (x *expansion) keep(out *stream, t, offset int, w, sum reg.VecPhysical) {
	out.add(x86.VMOVDQU(w, mem(x.area, areaWord+offset)))
	out.add(x86.VPADDD(x.constants.Offset(32*(t/20)), w, sum))
	out.add(x86.VMOVDQU(sum, mem(x.area, areaSum+offset)))
}

// ring returns the register of a word of a batch, which keeps it until the
// eighth after it is computed.
func ring(t int) reg.VecPhysical { return ymm[t%8] }

// batchFirst returns the first sixteen words of a batch.
func (x *expansion) batchFirst() *stream {
	var out stream
	// Four words of four blocks each in both halves are a 4x4 matrix to transpose.
	a, b, sum := ymm[8:12], ymm[12:16], ymm[8]
	for t := 0; t < 16; t += 4 {
		for n := range 4 {
			out.add(x86.VMOVDQU(mem(x.message, 64*n+4*t), a[n].AsX()))
			out.add(x86.VINSERTI128(operand.U8(1), mem(x.message, 64*(n+4)+4*t), a[n], a[n]))
			out.add(x86.VPSHUFB(x.swap, a[n], a[n]))
		}
		for n := 0; n < 4; n += 2 {
			out.add(x86.VPUNPCKLDQ(a[n+1], a[n], b[n]))
			out.add(x86.VPUNPCKHDQ(a[n+1], a[n], b[n+1]))
		}
		for n := range 2 {
			out.add(x86.VPUNPCKLQDQ(b[n+2], b[n], ring(t+2*n)))
			out.add(x86.VPUNPCKHQDQ(b[n+2], b[n], ring(t+2*n+1)))
		}
		for n := range 4 {
			x.keep(&out, t+n, 32*(t+n), ring(t+n), sum)
		}
	}
	return &out
}

// batchRest returns the words of a batch from step 16 on.
func (x *expansion) batchRest() *stream {
	var out stream
	for t := 16; t < dvs.Steps; t++ {
		w := ring(t) // still W[t-8]
		out.add(x86.VPXOR(mem(x.area, areaWord+32*(t-16)), w, w))
		x.vectors.xor(&out, mem(x.area, areaWord+32*(t-14)), ring(t-3), w)
		x.vectors.rotate(&out, 1, w, ymm[8])
		x.keep(&out, t, 32*t, w, ymm[9])
	}
	return &out
}

// single returns the words of one block, four at a time.
func (x *expansion) single() *stream {
	var out stream
	w := func(g int) reg.VecPhysical { return ymm[g%9].AsX().(reg.VecPhysical) }
	a, b := ymm[9].AsX().(reg.VecPhysical), ymm[10].AsX().(reg.VecPhysical)
	for g := range dvs.Steps / 4 {
		n := w(g)
		switch {
		case g < 4:
			out.add(x86.VMOVDQU(mem(x.message, 16*g), n))
			out.add(x86.VPSHUFB(x.swap, n, n))
		case g < 8:
			// The last of four words needs the first, which is zero at first and
			// added, rotated once more, at the end.
			out.add(x86.VPALIGNR(operand.U8(8), w(g-4), w(g-3), n))
			out.add(x86.VPSRLDQ(operand.U8(4), w(g-1), a))
			out.add(x86.VPXOR(a, n, n))
			x.vectors.xor(&out, w(g-2), w(g-4), n)
			out.add(x86.VPSLLDQ(operand.U8(12), n, b))
			x.vectors.rotate(&out, 1, n, a)
			x.vectors.rotate(&out, 2, b, a)
			out.add(x86.VPXOR(b, n, n))
		default:
			// W[t] = rotl2(W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32])
			out.add(x86.VPALIGNR(operand.U8(8), w(g-2), w(g-1), n))
			out.add(x86.VPXOR(w(g-8), n, n))
			x.vectors.xor(&out, w(g-7), w(g-4), n)
			x.vectors.rotate(&out, 2, n, a)
		}
		x.keep(&out, 4*g, 16*g, n, a)
	}
	return &out
}

// emit emits the kernel. Plan eight filters batches, plan one single blocks.
func (k *scalarKernel) emit(ctx *build.Context, eight, one *plan.Plan) error {
	var (
		area, message = reg.R11, reg.R13
		sums          = reg.R10 // of the block in the batch
		count         = reg.R14
		scratch       = reg.R10
	)
	r := scalarRegisters{
		state: [roles]reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI, reg.RDI},
		temp:  [2]reg.GPPhysical{reg.R8, reg.R9},
		trace: reg.R12,
	}
	x := newExpansion(ctx, k.vectors, area, message)
	filterEight, err := newFilterEight(ctx, k.vectors, eight)
	if err != nil {
		return err
	}
	filterOne, err := newFilterOne(ctx, k.vectors, one)
	if err != nil {
		return err
	}

	ctx.Function(k.name)
	ctx.Doc(k.name+" adds n blocks at p to the chaining value h, with",
		k.about+". It stops before a block that is an attack with the",
		"message differences dm, and returns the number of blocks added.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(h *[5]uint32, p *byte, n int, dm *[32][80]uint32) (done int)")
	e := scalarEmitter{Context: ctx, area: area, trace: r.trace}
	e.args = ctx.AllocLocal(64)
	left := ctx.AllocLocal(8)     // blocks not yet added
	position := ctx.AllocLocal(8) // the message during a recheck
	rest := ctx.AllocLocal(8)     // blocks of the batch to be rechecked after this one, as bits
	e.frame = ctx.AllocLocal(areaSize + areaAlign - 8)

	ctx.Load(ctx.Param("h"), scratch)
	ctx.Load(ctx.Param("p"), message)
	ctx.Load(ctx.Param("n"), count)
	ctx.MOVQ(count, left)
	e.atArea()
	ctx.XORL(reg.EAX, reg.EAX)
	ctx.MOVQ(reg.RAX, mem(area, areaTwins+twinCount))
	for n := range 5 {
		ctx.MOVL(mem(scratch, 4*n), reg.EAX)
		ctx.MOVL(reg.EAX, mem(r.trace, traceIn+4*n))
	}
	e.emit(r.load())

	// Between chunks, the chaining value is in registers and begins the first
	// trace.
	ctx.Label("batch")
	ctx.CMPQ(left, operand.I8(batch))
	ctx.JLT(operand.LabelRef("singles"))
	ctx.MOVQ(area, sums)
	sum := func(t int) operand.Mem { return mem(sums, areaSum+32*t) }
	word := func(t int) operand.Mem { return mem(area, areaWord+32*t) }
	next := func() {
		ctx.ADDQ(operand.I8(4), sums)
		ctx.ADDQ(operand.I8(traceSize), r.trace)
	}
	first := x.batchFirst()
	first.append(merge(r.compress(sum), x.batchRest(), 0, 0.9))
	e.check(first, sums)
	e.emit(first)
	next()
	e.emit(merge(r.compress(sum), filterEight.filter(word, mem(area, areaMask)), 0, 1))
	next()
	ctx.MOVQ(operand.U32(batch-2), count)
	ctx.Label("batched")
	e.emit(r.compress(sum))
	next()
	ctx.DECQ(count)
	ctx.JNE(operand.LabelRef("batched"))
	ctx.ADDQ(operand.U32(64*batch), message)
	ctx.VPCMPEQD(reg.Y0, reg.Y0, reg.Y0)
	ctx.VPCMPEQD(mem(area, areaMask), reg.Y0, reg.Y0)
	ctx.VMOVMSKPS(reg.Y0, scratch.As32())
	ctx.XORL(operand.U32(1<<batch-1), scratch.As32())
	ctx.JNE(operand.LabelRef("batchSurvivors"))
	ctx.Label("batchAdded")
	e.atArea()
	e.emit(r.store())
	ctx.SUBQ(operand.I8(batch), left)
	ctx.JMP(operand.LabelRef("batch"))

	ctx.Label("batchSurvivors")
	ctx.MOVQ(message, position)
	ctx.Label("batchSurvivor")
	ctx.BSFL(scratch.As32(), count.As32())
	ctx.LEAL(operand.Mem{Base: scratch, Disp: -1}, reg.EAX)
	ctx.ANDL(scratch.As32(), reg.EAX)
	ctx.MOVL(reg.EAX, rest)
	ctx.MOVQ(left, reg.RDX)
	ctx.SUBQ(count, reg.RDX)
	ctx.LEAQ(operand.Mem{Base: area, Index: count, Scale: 4}, scratch)
	ctx.MOVL(mem(scratch, areaMask), reg.EAX)
	ctx.NOTL(reg.EAX)
	ctx.ADDQ(operand.U32(areaWord), scratch)
	ctx.IMUL3Q(operand.U32(traceSize), count, count)
	ctx.LEAQ(operand.Mem{Base: area, Index: count, Scale: 1, Disp: areaTrace}, r.trace)
	e.addTwins(scratch, 32, reg.EAX, reg.RDX)
	ctx.MOVL(rest, scratch.As32())
	ctx.TESTL(scratch.As32(), scratch.As32())
	ctx.JNE(operand.LabelRef("batchSurvivor"))
	ctx.MOVQ(position, message)
	ctx.ADDQ(operand.U32(batch*traceSize), r.trace)
	e.emit(r.load())
	ctx.JMP(operand.LabelRef("batchAdded"))

	ctx.Label("singles")
	ctx.CMPQ(left, operand.I8(0))
	ctx.JE(operand.LabelRef("stop"))
	ctx.Label("single")
	sum = func(t int) operand.Mem { return mem(area, areaSum+4*t) }
	word = func(t int) operand.Mem { return mem(area, areaWord+4*t) }
	alone := merge(r.compress(sum), x.single(), -0.1, 0.8)
	e.check(alone, area)
	e.emit(alone)
	e.emit(filterOne.filter(word, scratch))
	ctx.ADDQ(operand.I8(64), message)
	ctx.TESTL(scratch.As32(), scratch.As32())
	ctx.JNE(operand.LabelRef("singleSurvivor"))
	ctx.Label("singleAdded")
	e.emit(r.store())
	ctx.DECQ(left)
	ctx.JNE(operand.LabelRef("single"))
	ctx.JMP(operand.LabelRef("stop"))

	ctx.Label("singleSurvivor")
	ctx.MOVQ(message, position)
	ctx.LEAQ(word(0), reg.RAX)
	ctx.MOVQ(left, reg.RDX)
	e.addTwins(reg.RAX, 4, scratch.As32(), reg.RDX)
	ctx.MOVQ(position, message)
	ctx.ADDQ(operand.I8(traceSize), r.trace)
	e.emit(r.load())
	e.atArea()
	ctx.JMP(operand.LabelRef("singleAdded"))

	ctx.Label("attack")
	e.atArea()
	ctx.IMUL3Q(operand.U32(twinRow), reg.RAX, reg.RBX)
	ctx.ADDQ(area, reg.RBX)
	note := mem(reg.RBX, areaTwins+twinNote-twinRow)
	for n := range 5 {
		ctx.MOVL(note.Offset(noteIn+4*n), reg.EAX)
		ctx.MOVL(reg.EAX, mem(r.trace, traceIn+4*n))
	}
	ctx.MOVL(note.Offset(noteLeft), reg.EAX)
	ctx.MOVQ(reg.RAX, left)
	ctx.JMP(operand.LabelRef("done"))

	ctx.Label("stop")
	ctx.CMPQ(mem(area, areaTwins+twinCount), operand.I8(0))
	ctx.JE(operand.LabelRef("done"))
	ctx.LEAQ(mem(area, areaTwins), reg.RAX)
	ctx.MOVQ(reg.RAX, e.args.Offset(0))
	ctx.VZEROUPPER()
	ctx.CALL(operand.LabelRef("·recheckTwins(SB)"))
	ctx.MOVQ(e.args.Offset(8), reg.RAX)
	ctx.TESTQ(reg.RAX, reg.RAX)
	ctx.JNE(operand.LabelRef("attack"))
	e.atArea()

	ctx.Label("done")
	ctx.Load(ctx.Param("h"), scratch)
	for n := range 5 {
		ctx.MOVL(mem(r.trace, traceIn+4*n), reg.EAX)
		ctx.MOVL(reg.EAX, mem(scratch, 4*n))
	}
	ctx.Load(ctx.Param("n"), reg.RAX)
	ctx.SUBQ(left, reg.RAX)
	ctx.Store(reg.RAX, ctx.Return("done"))
	ctx.VZEROUPPER()
	ctx.RET()
	return e.err()
}

// scalarEmitter emits the kernel's code between streams.
type scalarEmitter struct {
	*build.Context
	frame, args operand.Mem // the area before it is aligned; of the recheck
	area, trace reg.GPPhysical
	errs        []error
}

// emit adds a stream to the kernel.
func (e *scalarEmitter) emit(s *stream) { e.errs = append(e.errs, emit(e.Context, s)) }

// check reports an error if in s a step adds a sum, which it finds at the given
// register, before that is stored.
func (e *scalarEmitter) check(s *stream, sums reg.Register) {
	stored := make(map[int]bool) // by the offset of the word
	for _, i := range s.instructions {
		from, load := i.Operands[0].(operand.Mem)
		to, store := i.Operands[len(i.Operands)-1].(operand.Mem)
		switch {
		case i.Opcode == "VMOVDQU" && store && to.Base == e.area:
			size := int(i.Operands[0].(reg.Register).Size())
			for n := 0; n < size; n += 4 {
				stored[to.Disp+n] = true
			}
		case i.Opcode == "ADDL" && load && from.Base == sums && !stored[from.Disp]:
			e.errs = append(e.errs, fmt.Errorf("the sum at offset %d is added before it is stored", from.Disp))
		}
	}
}

// err returns what was wrong with the streams.
func (e *scalarEmitter) err() error { return errors.Join(e.errs...) }

// atArea sets the area's address and that of the first trace.
func (e *scalarEmitter) atArea() {
	e.LEAQ(e.frame.Offset(areaAlign-8), e.area)
	e.ANDQ(operand.I8(-areaAlign), e.area)
	e.LEAQ(mem(e.area, areaTrace), e.trace)
}

// addTwins hands over the block with its trace at the kernel's trace register,
// its words at w and the vectors of mask. It keeps no register, but leaves the
// area's and the first trace's, and goes to attack if there is one.
func (e *scalarEmitter) addTwins(w reg.Register, stride uint32, mask, left reg.Register) {
	e.MOVQ(w, e.args.Offset(8))
	e.LEAQ(mem(e.area, areaTwins), w)
	e.MOVQ(w, e.args.Offset(0))
	e.MOVQ(operand.U32(stride), e.args.Offset(16))
	e.MOVQ(e.trace, e.args.Offset(24))
	e.MOVL(mask, e.args.Offset(32))
	e.MOVQ(left, e.args.Offset(40))
	e.Load(e.Param("dm"), w)
	e.MOVQ(w, e.args.Offset(48))
	e.VZEROUPPER()
	e.CALL(operand.LabelRef("·addTwins(SB)"))
	e.MOVQ(e.args.Offset(56), reg.RAX)
	e.TESTQ(reg.RAX, reg.RAX)
	e.JNE(operand.LabelRef("attack"))
	e.atArea()
}
