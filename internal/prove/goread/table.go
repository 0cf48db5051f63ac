package goread

import (
	"go/ast"
	"go/token"
)

// table returns a table of package level: lists of lists, of integers, and of
// structures of integers.
func (p *Package) table(e ast.Expr) (value, error) {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return value{}, p.errorf(e, "no table")
	}
	return p.rows(lit, lit.Type)
}

// rows reads a composite literal of the given type.
func (p *Package) rows(lit *ast.CompositeLit, typ ast.Expr) (value, error) {
	switch t := typ.(type) {
	case *ast.ArrayType:
		out := value{kind: list}
		for _, e := range lit.Elts {
			v, err := p.entry(e, t.Elt)
			if err != nil {
				return value{}, err
			}
			out.rows = append(out.rows, v)
		}
		return out, nil
	case *ast.StructType:
		var names []string
		for _, f := range t.Fields.List {
			for _, id := range f.Names {
				names = append(names, id.Name)
			}
		}
		if len(names) != len(lit.Elts) {
			return value{}, p.errorf(lit, "%d fields, want %d", len(lit.Elts), len(names))
		}
		out := value{kind: row, field: make(map[string]int64)}
		for n, e := range lit.Elts {
			v, ok := literal(e)
			if !ok {
				return value{}, p.errorf(e, "a field that is no number")
			}
			out.field[names[n]] = v
		}
		return out, nil
	case *ast.Ident:
		if a, ok := p.typeNamed(t.Name).(*ast.ArrayType); ok {
			return p.rows(lit, a)
		}
		// A structure of a named type gives its fields by name.
		out := value{kind: row, field: make(map[string]int64)}
		return out, p.named(lit, "", out.field)
	}
	return value{}, p.errorf(lit, "a table of %T", typ)
}

// typeNamed returns what a type of package level stands for, or nil.
func (p *Package) typeNamed(name string) ast.Expr {
	for _, f := range p.files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				continue
			}
			for _, s := range decl.Specs {
				if t := s.(*ast.TypeSpec); t.Name.Name == name {
					return t.Type
				}
			}
		}
	}
	return nil
}

// named reads fields by name, those of inner structures behind a dot.
func (p *Package) named(lit *ast.CompositeLit, prefix string, into map[string]int64) error {
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok || name(kv.Key) == "" {
			return p.errorf(e, "a field without a name")
		}
		at := prefix + name(kv.Key)
		if inner, ok := kv.Value.(*ast.CompositeLit); ok {
			if err := p.named(inner, at+".", into); err != nil {
				return err
			}
			continue
		}
		v, ok := literal(kv.Value)
		if !ok {
			return p.errorf(kv.Value, "a field that is no number")
		}
		into[at] = v
	}
	return nil
}

func (p *Package) entry(e ast.Expr, typ ast.Expr) (value, error) {
	if lit, ok := e.(*ast.CompositeLit); ok {
		if lit.Type != nil {
			typ = lit.Type
		}
		return p.rows(lit, typ)
	}
	v, ok := literal(e)
	if !ok {
		return value{}, p.errorf(e, "an entry that is no number")
	}
	return value{n: v}, nil
}

// Numbers returns a table of lists of integers.
func (p *Package) Numbers(variable string) ([][]int64, error) {
	v, err := p.tableOf(variable)
	if err != nil {
		return nil, err
	}
	var out [][]int64
	for _, r := range v.rows {
		var numbers []int64
		for _, n := range r.rows {
			numbers = append(numbers, n.n)
		}
		out = append(out, numbers)
	}
	return out, nil
}

// Rows returns a table of structures, by the names of their fields.
func (p *Package) Rows(variable string) ([]map[string]int64, error) {
	v, err := p.tableOf(variable)
	if err != nil {
		return nil, err
	}
	var out []map[string]int64
	for _, r := range v.rows {
		out = append(out, r.field)
	}
	return out, nil
}

func (p *Package) tableOf(variable string) (value, error) {
	e, err := p.variable(variable)
	if err != nil {
		return value{}, err
	}
	return p.table(e)
}
