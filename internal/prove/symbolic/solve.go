package symbolic

import (
	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"
)

// Model is an assignment of the variables under which a claim fails. Bits that
// the claim does not depend on are false.
type Model func(Bit) bool

// Refute looks for an assignment under which all bits of each are set and at
// least one of any is. It returns nil if there is none. With no bits in any,
// only each counts.
func (g *Graph) Refute(any []Bit, each ...Bit) Model {
	c := &clauses{g: g, s: gini.New(), numbers: make(map[uint32]z.Var)}
	for _, b := range each {
		c.add(c.literal(b))
	}
	if len(any) > 0 {
		var choice []z.Lit
		for _, b := range any {
			choice = append(choice, c.literal(b))
		}
		c.add(choice...)
	}
	if c.s.Solve() != 1 {
		return nil
	}
	return func(b Bit) bool {
		if v, ok := g.Constant(b); ok {
			return v
		}
		n, ok := c.numbers[uint32(b>>1)]
		return ok && c.s.Value(n.Pos()) != (b&1 != 0)
	}
}

// clauses hands to a solver the gates that some bits depend on, numbered anew,
// so that its work depends on them alone and not on the graph.
type clauses struct {
	g       *Graph
	s       *gini.Gini
	numbers map[uint32]z.Var
}

func (c *clauses) add(ls ...z.Lit) {
	for _, l := range ls {
		c.s.Add(l)
	}
	c.s.Add(z.LitNull)
}

// literal returns the solver's literal of b, adding what it depends on.
func (c *clauses) literal(b Bit) z.Lit {
	at := uint32(b >> 1)
	n, ok := c.numbers[at]
	if !ok {
		k, x, y := c.g.Gate(b)
		var p, q z.Lit
		if k != Variable {
			p, q = c.literal(x), c.literal(y)
		}
		n = z.Var(len(c.numbers) + 1)
		c.numbers[at] = n
		out := n.Pos()
		switch {
		case k == And:
			c.add(out.Not(), p)
			c.add(out.Not(), q)
			c.add(out, p.Not(), q.Not())
		case k == Xor:
			c.add(out.Not(), p, q)
			c.add(out.Not(), p.Not(), q.Not())
			c.add(out, p.Not(), q)
			c.add(out, p, q.Not())
		case at == 1:
			c.add(out) // the constant's positive sense is true
		default:
			c.add(out, out.Not()) // so that the solver knows the variable
		}
	}
	if b&1 != 0 {
		return n.Neg()
	}
	return n.Pos()
}
