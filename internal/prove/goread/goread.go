// Package goread executes Go functions of the runtime on symbolic words: those
// that consist of assignments, of expressions on uint32, and of loops over the
// set bits of a mask and over tables. What it does not know is an error that
// names the place.
package goread

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"

	"github.com/sha1dc/go/internal/prove/symbolic"
)

// Package is some files of a package.
type Package struct {
	g      *symbolic.Graph
	fset   *token.FileSet
	files  map[string]*ast.File
	consts map[string]int64
}

// New returns an empty package.
func New(g *symbolic.Graph) *Package {
	return &Package{g: g, fset: token.NewFileSet(), files: make(map[string]*ast.File), consts: make(map[string]int64)}
}

// Add reads a file and its constants of package level.
func (p *Package) Add(name, text string) error {
	f, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p.files[name] = f
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, s := range decl.Specs {
			v := s.(*ast.ValueSpec)
			for n, id := range v.Names {
				if n >= len(v.Values) {
					continue
				}
				if c, ok := literal(v.Values[n]); ok {
					p.consts[id.Name] = c
				}
			}
		}
	}
	return nil
}

func literal(e ast.Expr) (int64, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.INT {
		return 0, false
	}
	v, err := strconv.ParseInt(l.Value, 0, 64)
	return v, err == nil
}

// function returns the function with the given name.
func (p *Package) function(name string) (*ast.FuncDecl, error) {
	for _, f := range p.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name && fn.Recv == nil {
				return fn, nil
			}
		}
	}
	return nil, fmt.Errorf("no function %s", name)
}

// variable returns what a variable of package level is set to.
func (p *Package) variable(name string) (ast.Expr, error) {
	for _, f := range p.files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for _, s := range decl.Specs {
				v := s.(*ast.ValueSpec)
				for n, id := range v.Names {
					if id.Name == name && n < len(v.Values) {
						return v.Values[n], nil
					}
				}
			}
		}
	}
	return nil, fmt.Errorf("no variable %s with a value", name)
}

func (p *Package) errorf(n ast.Node, format string, args ...any) error {
	return fmt.Errorf("%s: %w", p.fset.Position(n.Pos()), fmt.Errorf(format, args...))
}

// Words is an array of words, which a function may change.
type Words []symbolic.Word

// value is a value during execution: an integer, a word, an array of words, a
// row of a table or a table.
type value struct {
	kind  kind
	n     int64
	w     symbolic.Word
	array Words
	rows  []value
	field map[string]int64
}

type kind int

const (
	integer kind = iota // a constant or an int
	word                // a uint32
	array               // of words
	list                // of values
	row                 // of integers, by name
)

// state is the execution of a function.
type state struct {
	*Package
	names  map[string]*value
	result []value
	done   bool
}

// Call executes a function on arrays and returns its result, if it has one.
func (p *Package) Call(name string, args ...Words) (symbolic.Word, error) {
	fn, err := p.function(name)
	if err != nil {
		return 0, err
	}
	s := &state{Package: p, names: make(map[string]*value)}
	at := 0
	for _, f := range fn.Type.Params.List {
		for _, id := range f.Names {
			if at < len(args) {
				s.names[id.Name] = &value{kind: array, array: args[at]}
			}
			at++
		}
	}
	if at != len(args) {
		return 0, p.errorf(fn, "%s has %d parameters, want %d", name, at, len(args))
	}
	if _, _, err := s.block(fn.Body.List, p.g.True); err != nil {
		return 0, err
	}
	if len(s.result) == 1 && s.result[0].kind == word {
		return s.result[0].w, nil
	}
	return 0, nil
}
