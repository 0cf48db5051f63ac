package arm64

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// One method an instruction. Operands are in the order of Go's assembler, the
// destination last; their types and ranges keep to encodings without a
// register of the assembler's own.

// memory returns the operand offset(base) for accesses of so many bytes, whose
// encoding scales non-negative offsets.
func (s *stream) memory(base R, offset, bytes int) operand.Op {
	if offset < 0 || offset%bytes != 0 || offset/bytes > 4095 {
		s.fail("offset %d is out of range for an access of %d bytes", offset, bytes)
	}
	return text(fmt.Sprintf("%d(%s)", offset, base.Asm()))
}

// pair returns the operand offset(base) for accesses of two vectors.
func (s *stream) pair(base R, offset int) operand.Op {
	if offset%16 != 0 || offset < -1024 || offset > 1008 {
		s.fail("offset %d is out of range for a pair of vectors", offset)
	}
	return text(fmt.Sprintf("%d(%s)", offset, base.Asm()))
}

// immediate returns the operand $n of an addition or a comparison.
func (s *stream) immediate(n int) operand.Op {
	if n < 0 || n > 4095 {
		s.fail("immediate %d does not fit in 12 bits", n)
	}
	return text(fmt.Sprintf("$%d", n))
}

func list(registers ...operand.Op) operand.Op {
	out := "("
	for n, r := range registers {
		if n > 0 {
			out += ", "
		}
		out += r.Asm()
	}
	return text(out + ")")
}

// Vectors, memory.

func (s *stream) loadV(base R, offset int, d V) { s.add("FMOVQ", s.memory(base, offset, 16), d.F()) }

func (s *stream) storeV(v V, base R, offset int) { s.add("FMOVQ", v.F(), s.memory(base, offset, 16)) }

// loadS loads a word to lane 0 and clears the others.
func (s *stream) loadS(base R, offset int, d V) { s.add("FMOVS", s.memory(base, offset, 4), d.F()) }

// storeS stores lane 0.
func (s *stream) storeS(v V, base R, offset int) { s.add("FMOVS", v.F(), s.memory(base, offset, 4)) }

func (s *stream) loadVV(base R, offset int, d, e V) {
	s.add("FLDPQ", s.pair(base, offset), list(d.F(), e.F()))
}

func (s *stream) storeVV(v, w V, base R, offset int) {
	s.add("FSTPQ", list(v.F(), w.F()), s.pair(base, offset))
}

// Vectors, arithmetic on words and on bits.

func (s *stream) vadd(a, b, d V) { s.add("VADD", a.S4(), b.S4(), d.S4()) }

// vsub leaves b - a in d.
func (s *stream) vsub(a, b, d V) { s.add("VSUB", a.S4(), b.S4(), d.S4()) }
func (s *stream) veor(a, b, d V) { s.add("VEOR", a.B16(), b.B16(), d.B16()) }
func (s *stream) vand(a, b, d V) { s.add("VAND", a.B16(), b.B16(), d.B16()) }
func (s *stream) vorr(a, b, d V) { s.add("VORR", a.B16(), b.B16(), d.B16()) }

// vbit replaces the bits of d that are set in mask by those of a.
func (s *stream) vbit(mask, a, d V) { s.add("VBIT", mask.B16(), a.B16(), d.B16()) }

// vcmtst leaves ones in the lanes of d where a and b have a bit in common.
func (s *stream) vcmtst(a, b, d V) { s.add("VCMTST", a.S4(), b.S4(), d.S4()) }

// vrev32 reverses the bytes of each word.
func (s *stream) vrev32(a, d V) { s.add("VREV32", a.B16(), d.B16()) }

// vmovD copies half of a vector to a general register.
func (s *stream) vmovD(v V, half int, d R) { s.add("VMOV", v.D(half), d) }

// SHA-1.

// sha1Rounds does four steps of the given round on A to D, with E in lane 0 of e
// and the words plus the constant in wk.
func (s *stream) sha1Rounds(round int, wk, e, abcd V) {
	opcode := []string{"SHA1C", "SHA1P", "SHA1M", "SHA1P"}[round]
	s.add(opcode, wk.S4(), e, abcd)
}

// vmov copies a vector.
func (s *stream) vmov(a, d V) { s.add("VMOV", a.B16(), d.B16()) }

// sha1h rotates lane 0 by 30 and clears the others.
func (s *stream) sha1h(a, d V) { s.add("SHA1H", a, d) }

