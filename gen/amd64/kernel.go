package amd64

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"

	"github.com/sha1dc/go/internal/plan"
)

const (
	noSplit        = attr.NOSPLIT
	dataAttributes = attr.RODATA | attr.NOPTR
)

// chunkBlocks is the number of blocks whose survivors are rechecked together.
const chunkBlocks = 16

// Recheck returns the assembly and stubs of the recheck.
func Recheck() (asm, stubs []byte, err error) {
	ctx := build.NewContext()
	ctx.ConstraintExpr("!purego,!noasm")
	if err := recheck(ctx); err != nil {
		return nil, nil, err
	}
	return print(ctx)
}

// SHANIAVX512 returns the assembly and stubs of the kernel with the SHA
// extensions and an AVX-512 filter.
func SHANIAVX512(p *plan.Plan) (asm, stubs []byte, err error) {
	ctx := build.NewContext()
	ctx.ConstraintExpr("!purego,!noasm")
	if err := blocksSHANIAVX512(ctx, p, Schedule, From, To); err != nil {
		return nil, nil, err
	}
	return print(ctx)
}

// Tuning parameters.
var (
	Schedule = scheduleSHA
	From, To = 0.0, 1.0
)

func print(ctx *build.Context) (asm, stubs []byte, err error) {
	f, err := ctx.Result()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Name: "go run ./gen asm", Pkg: "sha1dc"}
	if asm, err = printer.NewGoAsm(cfg).Print(f); err != nil {
		return nil, nil, err
	}
	stubs, err = printer.NewStubs(cfg).Print(f)
	return asm, stubs, err
}

func blocksSHANIAVX512(ctx *build.Context, p *plan.Plan, s schedule, from, to float64) error {
	shuffleTable := ctx.StaticGlobal("reverse")
	ctx.DataAttributes(dataAttributes)
	ctx.AppendDatum(operand.U64(0x08090a0b0c0d0e0f))
	ctx.AppendDatum(operand.U64(0x0001020304050607))
	lanes := laneTable(ctx, p)
	bits := bitTable(ctx)

	ctx.Function("blocksSHANIAVX512")
	ctx.Doc("blocksSHANIAVX512 adds n blocks at p to the chaining value h. It stops before a",
		fmt.Sprintf("chunk of up to %d blocks that holds an attack, and returns the number of blocks", chunkBlocks),
		"added.")
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
	f := filterRegisters{lanes: reg.R12, bits: reg.R13, result: reg.RAX}
	r := shaRegisters{abcd: reg.X0, e: [2]reg.VecPhysical{reg.X1, reg.X2}, shuffle: reg.X12}
	ring := 4
	if s == scheduleWide {
		ring = 9
	}
	for n := range ring {
		r.w = append(r.w, []reg.VecPhysical{reg.X3, reg.X4, reg.X5, reg.X6, reg.X7, reg.X8, reg.X9, reg.X10, reg.X11}[n])
	}

	args := ctx.AllocLocal(24)
	saved := ctx.AllocLocal(32)
	area := ctx.AllocLocal((chunkBlocks+2)*slotSize + 64)

	ctx.Load(ctx.Param("h"), h)
	ctx.Load(ctx.Param("p"), message)
	ctx.Load(ctx.Param("n"), left)
	ctx.LEAQ(area.Offset(slotSize+63), slots)
	ctx.ANDQ(operand.I32(-64), slots)
	ctx.LEAQ(lanes, f.lanes)
	ctx.LEAQ(bits, f.bits)
	ctx.MOVOU(mem(h, 0), r.abcd)
	ctx.PSHUFD(operand.U8(0x1b), r.abcd, r.abcd)
	ctx.PXOR(r.e[0], r.e[0])
	ctx.PINSRD(operand.U8(3), mem(h, 16), r.e[0])
	ctx.MOVOU(shuffleTable, r.shuffle)

	ctx.Label("chunk")
	ctx.MOVQ(operand.U32(chunkBlocks), chunk)
	ctx.CMPQ(left, chunk)
	ctx.CMOVQLT(left, chunk)
	ctx.MOVQ(chunk, count)
	ctx.MOVQ(slots, slot)

	ctx.Label("block")
	if err := emit(ctx, merge(compress(r, message, slot, s), filterAVX512(p, slot, -slotSize, f), from, to)); err != nil {
		return err
	}
	ctx.ADDQ(operand.U32(64), message)
	ctx.ADDQ(operand.U32(slotSize), slot)
	ctx.DECQ(count)
	ctx.JNE(operand.LabelRef("block"))

	ctx.MOVOU(r.abcd, mem(slot, slotIn))
	ctx.MOVOU(r.e[0], mem(slot, slotInE))
	if err := emit(ctx, filterAVX512(p, slot, -slotSize, f)); err != nil {
		return err
	}
	// The recheck keeps none of the registers.
	ctx.MOVQ(slots, args.Offset(0))
	ctx.MOVQ(chunk, args.Offset(8))
	for n, r := range []reg.Register{message, left, slots, chunk} {
		ctx.MOVQ(r, saved.Offset(8*n))
	}
	ctx.CALL(operand.LabelRef("·recheckSHANI(SB)"))
	for n, r := range []reg.Register{message, left, slots, chunk} {
		ctx.MOVQ(saved.Offset(8*n), r)
	}
	ctx.CMPB(args.Offset(16), operand.U8(0))
	ctx.JNE(operand.LabelRef("hit"))
	ctx.LEAQ(lanes, f.lanes)
	ctx.LEAQ(bits, f.bits)
	ctx.MOVOU(shuffleTable, r.shuffle)
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
	ctx.VZEROUPPER()
	ctx.RET()
	return nil
}
