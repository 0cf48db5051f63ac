package symbolic

import (
	"math/bits"
	"slices"
)

// Word is 32 bits. Equal words are the same Word; zero is no word.
type Word uint32

// wordStore holds the words of a graph.
type wordStore struct {
	words  [][32]Bit
	fixed  []fixed
	sums   []*sum // of words that are sums
	index  map[[32]Bit]Word
	done   map[operation]Word
	bySum  map[string]Word
	consts map[uint32]Word
}

type fixed struct {
	value uint32
	ok    bool
	zeros uint32 // bits that are the constant zero
}

// operation names an operation and its operands, whose result is remembered.
type operation struct {
	name    opcode
	n       uint8
	a, b, c Word
}

type opcode uint8

const (
	opAnd opcode = iota
	opAndNot
	opOr
	opXor
	opNot
	opAdd
	opSub
	opRotate
	opShiftLeft
	opShiftRight
	opShiftSigned
	opTernary
)

func (g *Graph) initWords() {
	g.words = make([][32]Bit, 1)
	g.fixed = make([]fixed, 1)
	g.sums = make([]*sum, 1)
	g.index = make(map[[32]Bit]Word)
	g.done = make(map[operation]Word)
	g.bySum = make(map[string]Word)
	g.consts = make(map[uint32]Word)
}

// Word returns the word of the given bits, the lowest first.
func (g *Graph) Word(b [32]Bit) Word {
	if w, ok := g.index[b]; ok {
		return w
	}
	w := Word(len(g.words))
	g.words = append(g.words, b)
	f := fixed{ok: true}
	for i, b := range b {
		switch b {
		case g.True:
			f.value |= 1 << i
		case g.False:
			f.zeros |= 1 << i
		default:
			f.ok = false
		}
	}
	g.fixed = append(g.fixed, f)
	g.sums = append(g.sums, nil)
	g.index[b] = w
	return w
}

// Bits returns the bits of w.
func (g *Graph) Bits(w Word) *[32]Bit { return &g.words[w] }

// Value returns the value of w if it is a constant.
func (g *Graph) Value(w Word) (value uint32, ok bool) { return g.fixed[w].value, g.fixed[w].ok }

// Const returns the word with the given value.
func (g *Graph) Const(v uint32) Word {
	if w, ok := g.consts[v]; ok {
		return w
	}
	var b [32]Bit
	for i := range b {
		b[i] = g.ConstantBit(v>>i&1 != 0)
	}
	w := g.Word(b)
	g.consts[v] = w
	return w
}

// FreshWord returns a word of free variables.
func (g *Graph) FreshWord() Word {
	var b [32]Bit
	for i := range b {
		b[i] = g.Fresh()
	}
	return g.Word(b)
}

// Spread returns the word with b in all 32 bits.
func (g *Graph) Spread(b Bit) Word {
	var w [32]Bit
	for i := range w {
		w[i] = b
	}
	return g.Word(w)
}

// do returns the result of an operation, computing it once.
func (g *Graph) do(o operation, compute func() Word) Word {
	if w, ok := g.done[o]; ok {
		return w
	}
	w := compute()
	g.done[o] = w
	return w
}

// bitwise applies f to each pair of bits.
func (g *Graph) bitwise(name opcode, a, b Word, f func(a, b Bit) Bit, value func(a, b uint32) uint32) Word {
	if x, ok := g.Value(a); ok {
		if y, ok := g.Value(b); ok {
			return g.Const(value(x, y))
		}
	}
	return g.do(operation{name: name, a: a, b: b}, func() Word {
		x, y := g.words[a], g.words[b]
		for i := range x {
			x[i] = f(x[i], y[i])
		}
		return g.Word(x)
	})
}

// AndWord returns a and b.
func (g *Graph) AndWord(a, b Word) Word {
	return g.bitwise(opAnd, a, b, g.And, func(a, b uint32) uint32 { return a & b })
}

// AndNotWord returns b without the bits of a.
func (g *Graph) AndNotWord(a, b Word) Word {
	return g.bitwise(opAndNot, a, b, func(a, b Bit) Bit { return g.And(a.Not(), b) }, func(a, b uint32) uint32 { return b &^ a })
}

// OrWord returns a or b.
func (g *Graph) OrWord(a, b Word) Word {
	return g.bitwise(opOr, a, b, g.Or, func(a, b uint32) uint32 { return a | b })
}

