package arm64

import (
	"fmt"

	"github.com/sha1dc/go/internal/prove/asm"
)

// encoding is a set of instructions, as the architecture's manual encodes them:
// those with value in the bits of mask.
type encoding struct {
	name        string
	mask, value uint32
	execute     func(e *execution, code uint32)
}

// Registers of an encoded instruction.
func registerD(code uint32) int { return int(code & 31) }
func registerN(code uint32) int { return int(code >> 5 & 31) }
func registerM(code uint32) int { return int(code >> 16 & 31) }

// same encodes "Advanced SIMD three same" for all 128 bits: U is bit 29, size
// bits 22 and 23, opcode bits 11 to 15.
func same(name string, u, size, opcode uint32, f lanes) encoding {
	return encoding{
		name: name, mask: 0xffe0fc00,
		value: 1<<30 | u<<29 | 0xe<<24 | size<<22 | 1<<21 | opcode<<11 | 1<<10,
		execute: func(e *execution, code uint32) {
			n, m, d := e.vectorAt(registerN(code)), e.vectorAt(registerM(code)), e.vectorAt(registerD(code))
			e.vectors[registerD(code)] = e.apply(f, n, m, d)
		},
	}
}

// encodings are the instructions that may be written as words.
var encodings = []encoding{
	same("and", 0, 0, 3, of(and)),
	same("bic", 0, 1, 3, of(andNot)),
	same("orr", 0, 2, 3, of(or)),
	same("orn", 0, 3, 3, of(orNot)),
	same("eor", 1, 0, 3, of(xor)),
	same("bsl", 1, 1, 3, choose),
	same("bit", 1, 2, 3, insertTrue),
	same("bif", 1, 3, 3, insertFalse),
}

// decode returns the instruction that a word encodes.
func decode(i *asm.Instruction) (encoding, uint32, error) {
	if len(i.Operands) != 1 || i.Operands[0].Kind != asm.Immediate || i.Operands[0].Value != int64(uint32(i.Operands[0].Value)) {
		return encoding{}, 0, fmt.Errorf("want WORD with a number of 32 bits")
	}
	code := uint32(i.Operands[0].Value)
	for _, k := range encodings {
		if code&k.mask == k.value {
			return k, code, nil
		}
	}
	return encoding{}, 0, fmt.Errorf("the instruction %#08x has no meaning: give it one in internal/prove/arm64", code)
}

// encoded executes an instruction that is written as a word.
func (e *execution) encoded() {
	k, code, err := decode(e.i)
	if err != nil {
		e.fail("%w", err)
		return
	}
	k.execute(e, code)
}
