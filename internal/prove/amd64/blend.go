package amd64

import "github.com/sha1dc/go/internal/prove/symbolic"

// blendBytes takes each byte from the second operand where the highest bit of the
// first operand's byte is set, and from the third operand elsewhere.
func blendBytes(e *execution) {
	if !e.want(4) {
		return
	}
	lanes := e.lanesOf(e.ops[3])
	if e.err != nil {
		return
	}
	by, set, clear := e.source(e.ops[0], lanes), e.source(e.ops[1], lanes), e.source(e.ops[2], lanes)
	out := make([]word, lanes)
	for n := range out {
		choice, x, y := e.bits(by[n]), e.bits(set[n]), e.bits(clear[n])
		var b [32]symbolic.Bit
		for i := range b {
			b[i] = e.G.Choice(choice[i|7], x[i], y[i])
		}
		out[n] = e.G.Word(b)
	}
	if e.err == nil {
		e.setVector(e.ops[3], out)
	}
}
