package arm64

import (
	"math/bits"

	"github.com/sha1dc/go/internal/prove/asm"
)

func (e *execution) constant(v uint64) pair {
	return pair{e.G.Const(uint32(v)), e.G.Const(uint32(v >> 32))}
}

// known returns the constant that a word is known to be, or the word.
func (e *execution) known(w word) word {
	if e.Known == nil {
		return w
	}
	return e.Known(w)
}

// register returns the number of an operand that must be a general register.
func (e *execution) register(o asm.Operand) int {
	n, ok := generalRegister(o.Name)
	if !ok || o.Kind != asm.Register {
		e.fail("%s is no general register of a function's own", o.Text)
		return 0
	}
	return n
}

// named returns the operand that is a register alone.
func named(register string) asm.Operand {
	return asm.Operand{Kind: asm.Register, Name: register, Text: register}
}

// get returns a general register.
func (e *execution) get(o asm.Operand) pair {
	r := &e.general[e.register(o)]
	for i := range r {
		if r[i] == 0 {
			r[i] = e.G.FreshWord()
		}
		r[i] = e.known(r[i])
	}
	return *r
}

func (e *execution) set(o asm.Operand, v pair) {
	if o.Kind != asm.Register {
		e.fail("cannot write to %s", o.Text)
	}
	if n := e.register(o); e.err == nil {
		e.general[n] = v
	}
}

// set32 writes the lower half of a register and clears the upper one.
func (e *execution) set32(o asm.Operand, w word) { e.set(o, pair{w, e.G.Const(0)}) }

// value returns the value of a register, which must be a constant.
func (e *execution) value(v pair, what string) uint64 {
	low, ok1 := e.G.Value(v[0])
	high, ok2 := e.G.Value(v[1])
	if !ok1 || !ok2 {
		e.fail("%s depends on more than the number of blocks and which vectors survive", what)
	}
	return uint64(high)<<32 | uint64(low)
}

// source returns a register, shifted as the operand says.
func (e *execution) source(o asm.Operand) pair {
	if o.Kind != asm.Shifted {
		return e.get(o)
	}
	n, v := int(o.Value), e.get(named(o.Name))
	if o.Index != ">>" || n < 0 || n > 63 {
		e.fail("operand %s has no meaning here", o.Text)
	}
	if n >= 32 {
		return pair{e.G.ShiftRight(v[1], n-32), e.G.Const(0)}
	}
	return pair{e.G.OrWord(e.G.ShiftRight(v[0], n), e.G.ShiftLeft(v[1], 32-n)), e.G.ShiftRight(v[1], n)}
}

// amount returns the value of a register or of an immediate of 12 bits.
func (e *execution) amount(o asm.Operand) uint64 {
	if o.Kind != asm.Immediate {
		return e.value(e.get(o), o.Text)
	}
	if o.Value < 0 || o.Value > 4095 {
		e.fail("%s does not fit in 12 bits", o.Text)
	}
	return uint64(o.Value)
}

// numbers returns the meaning of an instruction of two numbers, which must be
// constants: dst = f(second, first).
func numbers(f func(a, b uint64) uint64) meaning {
	return meaning{3, func(e *execution) {
		a, b := e.value(e.get(e.ops[1]), e.ops[1].Text), e.amount(e.ops[0])
		e.set(e.ops[2], e.constant(f(a, b)))
	}}
}

// logic returns the meaning of dst = f(second, first), bit by bit.
func logic(f func(e *execution, a, b word) word) meaning {
	return meaning{3, func(e *execution) {
		a, b := e.get(e.ops[1]), e.source(e.ops[0])
		e.set(e.ops[2], pair{f(e, a[0], b[0]), f(e, a[1], b[1])})
	}}
}

func and(e *execution, a, b word) word    { return e.G.AndWord(a, b) }
func or(e *execution, a, b word) word     { return e.G.OrWord(a, b) }
func xor(e *execution, a, b word) word    { return e.G.XorWord(a, b) }
func andNot(e *execution, a, b word) word { return e.G.AndNotWord(b, a) }
func orNot(e *execution, a, b word) word  { return e.G.OrWord(a, e.G.NotWord(b)) }

// halves returns the meaning of an instruction on the lower halves of two
// registers.
func halves(f func(e *execution, a, b word) word) meaning {
	return meaning{3, func(e *execution) {
		b := e.G.Const(uint32(e.ops[0].Value))
		if e.ops[0].Kind == asm.Immediate {
			e.amount(e.ops[0])
		} else {
			b = e.get(e.ops[0])[0]
		}
		e.set32(e.ops[2], f(e, e.get(e.ops[1])[0], b))
	}}
}

// lower returns the meaning of an instruction on the lower half of a register.
func lower(f func(e *execution, a word) word) meaning {
	return meaning{2, func(e *execution) { e.set32(e.ops[1], f(e, e.get(e.ops[0])[0])) }}
}

// compare sets the flags of a-b.
func (e *execution) compare(a, b uint64) {
	r, borrow := bits.Sub64(a, b, 0)
	e.flags = flags{
		negative: e.G.ConstantBit(r>>63 != 0),
		zero:     e.G.ConstantBit(r == 0),
		carry:    e.G.ConstantBit(borrow == 0),
		overflow: e.G.ConstantBit((a^b)&(a^r)>>63 != 0),
	}
}

// arithmetic are the instructions that compute in general registers.
var arithmetic = map[string]meaning{
	"ADD":  numbers(func(a, b uint64) uint64 { return a + b }),
	"SUB":  numbers(func(a, b uint64) uint64 { return a - b }),
	"SUBW": halves(func(e *execution, a, b word) word { return e.G.Sub(a, b) }),
	"AND":  logic(and), "ORR": logic(or),
	"ANDW": halves(and),
	"MVNW": lower(func(e *execution, a word) word { return e.G.NotWord(a) }),
	"RBITW": lower(func(e *execution, a word) word {
		b := *e.G.Bits(a)
		for i := range 16 {
			b[i], b[31-i] = b[31-i], b[i]
		}
		return e.G.Word(b)
	}),
	"CLZW": lower(func(e *execution, a word) word {
		v := e.value(pair{a, e.G.Const(0)}, e.ops[0].Text)
		return e.G.Const(uint32(bits.LeadingZeros32(uint32(v))))
	}),
	"MADD": {4, func(e *execution) { // the second operand is added to the product
		var v [3]uint64
		for n, o := range e.ops[:3] {
			v[n] = e.value(e.get(o), o.Text)
		}
		e.set(e.ops[3], e.constant(v[0]*v[2]+v[1]))
	}},
	"CMP": {2, func(e *execution) {
		e.compare(e.value(e.get(e.ops[1]), e.ops[1].Text), e.amount(e.ops[0]))
	}},
	"CSEL": {4, func(e *execution) {
		c := e.condition(e.ops[0].Name)
		a, b := e.get(e.ops[1]), e.get(e.ops[2])
		e.set(e.ops[3], pair{e.G.ChoiceWord(c, a[0], b[0]), e.G.ChoiceWord(c, a[1], b[1])})
	}},
}
