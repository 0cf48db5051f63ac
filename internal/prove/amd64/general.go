package amd64

import (
	"math/bits"

	"github.com/sha1dc/go/internal/prove/asm"
)

// width is the size of an operation on general registers.
type width int

const (
	byteWide width = 1
	long     width = 4
	quad     width = 8
)

// read returns the value of a general operand, zero above its width.
func (e *execution) read(o asm.Operand, w width) [2]word {
	zero := e.G.Const(0)
	switch {
	case o.Kind == asm.Immediate:
		if o.Value != int64(int32(o.Value)) && (w == quad || o.Value != int64(uint32(o.Value))) && e.i.Name != "MOVQ" {
			e.fail("%s does not fit in 32 bits", o.Text)
		}
		v := e.constant(uint64(o.Value))
		switch w {
		case byteWide:
			v[0] = e.G.Const(uint32(uint8(o.Value)))
			v[1] = zero
		case long:
			v[1] = zero
		}
		return v
	case isMemory(o) && w == byteWide:
		v, err := e.Memory.LoadByte(e.address(o))
		if err != nil {
			e.fail("%s: reads %w", e.i.Name, err)
			v = zero
		}
		return [2]word{e.known(v), zero}
	case isMemory(o) && w == long:
		return [2]word{e.known(e.operand(o, 1)[0]), zero}
	case isMemory(o):
		v := e.operand(o, 2)
		return [2]word{e.known(v[0]), e.known(v[1])}
	case o.Kind == asm.Register:
		c, n := register(o.Name)
		switch {
		case c == general && w == quad:
			return e.readGeneral(n)
		case c == general && w == long:
			return [2]word{e.readGeneral(n)[0], zero}
		case c == lowByte && w == byteWide:
			return [2]word{e.G.AndWord(e.readGeneral(n)[0], e.G.Const(0xff)), zero}
		}
	}
	e.fail("operand %s has no meaning here", o.Text)
	return [2]word{zero, zero}
}

func (e *execution) known(w word) word {
	if e.Known == nil {
		return w
	}
	return e.Known(w)
}

// write writes a general operand. Writing 32 bits of a register clears the
// others.
func (e *execution) write(o asm.Operand, w width, v [2]word) {
	if e.err != nil {
		return
	}
	if isMemory(o) {
		if w == byteWide {
			if err := e.Memory.StoreByte(e.address(o), v[0]); err != nil {
				e.fail("%s: %w", e.i.Name, err)
			}
			return
		}
		e.store(e.address(o), v[:w/4])
		return
	}
	c, n := register(o.Name)
	if o.Kind != asm.Register || c != general || w == byteWide {
		e.fail("cannot write to %s", o.Text)
		return
	}
	if w == long {
		v[1] = e.G.Const(0)
	}
	e.writeGeneral(n, v)
}

// setLogic sets the flags of a result of logic: no carry, no overflow.
func (e *execution) setLogic(v [2]word, w width) {
	e.flags = flags{zero: v[:], carry: e.G.False, overflow: e.G.False}
	e.setSign(v, w)
}

func (e *execution) setSign(v [2]word, w width) {
	switch w {
	case byteWide:
		e.flags.sign = e.G.ShiftLeft(v[0], 24)
	case long:
		e.flags.sign = v[0]
	case quad:
		e.flags.sign = v[1]
	}
}

// setSum sets the flags of a-b or a+b, as sub says. Of values that are not
// constant, only what depends on the result alone is defined.
func (e *execution) setSum(a, b, result [2]word, w width, sub bool) {
	e.flags = flags{zero: result[:]}
	e.setSign(result, w)
	p, ok1 := e.fixed(a)
	q, ok2 := e.fixed(b)
	if !ok1 || !ok2 {
		return
	}
	shift := 64 - 8*uint(w)
	p, q = p<<shift, q<<shift
	var r, carry uint64
	if sub {
		r, carry = bits.Sub64(p, q, 0)
		e.flags.overflow = e.G.ConstantBit((p^q)&(p^r)>>63 != 0)
	} else {
		r, carry = bits.Add64(p, q, 0)
		e.flags.overflow = e.G.ConstantBit((p^r)&(q^r)>>63 != 0)
	}
	e.flags.carry = e.G.ConstantBit(carry != 0)
}

func (e *execution) fixed(v [2]word) (uint64, bool) {
	low, ok1 := e.G.Value(v[0])
	high, ok2 := e.G.Value(v[1])
	return uint64(high)<<32 | uint64(low), ok1 && ok2
}

