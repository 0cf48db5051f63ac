package arm64

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
)

// Instructions that Go's assembler lacks are written as words, with what a
// disassembler makes of them behind.

// word appends an encoded instruction.
func (s *stream) word(encoding uint32, mnemonic string) {
	s.nodes = append(s.nodes, &ir.Instruction{
		Opcode:   "WORD",
		Operands: []operand.Op{text(fmt.Sprintf("$0x%08x // %s", encoding, mnemonic))},
	})
}

// three appends an instruction with two sources, a in bits 16 to 20 and b in
// bits 5 to 9.
func (s *stream) three(opcode uint32, name, arrangement string, a, b, d V) {
	for _, v := range []V{a, b, d} {
		if v > 31 {
			s.fail("%s: there is no register V%d", name, v)
		}
	}
	s.word(opcode|uint32(a)<<16|uint32(b)<<5|uint32(d),
		fmt.Sprintf("%s v%d.%s, v%d.%s, v%d.%s", name, d, arrangement, b, arrangement, a, arrangement))
}

// vorn leaves b or not a in d.
func (s *stream) vorn(a, b, d V) { s.three(0x4ee01c00, "orn", "16b", a, b, d) }
