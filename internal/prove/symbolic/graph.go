// Package symbolic computes with bits and 32-bit words that are functions of
// free variables. Bits are variables, conjunctions and XORs in a graph, as
// literals whose lowest bit complements. Three rules make equal functions equal
// nodes where a proof would otherwise have to search: functions of up to four
// bits are known by their truth tables, XORs of one message's bits by what
// SHA-1's message recurrence makes of them, and sums of words by their terms.
// What these rules leave open, a SAT solver decides.
//
// Functions of one message's bits also have their values in a fixed set of test
// messages, so a wrong claim about them is mostly refuted without the solver,
// and by a true message.
package symbolic

// Bit is a function of the free variables, or a constant. Zero is no bit.
type Bit uint32

// Patterns is the number of test messages, whose values are packed 64 to a
// word.
const (
	Patterns = 64 * packs
	packs    = 8
)

// Values are the values of a bit in all test messages.
type Values [packs]uint64

// Graph holds all bits and words.
type Graph struct {
	True, False Bit

	nodes  []node
	values []Values          // of those that depend on one message alone
	table  map[function]Bit  // by truth table, false where all of its bits are
	gates  map[[3]uint32]Bit // others, by kind and inputs

	forms  []form
	known  map[form]Bit // bits of expanded messages by what they are a sum of
	blocks int

	wordStore
}

// node is a variable or gate in its positive sense.
type node struct {
	kind    Kind
	x, y    Bit
	f       function
	form    int32 // index in forms, 0 for none
	message int32 // of whose bits alone it is a function, or 0
	values  int32 // index in values, if so
}

// Kind is a kind of node.
type Kind uint8

// The kinds of nodes.
const (
	Variable Kind = iota
	And
	Xor
)

// function is a Boolean function of at most four nodes, which are in ascending
// order, zero standing for none. Bit n of truth is its value where node i has
// the value of bit i of n.
type function struct {
	of    [4]uint32
	truth uint16
}

// New returns a graph with nothing but the constants.
func New() *Graph {
	g := &Graph{
		True: 2, False: 3,
		nodes:  make([]node, 2),
		table:  make(map[function]Bit),
		gates:  make(map[[3]uint32]Bit),
		values: make([]Values, 1),
		forms:  make([]form, 1),
		known:  make(map[form]Bit),
	}
	g.nodes[1].f.truth = 0xffff
	for n := range g.values[0] {
		g.values[0][n] = ^uint64(0) // of the constant
	}
	g.initWords()
	return g
}

// Size returns the number of nodes.
func (g *Graph) Size() int { return len(g.nodes) }

// Not returns the complement of b.
func (b Bit) Not() Bit { return b ^ 1 }

func (g *Graph) node(b Bit) *node { return &g.nodes[b>>1] }

// Constant returns the value of b if it is a constant.
func (g *Graph) Constant(b Bit) (value, ok bool) { return b == g.True, b>>1 == 1 }

// ConstantBit returns the constant v.
func (g *Graph) ConstantBit(v bool) Bit {
	if v {
		return g.True
	}
	return g.False
}

// OfMessage reports whether b is a function of the bits of one message alone.
func (g *Graph) OfMessage(b Bit) bool { return g.node(b).message != 0 }

// Values returns the values of b, which must be OfMessage or a constant.
func (g *Graph) Values(b Bit) Values {
	v := g.values[g.node(b).values]
	if b&1 != 0 {
		for n := range v {
			v[n] = ^v[n]
		}
	}
	return v
}

// Gate returns the kind of the node of b, and its inputs if it is a gate. b or
// its complement is the conjunction or the XOR of them.
func (g *Graph) Gate(b Bit) (k Kind, x, y Bit) {
	n := g.node(b)
	return n.kind, n.x, n.y
}

// Fresh returns a new free variable.
func (g *Graph) Fresh() Bit {
	at := uint32(len(g.nodes))
	g.nodes = append(g.nodes, node{f: function{of: [4]uint32{at}, truth: 0xaaaa}})
	return Bit(at << 1)
}

// ofMessage says that b, in its positive sense, is a function of a message.
func (g *Graph) ofMessage(b Bit, message int32, v Values) {
	n := g.node(b)
	n.message, n.values = message, int32(len(g.values))
	g.values = append(g.values, v)
}

// function returns the truth table of b.
func (g *Graph) function(b Bit) function {
	f := g.node(b).f
	if b&1 != 0 {
		f.truth = ^f.truth
	}
	return f
}

// union returns the variables of f and h, or false if they are more than four.
func union(f, h *function) (of [4]uint32, ok bool) {
	i, j := 0, 0
	for n := range 5 {
		var a, b uint32
		if i < 4 {
			a = f.of[i]
		}
		if j < 4 {
			b = h.of[j]
		}
		if a == 0 && b == 0 {
			return of, true
		}
		if n == 4 {
			return of, false
		}
		switch {
		case a == b:
			of[n], i, j = a, i+1, j+1
		case b == 0 || a != 0 && a < b:
			of[n], i = a, i+1
		default:
			of[n], j = b, j+1
		}
	}
	return of, false
}

// masks[i] are the rows of a truth table in which variable i is set.
var masks = [4]uint16{0xaaaa, 0xcccc, 0xf0f0, 0xff00}