// logic returns the meaning of dst = f(src, dst).
func logic(w width, f func(e *execution, src, dst word) word) meaning {
	return func(e *execution) {
		if !e.want(2) {
			return
		}
		src, dst := e.read(e.ops[0], w), e.read(e.ops[1], w)
		r := [2]word{f(e, src[0], dst[0]), f(e, src[1], dst[1])}
		if w == long {
			r[1] = e.G.Const(0)
		}
		e.setLogic(r, w)
		e.write(e.ops[1], w, r)
	}
}

func and(e *execution, a, b word) word { return e.G.AndWord(a, b) }
func or(e *execution, a, b word) word  { return e.G.OrWord(a, b) }
func xor(e *execution, a, b word) word { return e.G.XorWord(a, b) }

// sum returns a+b or a-b. Values of 64 bits must be constants.
func (e *execution) sum(a, b [2]word, w width, sub bool) [2]word {
	if w == long {
		if sub {
			return [2]word{e.G.Sub(a[0], b[0]), e.G.Const(0)}
		}
		return [2]word{e.G.Add(a[0], b[0]), e.G.Const(0)}
	}
	p, q := e.value(a, e.ops[len(e.ops)-1].Text), e.value(b, e.ops[0].Text)
	if sub {
		q = -q
	}
	r := p + q
	if w == byteWide {
		r = uint64(uint8(r))
	}
	return e.constant(r)
}

func add(w width, sub bool) meaning {
	return func(e *execution) {
		if !e.want(2) {
			return
		}
		src, dst := e.read(e.ops[0], w), e.read(e.ops[1], w)
		r := e.sum(dst, src, w, sub)
		e.setSum(dst, src, r, w, sub)
		e.write(e.ops[1], w, r)
	}
}

// step adds one or takes one away, which leaves the carry as it is.
func step(sub bool) meaning {
	return func(e *execution) {
		if !e.want(1) {
			return
		}
		one, v, carry := e.constant(1), e.read(e.ops[0], quad), e.flags.carry
		r := e.sum(v, one, quad, sub)
		e.setSum(v, one, r, quad, sub)
		e.flags.carry = carry
		e.write(e.ops[0], quad, r)
	}
}

func compare(w width) meaning {
	return func(e *execution) {
		if !e.want(2) {
			return
		}
		a, b := e.read(e.ops[0], w), e.read(e.ops[1], w)
		e.setSum(a, b, e.sum(a, b, w, true), w, true)
	}
}

func test(w width) meaning {
	return func(e *execution) {
		if !e.want(2) {
			return
		}
		a, b := e.read(e.ops[0], w), e.read(e.ops[1], w)
		e.setLogic([2]word{e.G.AndWord(a[0], b[0]), e.G.AndWord(a[1], b[1])}, w)
	}
}

func move(w width) meaning {
	return func(e *execution) {
		if e.want(2) {
			e.write(e.ops[1], w, e.read(e.ops[0], w))
		}
	}
}

// loadAddress computes base + index*scale + offset without touching memory.
func loadAddress(w width) meaning {
	return func(e *execution) {
		if !e.want(2) {
			return
		}
		o := e.ops[0]
		if w == quad {
			e.write(e.ops[1], quad, e.constant(e.address(o)))
			return
		}
		if o.Kind != asm.Memory {
			e.fail("operand %s has no meaning here", o.Text)
			return
		}
		r := e.G.Add(e.baseRegister(o.Name)[0], e.G.Const(uint32(o.Value)))
		if o.Index != "" {
			r = e.G.Add(r, e.G.ShiftLeft(e.baseRegister(o.Index)[0], bits.TrailingZeros(uint(o.Scale))))
		}
		e.write(e.ops[1], long, [2]word{r})
	}
}

// moves are the moves between general registers and memory.
var moves = map[string]meaning{
	"MOVB": move(byteWide),
	"MOVL": move(long),
	"MOVQ": move(quad),
	"LEAL": loadAddress(long),
	"LEAQ": loadAddress(quad),
	"XCHGQ": func(e *execution) {
		if e.want(2) {
			a, b := e.read(e.ops[0], quad), e.read(e.ops[1], quad)
			e.write(e.ops[0], quad, b)
			e.write(e.ops[1], quad, a)
		}
	},
	"CMOVQCS": conditionalMove(carry),
	"CMOVQEQ": conditionalMove(isZero),
	"CMOVQLT": conditionalMove(less),
	"CMOVQNE": conditionalMove(notZero),
}