// XorWord returns a xor b.
func (g *Graph) XorWord(a, b Word) Word {
	return g.bitwise(opXor, a, b, g.Xor, func(a, b uint32) uint32 { return a ^ b })
}

// NotWord returns the complement of a.
func (g *Graph) NotWord(a Word) Word {
	return g.bitwise(opNot, a, a, func(a, _ Bit) Bit { return a.Not() }, func(a, _ uint32) uint32 { return ^a })
}

// ChoiceWord returns a where c is set and b elsewhere.
func (g *Graph) ChoiceWord(c Bit, a, b Word) Word {
	if v, ok := g.Constant(c); ok {
		if v {
			return a
		}
		return b
	}
	x, y := g.words[a], g.words[b]
	for i := range x {
		x[i] = g.Choice(c, x[i], y[i])
	}
	return g.Word(x)
}

// shift returns the word with bit i from bit from(i) of a, or fill if that is
// out of range.
func (g *Graph) shift(name opcode, a Word, n int, from func(i int) int, fill func() Bit) Word {
	return g.do(operation{name: name, n: uint8(n), a: a}, func() Word {
		x := g.words[a]
		var out [32]Bit
		for i := range out {
			if at := from(i); at >= 0 && at < 32 {
				out[i] = x[at]
			} else {
				out[i] = fill()
			}
		}
		return g.Word(out)
	})
}

func (g *Graph) zero() Bit { return g.False }

// RotateLeft returns a rotated by n, which may be negative.
func (g *Graph) RotateLeft(a Word, n int) Word {
	n &= 31
	return g.shift(opRotate, a, n, func(i int) int { return (i - n) & 31 }, g.zero)
}

// ShiftLeft returns a shifted by n >= 0, zero from 32 on.
func (g *Graph) ShiftLeft(a Word, n int) Word {
	n = min(n, 32)
	return g.shift(opShiftLeft, a, n, func(i int) int { return i - n }, g.zero)
}

// ShiftRight returns a shifted by n >= 0, zero from 32 on.
func (g *Graph) ShiftRight(a Word, n int) Word {
	n = min(n, 32)
	return g.shift(opShiftRight, a, n, func(i int) int { return i + n }, g.zero)
}

// ShiftSigned returns a shifted right by n >= 0, with copies of its sign.
func (g *Graph) ShiftSigned(a Word, n int) Word {
	n = min(n, 31)
	return g.shift(opShiftSigned, a, n, func(i int) int { return min(i+n, 31) }, g.zero)
}

// Ternary returns the function of three words that the table gives: bit
// 4a+2b+c of it, for the bits of a, b and c.
func (g *Graph) Ternary(table uint8, a, b, c Word) Word {
	return g.do(operation{name: opTernary, n: table, a: a, b: b, c: c}, func() Word {
		x, y, z := g.words[a], g.words[b], g.words[c]
		for i := range x {
			x[i] = g.ternaryBit(table, x[i], y[i], z[i])
		}
		return g.Word(x)
	})
}

func (g *Graph) ternaryBit(table uint8, a, b, c Bit) Bit {
	if table == 0x96 { // a sum over GF(2), which may be that of a message
		return g.Xor(g.Xor(a, b), c)
	}
	pick := func(rows uint8) Bit { // of c alone
		return g.Choice(c, g.ConstantBit(rows&2 != 0), g.ConstantBit(rows&1 != 0))
	}
	low := g.Choice(b, pick(table>>2&3), pick(table&3))
	high := g.Choice(b, pick(table>>6&3), pick(table>>4&3))
	return g.Choice(a, high, low)
}

// sum is a word that is a sum of others modulo 2^32, with coefficients.
type sum struct {
	terms []term // by word
	c     uint32
}

type term struct {
	w    Word
	coef uint32
}

// asSum returns w as a sum.
func (g *Graph) asSum(w Word) sum {
	if v, ok := g.Value(w); ok {
		return sum{c: v}
	}
	if s := g.sums[w]; s != nil {
		return *s
	}
	return sum{terms: []term{{w, 1}}}
}

// Add returns a plus b.
func (g *Graph) Add(a, b Word) Word {
	if x, ok := g.Value(a); ok {
		if y, ok := g.Value(b); ok {
			return g.Const(x + y)
		}
	}
	return g.do(operation{name: opAdd, a: a, b: b}, func() Word { return g.combine(a, b, 1) })
}

// Sub returns a minus b.
func (g *Graph) Sub(a, b Word) Word {
	if x, ok := g.Value(a); ok {
		if y, ok := g.Value(b); ok {
			return g.Const(x - y)
		}
	}
	return g.do(operation{name: opSub, a: a, b: b}, func() Word { return g.combine(a, b, ^uint32(0)) })
}

