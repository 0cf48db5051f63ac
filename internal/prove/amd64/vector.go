package amd64

import (
	"strings"

	"github.com/sha1dc/go/internal/prove/asm"
)

// legacy reports whether the instruction is one of SSE, which leaves the upper
// parts of its destination as they are and wants aligned operands in memory.
func (e *execution) legacy() bool { return !strings.HasPrefix(e.i.Name, "V") }

// suffix reports whether the instruction has the given suffix.
func (e *execution) suffix(s string) bool { return strings.Contains(e.i.Name, "."+s) }

// vectorRegister returns the class and number of an operand that must be a
// vector register.
func (e *execution) vectorRegister(o asm.Operand) (class, int) {
	c, n := register(o.Name)
	if o.Kind != asm.Register || c < x {
		e.fail("%s is no vector register", o.Text)
		return x, 0
	}
	return c, n
}

// lanesOf returns how many words an operand has that must be a vector register.
func (e *execution) lanesOf(o asm.Operand) int {
	c, _ := e.vectorRegister(o)
	return c.lanes()
}

func (e *execution) readVector(n, lanes int) []word {
	out := make([]word, lanes)
	r := &e.vector[n]
	for i := range out {
		if r[i] == 0 {
			r[i] = e.G.FreshWord()
		}
		out[i] = r[i]
	}
	return out
}

// source returns a vector operand of so many words, in a register or memory.
func (e *execution) source(o asm.Operand, lanes int) []word {
	if !isMemory(o) {
		c, n := e.vectorRegister(o)
		if c.lanes() < lanes {
			e.fail("%s has %d words, want %d", o.Text, c.lanes(), lanes)
		}
		return e.readVector(n, lanes)
	}
	at := e.address(o)
	if e.suffix("BCST") {
		w := e.load(at, 1)[0]
		out := make([]word, lanes)
		for i := range out {
			out[i] = w
		}
		return out
	}
	if e.legacy() && e.i.Name != "MOVOU" && at%16 != 0 {
		e.fail("%s: %s is not aligned to 16 bytes", e.i.Name, o.Text)
	}
	return e.load(at, lanes)
}

// setVector writes a vector register: with an SSE instruction the lowest words
// alone, otherwise clearing all above.
func (e *execution) setVector(o asm.Operand, v []word) {
	_, n := e.vectorRegister(o)
	if e.err != nil {
		return
	}
	r := &e.vector[n]
	copy(r[:], v)
	if !e.legacy() {
		for i := len(v); i < len(r); i++ {
			r[i] = e.G.Const(0)
		}
	}
}

// maskBits returns the lowest bits of a mask register.
func (e *execution) maskBits(o asm.Operand) []bit {
	c, n := register(o.Name)
	if o.Kind != asm.Register || c != maskRegister || n == 0 {
		e.fail("%s is no mask register", o.Text)
		n = 1
	}
	r := &e.mask[n]
	for i := range r {
		if r[i] == 0 {
			r[i] = e.G.FreshWord()
		}
	}
	b := e.bits(r[0])
	return b[:]
}

// masked returns v in the lanes that the mask operand selects, and in the
// others zero if the instruction says so, or else what dst holds.
func (e *execution) masked(mask, dst asm.Operand, v []word) []word {
	k := e.maskBits(mask)
	_, n := e.vectorRegister(dst)
	old := e.readVector(n, len(v))
	for i := range v {
		if e.suffix("Z") {
			old[i] = e.G.Const(0)
		}
		old[i] = e.G.ChoiceWord(k[i], v[i], old[i])
	}
	return old
}

// finish writes v to the last operand, through the mask that may stand before
// it at the given place.
func (e *execution) finish(place int, v []word) {
	dst := e.ops[len(e.ops)-1]
	if e.err != nil {
		return
	}
	if len(e.ops) == place+2 {
		v = e.masked(e.ops[place], dst, v)
	}
	if e.err == nil {
		e.setVector(dst, v)
	}
}

// pairwise returns the meaning of an instruction on two sources, lane by lane;
// f takes the second operand in Go's order, or the destination of SSE, first.
func pairwise(f func(e *execution, a, b word) word) meaning {
	return func(e *execution) {
		a, b := e.twoSources()
		if e.err != nil {
			return
		}
		out := make([]word, len(a))
		for i := range out {
			out[i] = f(e, a[i], b[i])
		}
		e.finish(2, out)
	}
}