// sha1su0 and sha1su1 turn four words, in d, into those of 16 steps later. a and
// b hold the words of four and eight steps after d's, and c those of twelve.
func (s *stream) sha1su0(b, a, d V) { s.add("SHA1SU0", b.S4(), a.S4(), d.S4()) }
func (s *stream) sha1su1(c, d V)    { s.add("SHA1SU1", c.S4(), d.S4()) }

// General registers.

func (s *stream) load(base R, offset int, d R)   { s.add("MOVD", s.memory(base, offset, 8), d) }
func (s *stream) loadW(base R, offset int, d R)  { s.add("MOVWU", s.memory(base, offset, 4), d) }
func (s *stream) storeW(r R, base R, offset int) { s.add("MOVW", r, s.memory(base, offset, 4)) }
func (s *stream) mov(a, d R)                     { s.add("MOVD", a, d) }

// movConstant loads a constant that a single instruction holds.
func (s *stream) movConstant(n int, d R) {
	if n < 0 || n > 0xffff {
		s.fail("constant %d does not fit in 16 bits", n)
	}
	s.add("MOVD", text(fmt.Sprintf("$%d", n)), d)
}

// loadPair loads two registers from where base points and moves base behind
// them; storePair stores so.
func (s *stream) loadPair(base R, d, e R) {
	s.add("LDP.P", text(fmt.Sprintf("16(%s)", base.Asm())), list(d, e))
}

func (s *stream) storePair(a, b R, base R) {
	s.add("STP.P", list(a, b), text(fmt.Sprintf("16(%s)", base.Asm())))
}

// addConstant leaves a + n in d, for a constant of either sign.
func (s *stream) addConstant(n int, a, d R) {
	if n < 0 {
		s.add("SUB", s.immediate(-n), a, d)
	} else {
		s.add("ADD", s.immediate(n), a, d)
	}
}

// decrement leaves r - 1 in r.
func (s *stream) decrement(r R) { s.addConstant(-1, r, r) }

func (s *stream) addR(a, b, d R) { s.add("ADD", a, b, d) }

// sub leaves b - a in d.
func (s *stream) sub(a, b, d R) { s.add("SUB", a, b, d) }

// madd leaves a*b + c in d.
func (s *stream) madd(a, b, c, d R) { s.add("MADD", a, c, b, d) }
func (s *stream) and(a, b, d R)     { s.add("AND", a, b, d) }
func (s *stream) orr(a, b, d R)     { s.add("ORR", a, b, d) }

// orrShifted leaves a>>n | b in d.
func (s *stream) orrShifted(a R, n int, b, d R) {
	if n < 1 || n > 63 {
		s.fail("registers cannot be shifted by %d", n)
	}
	s.add("ORR", text(fmt.Sprintf("%s>>%d", a.Asm(), n)), b, d)
}

// andConstant leaves a & mask in d; a mask that no instruction holds goes
// through temp.
func (s *stream) andConstant(mask uint32, a, temp, d R) {
	s.add("MOVW", text(fmt.Sprintf("$%d", int32(mask))), temp)
	s.add("ANDW", temp, a, d)
}

// mvnW leaves the complement of the lower half of a in d, and zero above.
func (s *stream) mvnW(a, d R) { s.add("MVNW", a, d) }

// trailingZerosW leaves the number of zeros behind the last one of a in d.
func (s *stream) trailingZerosW(a, d R) {
	s.add("RBITW", a, d)
	s.add("CLZW", d, d)
}

// clearLowestW clears the lowest bit of r that is set.
func (s *stream) clearLowestW(r, temp R) {
	s.add("SUBW", text("$1"), r, temp)
	s.add("ANDW", temp, r, r)
}

// minimum leaves the lesser of a and b, which are no negative numbers, in d.
func (s *stream) minimum(a, b, d R) {
	s.add("CMP", b, a)
	s.add("CSEL", text("LO"), a, b, d)
}

// Control.

func (s *stream) b(label string)         { s.add("B", operand.LabelRef(label)) }
func (s *stream) cbz(r R, label string)  { s.add("CBZ", r, operand.LabelRef(label)) }
func (s *stream) cbnz(r R, label string) { s.add("CBNZ", r, operand.LabelRef(label)) }

// branchEqual goes to label if r is n.
func (s *stream) branchEqual(r R, n int, label string) {
	s.add("CMP", s.immediate(n), r)
	s.add("BEQ", operand.LabelRef(label))
}
func (s *stream) ret() { s.add("RET") }
