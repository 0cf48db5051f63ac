package amd64

// roundConstants are the constants that SHA1RNDS4 adds.
var roundConstants = [4]uint32{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6}

// sha returns the sources of an SHA instruction, its highest words first, as
// they are numbered: the destination in a and the other in b.
func (e *execution) sha(operands int) (a, b [4]word) {
	if !e.want(operands) {
		return a, b
	}
	src, dst := e.source(e.ops[operands-2], 4), e.source(e.ops[operands-1], 4)
	for i := range 4 {
		a[i], b[i] = dst[3-i], src[3-i]
	}
	return a, b
}

func (e *execution) setSHA(v [4]word) {
	if e.err == nil {
		e.setVector(e.ops[len(e.ops)-1], []word{v[3], v[2], v[1], v[0]})
	}
}

// rounds are the SHA extensions.
var rounds = map[string]meaning{
	"SHA1RNDS4": func(e *execution) {
		s, w := e.sha(3)
		if e.err != nil {
			return
		}
		n := e.immediate(e.ops[0]) & 3
		a, b, c, d := s[0], s[1], s[2], s[3]
		last := e.G.Const(0) // the first word has E in it
		for t := range 4 {
			f := e.G.XorWord(e.G.XorWord(b, c), d)
			switch n {
			case 0:
				f = e.G.XorWord(e.G.AndWord(b, c), e.G.AndNotWord(b, d))
			case 2:
				f = e.G.XorWord(e.G.XorWord(e.G.AndWord(b, c), e.G.AndWord(b, d)), e.G.AndWord(c, d))
			}
			next := e.G.Add(e.G.Add(f, e.G.RotateLeft(a, 5)), e.G.Add(e.G.Add(w[t], last), e.G.Const(roundConstants[n])))
			a, b, c, d, last = next, a, e.G.RotateLeft(b, 30), c, d
		}
		e.setSHA([4]word{a, b, c, d})
	},
	"SHA1NEXTE": func(e *execution) {
		a, b := e.sha(2)
		if e.err == nil {
			e.setSHA([4]word{e.G.Add(b[0], e.G.RotateLeft(a[0], 30)), b[1], b[2], b[3]})
		}
	},
	"SHA1MSG1": func(e *execution) {
		a, b := e.sha(2)
		if e.err == nil {
			e.setSHA([4]word{e.G.XorWord(a[2], a[0]), e.G.XorWord(a[3], a[1]), e.G.XorWord(b[0], a[2]), e.G.XorWord(b[1], a[3])})
		}
	},
	"SHA1MSG2": func(e *execution) {
		a, b := e.sha(2)
		if e.err != nil {
			return
		}
		w16 := e.G.RotateLeft(e.G.XorWord(a[0], b[1]), 1)
		e.setSHA([4]word{
			w16,
			e.G.RotateLeft(e.G.XorWord(a[1], b[2]), 1),
			e.G.RotateLeft(e.G.XorWord(a[2], b[3]), 1),
			e.G.RotateLeft(e.G.XorWord(a[3], w16), 1),
		})
	},
}