// twoSources returns the sources of an instruction with two: SSE's second is
// its destination.
func (e *execution) twoSources() (a, b []word) {
	if e.legacy() {
		if !e.want(2) {
			return nil, nil
		}
	} else if len(e.ops) != 3 && len(e.ops) != 4 {
		e.fail("%d operands, want 3 or 4", len(e.ops))
		return nil, nil
	}
	lanes := e.lanesOf(e.ops[len(e.ops)-1])
	if e.legacy() && lanes != 4 {
		e.fail("an SSE instruction on %s", e.ops[1].Text)
	}
	if e.err != nil {
		return nil, nil
	}
	b = e.source(e.ops[0], lanes)
	return e.source(e.ops[1], lanes), b
}

func addWords(e *execution, a, b word) word { return e.G.Add(a, b) }
func subWords(e *execution, a, b word) word { return e.G.Sub(a, b) }

// equal is all ones in lanes that are equal.
func equal(e *execution, a, b word) word {
	r := e.G.True
	p, q := e.bits(a), e.bits(b)
	for i := range p {
		r = e.G.And(r, e.G.Xor(p[i], q[i]).Not())
	}
	return e.G.Spread(r)
}

// sign is a, zero where b is zero, negated where b is negative.
func sign(e *execution, a, b word) word {
	isZero, s := e.G.True, e.bits(b)
	for _, v := range s {
		isZero = e.G.And(isZero, v.Not())
	}
	r := a
	if s[31] != e.G.False {
		r = e.G.ChoiceWord(s[31], e.G.Sub(e.G.Const(0), a), a)
	}
	return e.G.AndNotWord(e.G.Spread(isZero), r)
}

// lanewise are the vector instructions on words of 32 bits, and on single bits.
var lanewise = map[string]meaning{
	"PAND": pairwise(and), "VPAND": pairwise(and),
	"POR": pairwise(or), "VPOR": pairwise(or), "VPORD": pairwise(or), "VPORD.BCST": pairwise(or),
	"PXOR": pairwise(xor), "VPXOR": pairwise(xor), "VPXORD": pairwise(xor),
	"VPANDN": pairwise(func(e *execution, a, b word) word { return e.G.AndNotWord(a, b) }),
	"PADDD":  pairwise(addWords), "VPADDD": pairwise(addWords), "VPADDD.BCST": pairwise(addWords),
	"PSUBL": pairwise(subWords), "VPSUBD": pairwise(subWords),
	"PCMPEQL": pairwise(equal), "VPCMPEQD": pairwise(equal),
	"VPSIGND":   pairwise(sign),
	"VPBLENDVB": blendBytes,
	"VPTERNLOGD": func(e *execution) {
		if !e.want(4) {
			return
		}
		table, lanes := e.immediate(e.ops[0]), e.lanesOf(e.ops[3])
		if e.err != nil {
			return
		}
		a, b, c := e.source(e.ops[3], lanes), e.source(e.ops[2], lanes), e.source(e.ops[1], lanes)
		for i := range a {
			a[i] = e.G.Ternary(uint8(table), a[i], b[i], c[i])
		}
		e.finish(3, a)
	},
}

// shift returns the meaning of a shift or rotation by an immediate.
func shift(f func(e *execution, a word, n int) word) meaning {
	return func(e *execution) {
		src := 0
		switch {
		case e.legacy():
			src = 1
			e.want(2)
		default:
			src = 1
			e.want(3)
		}
		if e.err != nil {
			return
		}
		n, lanes := e.immediate(e.ops[0]), e.lanesOf(e.ops[len(e.ops)-1])
		if e.err != nil {
			return
		}
		v := e.source(e.ops[src], lanes)
		for i := range v {
			v[i] = f(e, v[i], n)
		}
		e.finish(len(e.ops)-1, v)
	}
}

func left(e *execution, a word, n int) word        { return e.G.ShiftLeft(a, n) }
func right(e *execution, a word, n int) word       { return e.G.ShiftRight(a, n) }
func signed(e *execution, a word, n int) word      { return e.G.ShiftSigned(a, n) }
func rotateLeft(e *execution, a word, n int) word  { return e.G.RotateLeft(a, n) }
func rotateRight(e *execution, a word, n int) word { return e.G.RotateLeft(a, -n) }

// shifts are the shifts of words by an immediate.
var shifts = map[string]meaning{
	"PSLLL": shift(left), "VPSLLD": shift(left),
	"PSRLL": shift(right), "VPSRLD": shift(right),
	"VPSRAD": shift(signed),
	"VPROLD": shift(rotateLeft), "VPRORD": shift(rotateRight),
}