func conditionalMove(condition func(*execution) bit) meaning {
	return func(e *execution) {
		if !e.want(2) {
			return
		}
		a, b := e.read(e.ops[0], quad), e.read(e.ops[1], quad)
		taken := condition(e)
		if e.err == nil {
			e.write(e.ops[1], quad, [2]word{e.G.ChoiceWord(taken, a[0], b[0]), e.G.ChoiceWord(taken, a[1], b[1])})
		}
	}
}

// shiftQuad returns the meaning of a shift of 64 bits, which must be constants.
func shiftQuad(f func(v uint64, n int) uint64) meaning {
	return func(e *execution) {
		if e.want(2) {
			n, v := e.immediate(e.ops[0]), e.value(e.read(e.ops[1], quad), e.ops[1].Text)
			e.flags = flags{}
			e.write(e.ops[1], quad, e.constant(f(v, n&63)))
		}
	}
}

// arithmetic are the instructions that compute in general registers.
var arithmetic = map[string]meaning{
	"ADDL": add(long, false), "ADDQ": add(quad, false),
	"SUBL": add(long, true), "SUBQ": add(quad, true),
	"INCQ": step(false), "DECQ": step(true),
	"ANDL": logic(long, and), "ANDQ": logic(quad, and),
	"ORL":  logic(long, or),
	"XORL": logic(long, xor), "XORQ": logic(quad, xor),
	"CMPB": compare(byteWide), "CMPQ": compare(quad),
	"TESTL": test(long), "TESTQ": test(quad),
	"NOTL": func(e *execution) {
		if e.want(1) {
			e.write(e.ops[0], long, [2]word{e.G.NotWord(e.read(e.ops[0], long)[0])})
		}
	},
	"ANDNL": func(e *execution) { // the second operand is complemented
		if e.want(3) {
			r := [2]word{e.G.AndNotWord(e.read(e.ops[1], long)[0], e.read(e.ops[0], long)[0]), e.G.Const(0)}
			e.setLogic(r, long)
			e.write(e.ops[2], long, r)
		}
	},
	"RORXL": func(e *execution) {
		if e.want(3) {
			e.write(e.ops[2], long, [2]word{e.G.RotateLeft(e.read(e.ops[1], long)[0], -e.immediate(e.ops[0]))})
		}
	},
	"ROLL": func(e *execution) {
		if e.want(2) {
			e.flags = flags{}
			e.write(e.ops[1], long, [2]word{e.G.RotateLeft(e.read(e.ops[1], long)[0], e.immediate(e.ops[0]))})
		}
	},
	"SHLQ": shiftQuad(func(v uint64, n int) uint64 { return v << n }),
	"SHRQ": shiftQuad(func(v uint64, n int) uint64 { return v >> n }),
	"IMULQ": func(e *execution) {
		if e.want(2) {
			a, b := e.value(e.read(e.ops[0], quad), e.ops[0].Text), e.value(e.read(e.ops[1], quad), e.ops[1].Text)
			e.flags = flags{}
			e.write(e.ops[1], quad, e.constant(a*b))
		}
	},
	"IMUL3Q": func(e *execution) {
		if e.want(3) {
			a, b := e.value(e.read(e.ops[0], quad), e.ops[0].Text), e.value(e.read(e.ops[1], quad), e.ops[1].Text)
			e.flags = flags{}
			e.write(e.ops[2], quad, e.constant(a*b))
		}
	},
	"BTL": func(e *execution) {
		if e.want(2) {
			n, v := e.value(e.read(e.ops[0], long), e.ops[0].Text), e.read(e.ops[1], long)
			if isMemory(e.ops[1]) {
				e.fail("a bit string in memory has no meaning")
				return
			}
			e.flags = flags{carry: e.bits(v[0])[n&31]}
		}
	},
	"BSFL": func(e *execution) {
		if e.want(2) {
			v := e.value(e.read(e.ops[0], long), e.ops[0].Text)
			if v == 0 {
				e.fail("BSFL of zero leaves its destination undefined")
				return
			}
			e.flags = flags{zero: []word{e.G.Const(1)}}
			e.write(e.ops[1], long, e.constant(uint64(bits.TrailingZeros64(v))))
		}
	},
}
