package goread

import (
	"go/ast"
	"go/token"

	"github.com/sha1dc/go/internal/prove/symbolic"
)

func (s *state) eval(e ast.Expr) (value, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.eval(e.X)
	case *ast.BasicLit:
		if v, ok := literal(e); ok {
			return value{n: v}, nil
		}
	case *ast.Ident:
		if v := s.names[e.Name]; v != nil {
			return *v, nil
		}
		if c, ok := s.consts[e.Name]; ok {
			return value{n: c}, nil
		}
		x, err := s.variable(e.Name)
		if err != nil {
			return value{}, s.errorf(e, "%w", err)
		}
		return s.table(x)
	case *ast.SelectorExpr:
		v, err := s.eval(e.X)
		if err != nil {
			return value{}, err
		}
		if n, ok := v.field[e.Sel.Name]; ok && v.kind == row {
			return value{n: n}, nil
		}
	case *ast.IndexExpr:
		return s.index(e)
	case *ast.UnaryExpr:
		v, err := s.eval(e.X)
		if err != nil {
			return value{}, err
		}
		if e.Op == token.SUB && v.kind == word {
			return value{kind: word, w: s.g.Sub(s.g.Const(0), v.w)}, nil
		}
	case *ast.BinaryExpr:
		x, err := s.eval(e.X)
		if err != nil {
			return value{}, err
		}
		y, err := s.eval(e.Y)
		if err != nil {
			return value{}, err
		}
		return s.binary(e, e.Op, x, y)
	case *ast.CallExpr:
		return s.call(e)
	case *ast.CompositeLit:
		out := value{kind: array}
		for _, x := range e.Elts {
			v, err := s.eval(x)
			if err != nil {
				return value{}, err
			}
			w, err := s.word(x, v)
			if err != nil {
				return value{}, err
			}
			out.array = append(out.array, w)
		}
		return out, nil
	}
	return value{}, s.errorf(e, "an expression %T that is not understood", e)
}

// word returns v as a uint32.
func (s *state) word(at ast.Node, v value) (symbolic.Word, error) {
	switch {
	case v.kind == word:
		return v.w, nil
	case v.kind == integer && v.n >= 0 && v.n < 1<<32:
		return s.g.Const(uint32(v.n)), nil
	}
	return 0, s.errorf(at, "no value of 32 bits")
}

func (s *state) binary(at ast.Node, op token.Token, x, y value) (value, error) {
	if x.kind == integer && y.kind == integer {
		return s.constant(at, op, x.n, y.n)
	}
	w := value{kind: word}
	if op == token.SHL || op == token.SHR {
		if x.kind != word || y.kind != integer || y.n < 0 {
			return w, s.errorf(at, "a shift by what is no constant")
		}
		n := int(min(y.n, 32))
		if op == token.SHL {
			w.w = s.g.ShiftLeft(x.w, n)
		} else {
			w.w = s.g.ShiftRight(x.w, n)
		}
		return w, nil
	}
	a, err := s.word(at, x)
	if err != nil {
		return w, err
	}
	b, err := s.word(at, y)
	if err != nil {
		return w, err
	}
	switch op {
	case token.ADD:
		w.w = s.g.Add(a, b)
	case token.SUB:
		w.w = s.g.Sub(a, b)
	case token.AND:
		w.w = s.g.AndWord(a, b)
	case token.OR:
		w.w = s.g.OrWord(a, b)
	case token.XOR:
		w.w = s.g.XorWord(a, b)
	case token.AND_NOT:
		w.w = s.g.AndNotWord(b, a)
	default:
		return w, s.errorf(at, "operator %v", op)
	}
	return w, nil
}

func (s *state) constant(at ast.Node, op token.Token, x, y int64) (value, error) {
	switch {
	case op == token.REM && y > 0 && x >= 0:
		return value{n: x % y}, nil
	case op == token.SHL && x >= 0 && x < 1<<31 && y >= 0 && y < 32:
		return value{n: x << y}, nil
	}
	return value{}, s.errorf(at, "operator %v on constants", op)
}

// condition returns where x != y or x == y holds, of words.
func (s *state) condition(e ast.Expr) (symbolic.Bit, error) {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ && b.Op != token.EQL {
		return 0, s.errorf(e, "a condition that is no comparison for equality")
	}
	v, err := s.eval(&ast.BinaryExpr{X: b.X, OpPos: b.OpPos, Op: token.XOR, Y: b.Y})
	if err != nil {
		return 0, err
	}
	w, err := s.word(e, v)
	if err != nil {
		return 0, err
	}
	differ := s.g.False
	for _, x := range s.g.Bits(w) {
		differ = s.g.Or(differ, x)
	}
	if b.Op == token.EQL {
		return differ.Not(), nil
	}
	return differ, nil
}

// element returns the array and the index of an expression a[i].
func (s *state) element(e *ast.IndexExpr) (Words, int, error) {
	x, err := s.eval(e.X)
	if err != nil {
		return nil, 0, err
	}
	i, err := s.eval(e.Index)
	if err != nil {
		return nil, 0, err
	}
	if x.kind != array || i.kind != integer || i.n < 0 {
		return nil, 0, s.errorf(e, "want an element of an array at a constant index")
	}
	return x.array, int(i.n), nil
}

func (s *state) index(e *ast.IndexExpr) (value, error) {
	x, err := s.eval(e.X)
	if err != nil {
		return value{}, err
	}
	if x.kind == list {
		i, err := s.eval(e.Index)
		if err != nil {
			return value{}, err
		}
		if i.kind != integer || i.n < 0 || i.n >= int64(len(x.rows)) {
			return value{}, s.errorf(e, "index out of range")
		}
		return x.rows[i.n], nil
	}
	a, at, err := s.element(e)
	if err != nil {
		return value{}, err
	}
	if at >= len(a) || a[at] == 0 {
		return value{}, s.errorf(e, "element %d is not set", at)
	}
	return value{kind: word, w: a[at]}, nil
}

func (s *state) call(e *ast.CallExpr) (value, error) {
	switch f := callee(e); f {
	case "uint32":
		if len(e.Args) == 1 {
			v, err := s.eval(e.Args[0])
			if err != nil {
				return value{}, err
			}
			w, err := s.word(e, v)
			return value{kind: word, w: w}, err
		}
	case "bits.RotateLeft32":
		if len(e.Args) != 2 {
			break
		}
		v, err := s.eval(e.Args[0])
		if err != nil {
			return value{}, err
		}
		n, err := s.eval(e.Args[1])
		if err != nil {
			return value{}, err
		}
		if v.kind == word && n.kind == integer {
			return value{kind: word, w: s.g.RotateLeft(v.w, int(n.n))}, nil
		}
	case "binary.BigEndian.Uint32": // of p[n:], p being an array of the words that it reads
		slice, ok := e.Args[0].(*ast.SliceExpr)
		if !ok || slice.Low == nil || slice.High != nil || len(e.Args) != 1 {
			break
		}
		p, err := s.eval(slice.X)
		if err != nil {
			return value{}, err
		}
		n, err := s.eval(slice.Low)
		if err != nil {
			return value{}, err
		}
		if p.kind == array && n.kind == integer && n.n >= 0 && n.n%4 == 0 && n.n/4 < int64(len(p.array)) {
			return value{kind: word, w: p.array[n.n/4]}, nil
		}
	}
	return value{}, s.errorf(e, "a call that is not understood")
}