// combine returns a plus coef times b.
func (g *Graph) combine(a, b Word, coef uint32) Word {
	x, y := g.asSum(a), g.asSum(b)
	out := sum{c: x.c + coef*y.c}
	i, j := 0, 0
	for i < len(x.terms) || j < len(y.terms) {
		switch {
		case j == len(y.terms) || i < len(x.terms) && x.terms[i].w < y.terms[j].w:
			out.terms = append(out.terms, x.terms[i])
			i++
		case i == len(x.terms) || y.terms[j].w < x.terms[i].w:
			out.terms = append(out.terms, term{y.terms[j].w, coef * y.terms[j].coef})
			j++
		default:
			if c := x.terms[i].coef + coef*y.terms[j].coef; c != 0 {
				out.terms = append(out.terms, term{x.terms[i].w, c})
			}
			i, j = i+1, j+1
		}
	}
	g.joinDisjoint(&out)
	return g.sumWord(&out)
}

// joinDisjoint replaces terms that have no bit in common by their union, since
// nothing carries between them: the selections of SHA-1's Boolean functions, and
// the two shifts that make a rotation.
func (g *Graph) joinDisjoint(s *sum) {
	for i := 0; i < len(s.terms); i++ {
		for j := i + 1; j < len(s.terms); j++ {
			p, q := s.terms[i], s.terms[j]
			if p.coef != q.coef || !g.disjoint(p.w, q.w) {
				continue
			}
			joined := g.OrWord(p.w, q.w)
			rest := slices.Delete(slices.Clone(s.terms), j, j+1)
			rest = slices.Delete(rest, i, i+1)
			more := g.asSum(joined)
			if len(more.terms) != 1 {
				continue
			}
			t := term{joined, p.coef}
			at, found := slices.BinarySearchFunc(rest, t, func(a, b term) int { return int(a.w) - int(b.w) })
			if found {
				continue
			}
			s.terms = slices.Insert(rest, at, t)
			g.joinDisjoint(s)
			return
		}
	}
}

// composed reports whether the lowest bit of w that is no constant is a gate.
func (g *Graph) composed(w Word) bool {
	for _, b := range g.words[w] {
		if _, ok := g.Constant(b); !ok {
			k, _, _ := g.Gate(b)
			return k != Variable
		}
	}
	return false
}

// disjoint reports whether it is known that a and b have no bit in common.
func (g *Graph) disjoint(a, b Word) bool {
	if g.fixed[a].zeros|g.fixed[b].zeros == ^uint32(0) {
		return true
	}
	if !g.composed(a) || !g.composed(b) {
		return false
	}
	x, y := g.words[a], g.words[b]
	for i := range x {
		fa, fb := g.function(x[i]), g.function(y[i])
		of, small := union(&fa, &fb)
		if !small || fa.over(&of)&fb.over(&of) != 0 {
			return false
		}
	}
	return true
}

// sumWord returns the word of a sum: a new one, unless it is known or one term
// alone, which is at most shifted.
func (g *Graph) sumWord(s *sum) Word {
	if len(s.terms) == 0 {
		return g.Const(s.c)
	}
	if len(s.terms) == 1 && s.c == 0 && bits.OnesCount32(s.terms[0].coef) == 1 {
		return g.ShiftLeft(s.terms[0].w, bits.TrailingZeros32(s.terms[0].coef))
	}
	if len(s.terms) == 1 {
		if b, ok := g.single(s.terms[0].w); ok {
			return g.ChoiceWord(b, g.Const(s.c+s.terms[0].coef), g.Const(s.c))
		}
	}
	key := make([]byte, 0, 8*len(s.terms)+4)
	put := func(v uint32) { key = append(key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }
	for _, t := range s.terms {
		put(uint32(t.w))
		put(t.coef)
	}
	put(s.c)
	if w, ok := g.bySum[string(key)]; ok {
		return w
	}
	w := g.FreshWord()
	kept := sum{terms: slices.Clone(s.terms), c: s.c}
	g.sums[w] = &kept
	g.bySum[string(key)] = w
	return w
}

// single returns the lowest bit of w if the others are zero.
func (g *Graph) single(w Word) (Bit, bool) {
	b := &g.words[w]
	for _, high := range b[1:] {
		if high != g.False {
			return 0, false
		}
	}
	return b[0], true
}
