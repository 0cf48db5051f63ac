package amd64

import (
	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/processor"
)

// isZero returns ZF.
func isZero(e *execution) bit {
	if e.flags.zero == nil {
		e.fail("%s reads a flag that is undefined", e.i.Name)
		return e.G.False
	}
	r := e.G.True
	for _, w := range e.flags.zero {
		for _, b := range e.G.Bits(w) {
			r = e.G.And(r, b.Not())
		}
	}
	return r
}

func notZero(e *execution) bit { return isZero(e).Not() }

func carry(e *execution) bit {
	if e.flags.carry == 0 {
		e.fail("%s reads a flag that is undefined", e.i.Name)
		return e.G.False
	}
	return e.flags.carry
}

// less returns whether the sign differs from the overflow.
func less(e *execution) bit {
	if e.flags.sign == 0 || e.flags.overflow == 0 {
		e.fail("%s reads a flag that is undefined", e.i.Name)
		return e.G.False
	}
	return e.G.Xor(e.bits(e.flags.sign)[31], e.flags.overflow)
}

func notGreater(e *execution) bit { return e.G.Or(isZero(e), less(e)) }

func jump(condition func(*execution) bit) meaning {
	return func(e *execution) {
		if !e.want(1) {
			return
		}
		if e.ops[0].Kind != asm.Label {
			e.fail("%s is no label", e.ops[0].Text)
			return
		}
		e.action = processor.Action{Kind: processor.Jump, Target: e.ops[0].Name, Taken: condition(e)}
	}
}

// control are the instructions that leave the order of the text.
var control = map[string]meaning{
	"JMP": jump(func(e *execution) bit { return e.G.True }),
	"JE":  jump(isZero),
	"JEQ": jump(isZero),
	"JNE": jump(notZero),
	"JLT": jump(less),
	"JLE": jump(notGreater),
	"JCS": jump(carry),
	"CALL": func(e *execution) {
		if e.want(1) {
			if e.ops[0].Kind != asm.Symbol || e.ops[0].Value != 0 {
				e.fail("calls %s, which is no function", e.ops[0].Text)
			}
			e.action = processor.Action{Kind: processor.Call, Target: e.ops[0].Name}
		}
	},
	"RET": func(e *execution) {
		if e.want(0) {
			e.action = processor.Action{Kind: processor.Return}
		}
	},
}
