package amd64

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// cpuid emits the functions that ask the processor what it can do.
func cpuid(ctx *build.Context) error {
	ctx.Function("cpuid")
	ctx.Attributes(noSplit)
	ctx.Doc("cpuid returns what the instruction CPUID reports for a leaf and subleaf.")
	ctx.SignatureExpr("func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)")
	ctx.Load(ctx.Param("leaf"), reg.EAX)
	ctx.Load(ctx.Param("subleaf"), reg.ECX)
	ctx.CPUID()
	ctx.Store(reg.EAX, ctx.Return("eax"))
	ctx.Store(reg.EBX, ctx.Return("ebx"))
	ctx.Store(reg.ECX, ctx.Return("ecx"))
	ctx.Store(reg.EDX, ctx.Return("edx"))
	ctx.RET()

	ctx.Function("xgetbv")
	ctx.Attributes(noSplit)
	ctx.Doc("xgetbv returns the lower half of XCR0: the register state that the system",
		"saves. The instruction exists only where CPUID reports OSXSAVE.")
	ctx.SignatureExpr("func() (xcr0 uint32)")
	ctx.XORL(reg.ECX, reg.ECX)
	ctx.XGETBV()
	ctx.Store(reg.EAX, ctx.Return("xcr0"))
	ctx.RET()
	return nil
}
