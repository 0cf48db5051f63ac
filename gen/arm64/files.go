// Package arm64 emits the runtime's assembly for arm64: typed instructions of its
// own, printed with avo, which knows amd64 only.
package arm64

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/printer"

	"github.com/sha1dc/go/gen/files"
	"github.com/sha1dc/go/internal/plan"
)

// Files returns the assembly files and their stubs. plans returns a filter plan
// by its name.
func Files(plans func(name string) (*plan.Plan, error)) ([]files.File, error) {
	p, err := plans("neon")
	if err != nil {
		return nil, err
	}
	layout, err := slotLayout.GoFile()
	if err != nil {
		return nil, err
	}
	jobs, err := pairGoFile()
	if err != nil {
		return nil, err
	}
	out := []files.File{
		{Path: "sha1dc/slot_arm64_test.go", Content: layout},
		{Path: "sha1dc/pair_job_arm64.go", Content: jobs},
	}
	add := func(name string, emit func(*file) error) error {
		asm, stubs, err := assemble(emit)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out = append(out,
			files.File{Path: "sha1dc/" + name + "_arm64.s", Content: asm},
			files.File{Path: "sha1dc/" + name + "_stubs_arm64.go", Content: stubs})
		return nil
	}
	if err := add("recheck_sha1", emitRecheck); err != nil {
		return nil, err
	}
	for _, v := range variants {
		if err := add("blocks_sha1_"+v.file, func(f *file) error { return emitKernel(f, v, p) }); err != nil {
			return nil, err
		}
		if err := add("pair_sha1_"+v.file, func(f *file) error { return emitPairKernel(f, v, p) }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// constraint keeps assembly from compilers that do not read it and from who
// asks for none.
const constraint = "gc,!purego,!noasm"

// file is a file under construction.
type file struct{ ir.File }

// function is a function under construction: its frame, and its body.
type function struct {
	stream
	signature *gotypes.Signature
	local     int // bytes of the frame
}

// function appends a function with the body that the caller fills by calling
// emit.
func (f *file) function(name, signature string, attributes attr.Attribute, local int, doc []string, emit func(*function) error) error {
	sig, err := gotypes.ParseSignature(signature)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	body := &function{signature: sig, local: local}
	if err := emit(body); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := body.err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.AddSection(&ir.Function{
		Name: name, Attributes: attributes, Signature: sig, LocalSize: local,
		Doc: doc, Pragmas: []ir.Pragma{{Directive: "noescape"}},
		ISA: []string{"SHA1"}, Nodes: body.nodes,
	})
	return nil
}

// param returns the operand of a parameter or result.
func (f *function) param(name string) operand.Op {
	c, err := f.signature.Params().Lookup(name).Resolve()
	if err != nil {
		c, err = f.signature.Results().Lookup(name).Resolve()
	}
	if err != nil {
		f.fail("%s: %w", name, err)
		return text(name)
	}
	return c.Addr
}

// data appends read-only words and returns the operand of their address.
func (f *file) data(name string, words []uint32) operand.Op {
	g := ir.NewStaticGlobal(name)
	g.Attributes = attr.RODATA | attr.NOPTR
	for n := 0; n+1 < len(words); n += 2 {
		g.Append(operand.U64(uint64(words[n]) | uint64(words[n+1])<<32))
	}
	f.AddSection(g)
	return text("$" + g.Base().Asm())
}

// assemble returns the file that emit builds, and its Go declarations.
func assemble(emit func(*file) error) (asm, stubs []byte, err error) {
	var f file
	f.Includes = []string{"textflag.h"}
	c, err := buildtags.ParseConstraint(constraint)
	if err != nil {
		return nil, nil, err
	}
	f.Constraints = buildtags.Constraints{c}
	if err := emit(&f); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Name: "go run ./gen asm", Pkg: "sha1dc"}
	if asm, err = printer.NewGoAsm(cfg).Print(&f.File); err != nil {
		return nil, nil, err
	}
	if stubs, err = printer.NewStubs(cfg).Print(&f.File); err != nil {
		return nil, nil, err
	}
	return asm, stubs, nil
}
