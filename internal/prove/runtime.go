package prove

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
)

// layout is what Go files of the runtime say of constants and types.
type layout struct {
	pkg   *types.Package
	sizes types.Sizes
	file  string // the first
}

// readLayout reads Go files, which import nothing, for an architecture.
func readLayout(s *Sources, names []string, goarch string) (*layout, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		text, err := s.File(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	sizes := types.SizesFor("gc", goarch)
	pkg, err := (&types.Config{Sizes: sizes}).Check("sha1dc", fset, files, nil)
	if err != nil {
		return nil, err
	}
	return &layout{pkg, sizes, names[0]}, nil
}

// constants sets numbers to the constants with the given names.
func (l *layout) constants(numbers map[string]*int) error {
	for name, to := range numbers {
		c, ok := l.pkg.Scope().Lookup(name).(*types.Const)
		if !ok {
			return fmt.Errorf("%s: no constant %s", l.file, name)
		}
		v, ok := constant.Int64Val(c.Val())
		if !ok {
			return fmt.Errorf("%s: %s is no number", l.file, name)
		}
		*to = int(v)
	}
	return nil
}

// fields sets rooms to where the fields of a struct are.
func (l *layout) fields(name string, rooms map[string]*room) (size int, err error) {
	o := l.pkg.Scope().Lookup(name)
	if o == nil {
		return 0, fmt.Errorf("%s: no type %s", l.file, name)
	}
	t, ok := o.Type().Underlying().(*types.Struct)
	if !ok {
		return 0, fmt.Errorf("%s: %s is no struct", l.file, name)
	}
	var fields []*types.Var
	for n := range t.NumFields() {
		fields = append(fields, t.Field(n))
	}
	offsets := l.sizes.Offsetsof(fields)
	for field, to := range rooms {
		for n, f := range fields {
			if f.Name() == field {
				*to = room{int(offsets[n]), int(l.sizes.Sizeof(f.Type()))}
			}
		}
		if to.size == 0 {
			return 0, fmt.Errorf("%s: %s has no field %s", l.file, name, field)
		}
	}
	return int(l.sizes.Sizeof(t)), nil
}
