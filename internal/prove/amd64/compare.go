package amd64

// testInto returns the meaning of a test of lanes into a mask register, which
// is set where two sources have a common bit, or where they have none.
func testInto(common bool) meaning {
	return func(e *execution) {
		if !e.want(3) {
			return
		}
		lanes := e.lanesOf(e.ops[1])
		c, k := register(e.ops[2].Name)
		if c != maskRegister {
			e.fail("%s is no mask register", e.ops[2].Text)
		}
		if e.err != nil {
			return
		}
		a, b := e.source(e.ops[1], lanes), e.source(e.ops[0], lanes)
		var out [32]bit
		for i := range out {
			out[i] = e.G.False
			if i >= lanes {
				continue
			}
			none := e.G.True
			for _, v := range e.bits(e.G.AndWord(a[i], b[i])) {
				none = e.G.And(none, v.Not())
			}
			out[i] = none
			if common {
				out[i] = none.Not()
			}
		}
		if e.err == nil {
			e.mask[k] = [2]word{e.G.Word(out), e.G.Const(0)}
		}
	}
}

// signs gathers the signs of words in a general register.
func signs(e *execution) {
	if !e.want(2) {
		return
	}
	lanes := e.lanesOf(e.ops[0])
	if e.err != nil {
		return
	}
	var out [32]bit
	for i := range out {
		out[i] = e.G.False
	}
	for i, w := range e.source(e.ops[0], lanes) {
		out[i] = e.bits(w)[31]
	}
	e.write(e.ops[1], long, [2]word{e.known(e.G.Word(out))})
}

// comparisons are the instructions from vectors to masks and flags.
var comparisons = map[string]meaning{
	"VPTESTMD": testInto(true), "VPTESTMD.BCST": testInto(true),
	"VPTESTNMD": testInto(false), "VPTESTNMD.BCST": testInto(false),
	"KMOVW": func(e *execution) {
		if !e.want(2) {
			return
		}
		k := e.maskBits(e.ops[0])
		var out [32]bit
		for i := range out {
			out[i] = e.G.False
			if i < 16 {
				out[i] = k[i]
			}
		}
		e.write(e.ops[1], long, [2]word{e.known(e.G.Word(out))})
	},
	"MOVMSKPS": signs, "VMOVMSKPS": signs,
	"PTEST": func(e *execution) {
		if !e.want(2) {
			return
		}
		dst, src := e.source(e.ops[1], 4), e.source(e.ops[0], 4)
		both := make([]word, 4)
		carry := e.G.True
		for i := range both {
			both[i] = e.G.AndWord(src[i], dst[i])
			for _, b := range e.bits(e.G.AndNotWord(dst[i], src[i])) {
				carry = e.G.And(carry, b.Not())
			}
		}
		e.flags = flags{zero: both, sign: e.G.Const(0), carry: carry, overflow: e.G.False}
	},
}
