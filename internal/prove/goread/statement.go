package goread

import (
	"go/ast"
	"go/token"

	"github.com/sha1dc/go/internal/prove/symbolic"
)

// block executes statements where the bit guard is set. It returns where
// execution goes on behind them, and where a loop was left.
func (s *state) block(list []ast.Stmt, guard symbolic.Bit) (on, left symbolic.Bit, err error) {
	on, left = guard, s.g.False
	for _, stmt := range list {
		if s.done {
			return on, left, s.errorf(stmt, "a statement after the return")
		}
		var out symbolic.Bit
		if on, out, err = s.statement(stmt, on); err != nil {
			return on, left, err
		}
		left = s.g.Or(left, out)
	}
	return on, left, nil
}

func (s *state) statement(stmt ast.Stmt, guard symbolic.Bit) (on, left symbolic.Bit, err error) {
	on, left = guard, s.g.False
	switch stmt := stmt.(type) {
	case *ast.AssignStmt:
		return on, left, s.assign(stmt, guard)
	case *ast.ReturnStmt:
		if guard != s.g.True {
			return on, left, s.errorf(stmt, "a return under a condition")
		}
		for _, e := range stmt.Results {
			v, err := s.eval(e)
			if err != nil {
				return on, left, err
			}
			s.result = append(s.result, v)
		}
		s.done = true
		return on, left, nil
	case *ast.IfStmt:
		if stmt.Init != nil || stmt.Else != nil {
			return on, left, s.errorf(stmt, "an if with an else or a statement before the condition")
		}
		c, err := s.condition(stmt.Cond)
		if err != nil {
			return on, left, err
		}
		then, left, err := s.block(stmt.Body.List, s.g.And(guard, c))
		return s.g.Or(then, s.g.And(guard, c.Not())), left, err
	case *ast.BranchStmt:
		if stmt.Tok == token.BREAK && stmt.Label == nil {
			return s.g.False, guard, nil
		}
	case *ast.RangeStmt:
		return on, left, s.overTable(stmt, guard)
	case *ast.ForStmt:
		return on, left, s.overBits(stmt, guard)
	}
	return on, left, s.errorf(stmt, "a statement %T", stmt)
}

// overTable executes a loop over the rows of a table.
func (s *state) overTable(stmt *ast.RangeStmt, guard symbolic.Bit) error {
	key, ok1 := stmt.Key.(*ast.Ident)
	row, ok2 := stmt.Value.(*ast.Ident)
	if !ok1 || !ok2 || key.Name != "_" || stmt.Tok != token.DEFINE {
		return s.errorf(stmt, "want a loop over the values of a table")
	}
	v, err := s.eval(stmt.X)
	if err != nil {
		return err
	}
	if v.kind != list {
		return s.errorf(stmt.X, "no table")
	}
	for _, r := range v.rows {
		s.names[row.Name] = &r
		if guard, _, err = s.block(stmt.Body.List, guard); err != nil {
			return err
		}
	}
	return nil
}

// overBits executes the loop "for m := x; m != 0; m &= m - 1" with a body that
// asks for the lowest set bit of m first and does not name m otherwise: once
// for each bit of x, in ascending order, where it is set.
func (s *state) overBits(stmt *ast.ForStmt, guard symbolic.Bit) error {
	init, ok1 := stmt.Init.(*ast.AssignStmt)
	post, ok2 := stmt.Post.(*ast.AssignStmt)
	if !ok1 || !ok2 || len(init.Lhs) != 1 || len(post.Lhs) != 1 || init.Tok != token.DEFINE || post.Tok != token.AND_ASSIGN || len(stmt.Body.List) == 0 {
		return s.errorf(stmt, "want a loop over the bits of a mask")
	}
	m := name(init.Lhs[0])
	cond, ok3 := stmt.Cond.(*ast.BinaryExpr)
	minus, ok4 := post.Rhs[0].(*ast.BinaryExpr)
	first, ok5 := stmt.Body.List[0].(*ast.AssignStmt)
	if m == "" || !ok3 || !ok4 || !ok5 ||
		cond.Op != token.NEQ || name(cond.X) != m || !isLiteral(cond.Y, 0) ||
		name(post.Lhs[0]) != m || minus.Op != token.SUB || name(minus.X) != m || !isLiteral(minus.Y, 1) ||
		first.Tok != token.DEFINE || len(first.Lhs) != 1 || len(first.Rhs) != 1 || !isCall(first.Rhs[0], "bits.TrailingZeros32", m) {
		return s.errorf(stmt, "want a loop over the bits of a mask")
	}
	for _, rest := range stmt.Body.List[1:] {
		named := false
		ast.Inspect(rest, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == m {
				named = true
			}
			return true
		})
		if named {
			return s.errorf(rest, "the loop's variable %s is used in its body", m)
		}
	}
	v, err := s.eval(init.Rhs[0])
	if err != nil {
		return err
	}
	if v.kind != word {
		return s.errorf(init, "no mask")
	}
	set := *s.g.Bits(v.w)
	for n := range set {
		s.names[name(first.Lhs[0])] = &value{kind: integer, n: int64(n)}
		_, left, err := s.block(stmt.Body.List[1:], s.g.And(guard, set[n]))
		if err != nil {
			return err
		}
		if left != s.g.False {
			return s.errorf(stmt, "the loop may be left early")
		}
	}
	return nil
}

