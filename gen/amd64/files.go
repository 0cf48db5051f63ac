// Package amd64 emits the runtime's assembly for amd64, with avo.
package amd64

import (
	"errors"
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"

	"github.com/sha1dc/go/gen/files"
	"github.com/sha1dc/go/internal/plan"
)

// Files returns the assembly files and their stubs. plans returns a filter plan
// by its name.
func Files(plans func(name string) (*plan.Plan, error)) ([]files.File, error) {
	return assembly(plans, shaKernels)
}

// WholeFilters returns what Files does, but with kernels that test every block
// with all groups of their plan, so that the cost of a group can be measured.
func WholeFilters(plans func(name string) (*plan.Plan, error)) ([]files.File, error) {
	var whole []*kernel
	for _, k := range shaKernels {
		k := *k
		k.first = 0
		whole = append(whole, &k)
	}
	return assembly(plans, whole)
}

// assembly returns the files with the given kernels for the SHA extensions.
func assembly(plans func(name string) (*plan.Plan, error), kernels []*kernel) ([]files.File, error) {
	var out []files.File
	add := func(name string, emit func(*build.Context) error) error {
		asm, stubs, err := assemble(emit)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out = append(out,
			files.File{Path: "sha1dc/" + name + "_amd64.s", Content: asm},
			files.File{Path: "sha1dc/" + name + "_stubs_amd64.go", Content: stubs})
		return nil
	}
	if err := add("cpuid", cpuid); err != nil {
		return nil, err
	}
	layout, err := slotLayout.GoFile()
	if err != nil {
		return nil, err
	}
	out = append(out, files.File{Path: "sha1dc/slot_amd64_test.go", Content: layout})
	if err := add("recheck_shani", recheck); err != nil {
		return nil, err
	}
	for _, k := range kernels {
		p, err := plans(k.plan)
		if err != nil {
			return nil, err
		}
		if err := add("blocks_shani_"+k.file, func(ctx *build.Context) error { return k.emit(ctx, p) }); err != nil {
			return nil, err
		}
	}
	if err := addScalar(add, plans); err != nil {
		return nil, err
	}
	declarations, err := addMany(add, plans)
	if err != nil {
		return nil, err
	}
	return append(out, declarations...), nil
}

// constraint keeps assembly from compilers that do not read it and from who
// asks for none.
const constraint = "gc,!purego,!noasm"

// assemble returns the file that emit builds, and its Go declarations.
func assemble(emit func(*build.Context) error) (asm, stubs []byte, err error) {
	ctx := build.NewContext()
	ctx.ConstraintExpr(constraint)
	if err := emit(ctx); err != nil {
		return nil, nil, err
	}
	return print(ctx)
}

// print returns the finished file and its Go declarations.
func print(ctx *build.Context) (asm, stubs []byte, err error) {
	f, err := ctx.Result()
	var list build.ErrorList
	if errors.As(err, &list) {
		var all []error
		for _, e := range list {
			all = append(all, e)
		}
		return nil, nil, errors.Join(all...)
	}
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
	if stubs, err = printer.NewStubs(cfg).Print(f); err != nil {
		return nil, nil, err
	}
	return asm, stubs, nil
}
