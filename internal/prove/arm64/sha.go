package arm64

// hash returns the meaning of four steps with one of SHA-1's functions: the
// words plus constants, E in lane 0, and A to D, lane 0 being A, which they
// replace.
func hash(f func(e *execution, b, c, d word) word) meaning {
	return meaning{3, func(e *execution) {
		w, y, x := e.vector(e.ops[0], "S4"), e.vector(e.ops[1], "")[0], e.vector(e.ops[2], "")
		for t := range w {
			sum := e.G.Add(e.G.Add(y, e.G.RotateLeft(x[0], 5)), e.G.Add(f(e, x[1], x[2], x[3]), w[t]))
			x, y = vector{sum, x[0], e.G.RotateLeft(x[1], 30), x[2]}, x[3]
		}
		e.setVector(e.ops[2], "", x)
	}}
}

// rounds are the SHA-1 extension.
var rounds = map[string]meaning{
	"SHA1C": hash(func(e *execution, b, c, d word) word {
		return e.G.XorWord(e.G.AndWord(b, c), e.G.AndNotWord(b, d))
	}),
	"SHA1P": hash(func(e *execution, b, c, d word) word { return e.G.XorWord(e.G.XorWord(b, c), d) }),
	"SHA1M": hash(func(e *execution, b, c, d word) word {
		return e.G.XorWord(e.G.XorWord(e.G.AndWord(b, c), e.G.AndWord(b, d)), e.G.AndWord(c, d))
	}),
	"SHA1H": {2, func(e *execution) {
		zero := e.G.Const(0)
		e.setVector(e.ops[1], "", vector{e.G.RotateLeft(e.vector(e.ops[0], "")[0], 30), zero, zero, zero})
	}},
	"SHA1SU0": {3, func(e *execution) {
		m, n, d := e.vector(e.ops[0], "S4"), e.vector(e.ops[1], "S4"), e.vector(e.ops[2], "S4")
		next := vector{d[2], d[3], n[0], n[1]}
		for i := range d {
			d[i] = e.G.XorWord(e.G.XorWord(next[i], d[i]), m[i])
		}
		e.setVector(e.ops[2], "S4", d)
	}},
	"SHA1SU1": {2, func(e *execution) {
		n, d := e.vector(e.ops[0], "S4"), e.vector(e.ops[1], "S4")
		for i := range 3 {
			d[i] = e.G.RotateLeft(e.G.XorWord(d[i], n[i+1]), 1)
		}
		d[3] = e.G.XorWord(e.G.RotateLeft(d[3], 1), e.G.RotateLeft(d[0], 1))
		e.setVector(e.ops[1], "S4", d)
	}},
}