func name(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

func isLiteral(e ast.Expr, want int64) bool {
	v, ok := literal(e)
	return ok && v == want
}

// isCall reports whether e calls the named function of a package with one
// variable.
func isCall(e ast.Expr, function, arg string) bool {
	c, ok := e.(*ast.CallExpr)
	return ok && callee(c) == function && len(c.Args) == 1 && name(c.Args[0]) == arg
}

func callee(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x := name(f.X); x != "" {
			return x + "." + f.Sel.Name
		}
		if inner, ok := f.X.(*ast.SelectorExpr); ok && name(inner.X) != "" {
			return name(inner.X) + "." + inner.Sel.Name + "." + f.Sel.Name
		}
	}
	return ""
}

var operators = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.AND_ASSIGN: token.AND,
	token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR, token.AND_NOT_ASSIGN: token.AND_NOT,
}

// assign executes an assignment where guard is set.
func (s *state) assign(stmt *ast.AssignStmt, guard symbolic.Bit) error {
	if len(stmt.Lhs) != len(stmt.Rhs) {
		return s.errorf(stmt, "an assignment of several results")
	}
	values := make([]value, len(stmt.Rhs))
	for n, e := range stmt.Rhs {
		v, err := s.eval(e)
		if err != nil {
			return err
		}
		if op, ok := operators[stmt.Tok]; ok {
			old, err := s.eval(stmt.Lhs[n])
			if err != nil {
				return err
			}
			if v, err = s.binary(stmt, op, old, v); err != nil {
				return err
			}
		} else if stmt.Tok != token.ASSIGN && stmt.Tok != token.DEFINE {
			return s.errorf(stmt, "an assignment with %v", stmt.Tok)
		}
		values[n] = v
	}
	for n, v := range values {
		if err := s.set(stmt.Lhs[n], v, guard, stmt.Tok == token.DEFINE); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) set(to ast.Expr, v value, guard symbolic.Bit, define bool) error {
	if id, ok := to.(*ast.Ident); ok {
		old := s.names[id.Name]
		switch {
		case v.kind != integer && v.kind != word:
			return s.errorf(to, "a copy of an array or table")
		case define && old != nil:
			return s.errorf(to, "%s is defined twice", id.Name)
		case define:
			s.names[id.Name] = &v
			return nil
		case old == nil:
			return s.errorf(to, "%s is not defined", id.Name)
		}
		return s.merge(to, old, v, guard)
	}
	index, ok := to.(*ast.IndexExpr)
	if !ok {
		return s.errorf(to, "an assignment to what is neither a variable nor an element")
	}
	into, at, err := s.element(index)
	if err != nil {
		return err
	}
	if v.kind == array { // an array of arrays is laid out in one
		if guard != s.g.True || len(into)%len(v.array) != 0 || (at+1)*len(v.array) > len(into) {
			return s.errorf(to, "an array that does not fit")
		}
		copy(into[at*len(v.array):], v.array)
		return nil
	}
	if at >= len(into) {
		return s.errorf(to, "index %d of %d", at, len(into))
	}
	e := value{kind: word, w: into[at]}
	if into[at] == 0 && guard == s.g.True {
		e.w = s.g.Const(0)
	}
	if err := s.merge(to, &e, v, guard); err != nil {
		return err
	}
	into[at] = e.w
	return nil
}

// merge gives old the value v where guard is set.
func (s *state) merge(at ast.Node, old *value, v value, guard symbolic.Bit) error {
	if guard == s.g.True && old.kind == v.kind {
		*old = v
		return nil
	}
	if old.kind != word {
		return s.errorf(at, "an assignment of another type or under a condition")
	}
	w, err := s.word(at, v)
	if err != nil {
		return err
	}
	old.w = s.g.ChoiceWord(guard, w, old.w)
	return nil
}
