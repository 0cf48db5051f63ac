package symbolic

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// evaluate returns the value of b, given those of the variables, to which it
// adds those of gates.
func evaluate(g *Graph, b Bit, values map[Bit]bool) bool {
	flip := b&1 != 0
	b &^= 1
	if b == g.True {
		return !flip
	}
	v, ok := values[b]
	if !ok {
		k, x, y := g.Gate(b)
		p, q := evaluate(g, x, values), evaluate(g, y, values)
		if k == And {
			v = p && q
		} else {
			v = p != q
		}
		values[b] = v
	}
	return v != flip
}

// TestFunctions builds random functions of six variables, and compares them
// with their truth tables under all assignments.
func TestFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		testFunctions(t, rng)
	}
}

func testFunctions(t *testing.T, rng *rand.Rand) {
	g := New()
	const inputs = 6
	var variables [inputs]Bit
	type known struct {
		b     Bit
		truth uint64 // bit n: the value under assignment n
	}
	pool := []known{{g.True, ^uint64(0)}, {g.False, 0}}
	for i := range variables {
		variables[i] = g.Fresh()
		var truth uint64
		for n := range 64 {
			truth |= uint64(n>>i&1) << n
		}
		pool = append(pool, known{variables[i], truth})
	}
	for range 150 {
		pick := func() known {
			k := pool[rng.IntN(len(pool))]
			if rng.IntN(2) == 0 {
				return known{k.b.Not(), ^k.truth}
			}
			return k
		}
		a, b, c := pick(), pick(), pick()
		var k known
		switch rng.IntN(5) {
		case 0:
			k = known{g.And(a.b, b.b), a.truth & b.truth}
		case 1:
			k = known{g.Or(a.b, b.b), a.truth | b.truth}
		case 2:
			k = known{g.Xor(a.b, b.b), a.truth ^ b.truth}
		case 3:
			k = known{g.Choice(a.b, b.b, c.b), a.truth&b.truth | ^a.truth&c.truth}
		case 4:
			table := uint8(rng.Uint32())
			k.b = g.ternaryBit(table, a.b, b.b, c.b)
			for n := range 64 {
				row := a.truth>>n&1<<2 | b.truth>>n&1<<1 | c.truth>>n&1
				k.truth |= uint64(table>>row&1) << n
			}
		}
		assignment := rng.IntN(64)
		values := make(map[Bit]bool)
		for i, v := range variables {
			values[v] = assignment>>i&1 != 0
		}
		if got := evaluate(g, k.b, values); got != (k.truth>>assignment&1 != 0) {
			t.Fatalf("node %d under assignment %b is %v", k.b, assignment, got)
		}
		pool = append(pool, k)
		if rng.IntN(20) == 0 {
			model := g.Refute([]Bit{k.b})
			if (model == nil) != (k.truth == 0) {
				t.Fatalf("solver: %v, truth table %x", model != nil, k.truth)
			}
			if model != nil {
				clear(values)
				for _, v := range variables {
					values[v] = model(v)
				}
				if !evaluate(g, k.b, values) {
					t.Fatal("the model does not set the bit")
				}
			}
		}
	}
}

// TestFunctionsOfFour compares small functions that are the same: they must be
// the same node.
func TestFunctionsOfFour(t *testing.T) {
	g := New()
	a, b, c := g.FreshWord(), g.FreshWord(), g.FreshWord()
	ch := g.XorWord(g.AndWord(g.XorWord(b, c), a), c)
	if g.Add(g.AndWord(a, b), g.AndNotWord(a, c)) != ch || g.Ternary(0xca, a, b, c) != ch {
		t.Error("forms of Ch are different words")
	}
	maj := g.OrWord(g.AndWord(g.OrWord(a, b), c), g.AndWord(a, b))
	if g.Add(g.AndWord(a, g.XorWord(b, c)), g.AndWord(b, c)) != maj || g.Ternary(0xe8, a, b, c) != maj {
		t.Error("forms of Maj are different words")
	}
	if g.Ternary(0x96, a, b, c) != g.XorWord(a, g.XorWord(b, c)) {
		t.Error("forms of parity are different words")
	}
}

