package arm64

import (
	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/processor"
)

// condition returns whether a condition, by its name, is met.
func (e *execution) condition(name string) bit {
	f := e.flags
	if f.zero == 0 {
		e.fail("%s reads flags that are undefined", e.i.Name)
		return e.G.False
	}
	switch name {
	case "EQ":
		return f.zero
	case "NE":
		return f.zero.Not()
	case "LO":
		return f.carry.Not()
	}
	e.fail("condition %s has no meaning", name)
	return e.G.False
}

// jump goes to the last operand, a label.
func (e *execution) jump(taken bit) {
	o := e.ops[len(e.ops)-1]
	if o.Kind != asm.Label {
		e.fail("%s is no label", o.Text)
		return
	}
	e.action = processor.Action{Kind: processor.Jump, Target: o.Name, Taken: taken}
}

// isZero returns whether all of a register is zero.
func (e *execution) isZero(o asm.Operand) bit {
	r := e.G.True
	for _, w := range e.get(o) {
		for _, b := range e.G.Bits(w) {
			r = e.G.And(r, b.Not())
		}
	}
	return r
}

// control are the instructions that leave the order of the text.
var control = map[string]meaning{
	"B":    {1, func(e *execution) { e.jump(e.G.True) }},
	"BEQ":  {1, func(e *execution) { e.jump(e.condition("EQ")) }},
	"CBZ":  {2, func(e *execution) { e.jump(e.isZero(e.ops[0])) }},
	"CBNZ": {2, func(e *execution) { e.jump(e.isZero(e.ops[0]).Not()) }},
	"CALL": {1, func(e *execution) {
		if e.ops[0].Kind != asm.Symbol || e.ops[0].Value != 0 {
			e.fail("calls %s, which is no function", e.ops[0].Text)
		}
		e.action = processor.Action{Kind: processor.Call, Target: e.ops[0].Name}
	}},
	"RET": {0, func(e *execution) { e.action = processor.Action{Kind: processor.Return} }},
}
