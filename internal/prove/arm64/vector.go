package arm64

import (
	"github.com/sha1dc/go/internal/prove/asm"
)

// vector returns a vector register with the given arrangement.
func (e *execution) vector(o asm.Operand, arrangement string) vector {
	n, ok := vectorRegister(o.Name, arrangement)
	if !ok || o.Kind != asm.Register {
		e.fail("%s is no vector register as %s takes it", o.Text, e.i.Name)
		zero := e.G.Const(0)
		return vector{zero, zero, zero, zero}
	}
	return e.vectorAt(n)
}

func (e *execution) vectorAt(n int) vector {
	r := &e.vectors[n]
	for i := range r {
		if r[i] == 0 {
			r[i] = e.G.FreshWord()
		}
	}
	return *r
}

// setVector writes a vector register.
func (e *execution) setVector(o asm.Operand, arrangement string, v vector) {
	n, ok := vectorRegister(o.Name, arrangement)
	if !ok || o.Kind != asm.Register {
		e.fail("%s is no vector register as %s takes it", o.Text, e.i.Name)
	}
	if e.err == nil {
		e.vectors[n] = v
	}
}

// lanes is a function of three words of two sources and the destination.
type lanes func(e *execution, n, m, d word) word

// apply applies f to each word.
func (e *execution) apply(f lanes, n, m, d vector) (out vector) {
	for i := range out {
		out[i] = f(e, n[i], m[i], d[i])
	}
	return out
}

// three returns the meaning of an instruction on words: of the second source,
// the first, and the destination.
func three(arrangement string, f lanes) meaning {
	return meaning{3, func(e *execution) {
		m, n, d := e.vector(e.ops[0], arrangement), e.vector(e.ops[1], arrangement), e.vector(e.ops[2], arrangement)
		e.setVector(e.ops[2], arrangement, e.apply(f, n, m, d))
	}}
}

// of makes lanes of a function of the sources alone.
func of(f func(e *execution, a, b word) word) lanes {
	return func(e *execution, n, m, _ word) word { return f(e, n, m) }
}

// Functions of the sources n and m and the destination d.
func insertTrue(e *execution, n, m, d word) word  { return e.G.Ternary(0xca, m, n, d) }
func insertFalse(e *execution, n, m, d word) word { return e.G.Ternary(0xca, m, d, n) }
func choose(e *execution, n, m, d word) word      { return e.G.Ternary(0xca, d, n, m) }

// test is all ones if two words have a bit in common.
func test(e *execution, a, b word) word {
	none := e.G.True
	for _, v := range e.G.Bits(e.G.AndWord(a, b)) {
		none = e.G.And(none, v.Not())
	}
	return e.G.Spread(none.Not())
}

// reverseBytes reverses the bytes of a word.
func reverseBytes(e *execution, a word) word {
	b := *e.G.Bits(a)
	var out [32]bit
	for i := range out {
		out[i] = b[i^24]
	}
	return e.G.Word(out)
}

// vectors are the instructions on vectors.
var vectors = map[string]meaning{
	"VADD":   three("S4", of(func(e *execution, a, b word) word { return e.G.Add(a, b) })),
	"VSUB":   three("S4", of(func(e *execution, a, b word) word { return e.G.Sub(a, b) })),
	"VCMTST": three("S4", of(test)),
	"VAND":   three("B16", of(and)),
	"VORR":   three("B16", of(or)),
	"VEOR":   three("B16", of(xor)),
	"VBIT":   three("B16", insertTrue),
	"VREV32": {2, func(e *execution) {
		v := e.vector(e.ops[0], "B16")
		for i := range v {
			v[i] = reverseBytes(e, v[i])
		}
		e.setVector(e.ops[1], "B16", v)
	}},
}