// TestSums checks that sums are equal if and only if their terms are.
func TestSums(t *testing.T) {
	g := New()
	a, b, c := g.FreshWord(), g.FreshWord(), g.FreshWord()
	k := g.Const(0x5a827999)
	for what, equal := range map[string]bool{
		"order":           g.Add(g.Add(a, b), g.Add(c, k)) == g.Add(k, g.Add(c, g.Add(b, a))),
		"difference":      g.Sub(g.Add(a, b), b) == a,
		"nothing":         g.Sub(a, a) == g.Const(0),
		"twice":           g.Add(a, a) == g.ShiftLeft(a, 1),
		"zero":            g.Add(a, g.Const(0)) == a,
		"all of a bit":    g.Sub(g.Const(0), g.AndWord(a, g.Const(1))) == g.Spread(g.Bits(a)[0]),
		"all but a bit":   g.Sub(g.AndWord(a, g.Const(1)), g.Const(1)) == g.Spread(g.Bits(a)[0].Not()),
		"constants":       g.Add(k, g.Const(1)) == g.Const(0x5a82799a),
		"no coincidence":  g.Add(a, b) != g.Add(a, c) && g.Add(a, b) != g.Sub(a, b) && g.Add(a, k) != a,
		"rotation":        g.Add(g.Add(g.ShiftLeft(a, 5), b), g.ShiftRight(a, 27)) == g.Add(b, g.RotateLeft(a, 5)),
		"no rotation":     g.Add(g.ShiftLeft(a, 5), g.ShiftRight(a, 26)) != g.OrWord(g.ShiftLeft(a, 5), g.ShiftRight(a, 26)),
		"no disjointness": g.Add(g.AndWord(a, b), g.AndWord(a, c)) != g.OrWord(g.AndWord(a, b), g.AndWord(a, c)),
	} {
		if !equal {
			t.Errorf("%s: wrong", what)
		}
	}
}

// message returns a message whose patterns are random expanded blocks.
func message(g *Graph) [80]Word {
	rng := rand.New(rand.NewPCG(3, 4))
	var values [Patterns][80]uint32
	for n := range values {
		w := &values[n]
		for t := range w {
			if t < 16 {
				w[t] = rng.Uint32()
			} else {
				w[t] = bits.RotateLeft32(w[t-3]^w[t-8]^w[t-14]^w[t-16], 1)
			}
		}
	}
	return g.Message(&values)
}

// TestRecurrence expands a message, in two ways, and must find its words.
func TestRecurrence(t *testing.T) {
	g := New()
	w := message(g)
	other := message(g)
	for n := 16; n < 80; n++ {
		x := g.XorWord(g.XorWord(w[n-3], w[n-8]), g.XorWord(w[n-14], w[n-16]))
		if g.RotateLeft(x, 1) != w[n] {
			t.Fatalf("word %d is not found", n)
		}
		if y := g.XorWord(g.XorWord(w[n-3], w[n-8]), g.XorWord(w[n-14], other[n-16])); g.RotateLeft(y, 1) == w[n] {
			t.Fatalf("word %d is found with another message's", n)
		}
	}
	for n := 32; n < 80; n++ {
		x := g.XorWord(g.XorWord(w[n-6], w[n-16]), g.XorWord(w[n-28], w[n-32]))
		if g.RotateLeft(x, 2) != w[n] {
			t.Fatalf("word %d is not found by the wide recurrence", n)
		}
	}
}

// TestNoShortRelation shows that the recurrence is never used on an XOR of two
// bits of the expanded message: none equals a third. So what is proved of
// filters, which compare two bits at a time, holds for all 2,560 bits free.
func TestNoShortRelation(t *testing.T) {
	g := New()
	w := message(g)
	var all []Bit
	for _, word := range w {
		all = append(all, g.Bits(word)[:]...)
	}
	for n, a := range all {
		for _, b := range all[:n] {
			f, ok := g.addForms(a, b)
			if !ok {
				t.Fatal("bits of one message have no sum")
			}
			if _, ok := g.messageBit(f); ok {
				t.Fatalf("bits %d and %d have a sum in the message", a, b)
			}
		}
	}
}