// over returns the truth table of f over the variables of.
func (f *function) over(of *[4]uint32) uint16 {
	if f.of == *of {
		return f.truth
	}
	var at [4]int // where each variable of f stands in of
	for i, v := range f.of {
		for j, u := range of {
			if v != 0 && u == v {
				at[i] = j
			}
		}
	}
	var truth uint16
	for row := range 16 {
		from := 0
		for i, v := range f.of {
			if v != 0 && row>>at[i]&1 != 0 {
				from |= 1 << i
			}
		}
		truth |= f.truth >> from & 1 << row
	}
	return truth
}

// reduced returns f without variables that it does not depend on.
func (f function) reduced() function {
	for i := 3; i >= 0; i-- {
		if f.of[i] == 0 {
			continue
		}
		shift := 1 << i
		high := f.truth & masks[i]
		low := f.truth &^ masks[i]
		if high>>shift != low {
			continue
		}
		// Drop variable i: the others above it move down.
		var g function
		n := 0
		for j, v := range f.of {
			if j != i && v != 0 {
				g.of[n] = v
				n++
			}
		}
		f.of[i] = 0
		var packed [4]uint32
		for j, v := range f.of {
			packed[j] = v
		}
		for row := range 16 {
			from, k := 0, 0
			for j, v := range packed {
				if v == 0 {
					continue
				}
				if row>>k&1 != 0 {
					from |= 1 << j
				}
				k++
			}
			g.truth |= f.truth >> from & 1 << row
		}
		f = g
	}
	return f
}

// lookup returns the bit with the function f, if there is one.
func (g *Graph) lookup(f function) (Bit, bool) {
	switch f.truth {
	case 0:
		return g.False, true
	case 0xffff:
		return g.True, true
	}
	flip := Bit(f.truth & 1)
	if f.of[1] == 0 {
		return Bit(f.of[0]<<1) ^ flip, true
	}
	if flip != 0 {
		f.truth = ^f.truth
	}
	b, ok := g.table[f]
	return b ^ flip, ok
}

// gate returns the gate with the inputs x and y, whose values are combined by
// apply, and its truth table by join.
func (g *Graph) gate(k Kind, x, y Bit, join func(a, b uint16) uint16, apply func(a, b uint64) uint64) Bit {
	fx, fy := g.function(x), g.function(y)
	of, small := union(&fx, &fy)
	f := function{of: of}
	if small {
		f.truth = join(fx.over(&of), fy.over(&of))
		f = f.reduced()
		if b, ok := g.lookup(f); ok {
			return b
		}
	}
	key := [3]uint32{uint32(k), uint32(min(x, y)), uint32(max(x, y))}
	if !small {
		if b, ok := g.gates[key]; ok {
			return b
		}
	}
	at := uint32(len(g.nodes))
	b := Bit(at << 1)
	message := g.node(x).message
	if g.node(y).message != message {
		message = 0
	}
	g.nodes = append(g.nodes, node{kind: k, x: x, y: y, f: f})
	if message != 0 {
		v, w := g.Values(x), g.Values(y)
		for n := range v {
			v[n] = apply(v[n], w[n])
		}
		g.ofMessage(b, message, v)
	}
	if !small {
		g.nodes[at].f = function{of: [4]uint32{at}, truth: 0xaaaa}
		g.gates[key] = b
		return b
	}
	flip := Bit(f.truth & 1)
	if flip != 0 {
		f.truth = ^f.truth
	}
	g.table[f] = b ^ flip
	return b
}

// And returns a and b.
func (g *Graph) And(a, b Bit) Bit {
	switch {
	case a == b || b == g.True:
		return a
	case a == b.Not() || a == g.False || b == g.False:
		return g.False
	case a == g.True:
		return b
	}
	return g.gate(And, a, b, func(a, b uint16) uint16 { return a & b }, func(a, b uint64) uint64 { return a & b })
}

// Or returns a or b.
func (g *Graph) Or(a, b Bit) Bit { return g.And(a.Not(), b.Not()).Not() }

// Xor returns a xor b.
func (g *Graph) Xor(a, b Bit) Bit {
	flip := (a ^ b) & 1
	a, b = a&^1, b&^1
	switch {
	case a == b:
		return g.False ^ flip
	case a == g.True:
		return b ^ 1 ^ flip
	case b == g.True:
		return a ^ 1 ^ flip
	}
	sum, linear := g.addForms(a, b)
	if linear {
		if r, ok := g.messageBit(sum); ok {
			return r ^ flip
		}
	}
	r := g.gate(Xor, a, b, func(a, b uint16) uint16 { return a ^ b }, func(a, b uint64) uint64 { return a ^ b })
	if linear {
		g.setForm(r, sum)
	}
	return r ^ flip
}

// Choice returns a where c is set and b elsewhere.
func (g *Graph) Choice(c, a, b Bit) Bit {
	switch {
	case a == b:
		return a
	case a == g.True:
		return g.Or(c, b)
	case a == g.False:
		return g.And(c.Not(), b)
	case b == g.True:
		return g.Or(c.Not(), a)
	case b == g.False:
		return g.And(c, a)
	}
	return g.Or(g.And(c, a), g.And(c.Not(), b))
}
