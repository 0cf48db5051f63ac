package arm64

import (
	"strings"

	"github.com/sha1dc/go/internal/prove/asm"
)

func isMemory(o asm.Operand) bool {
	return o.Kind == asm.Memory || o.Kind == asm.Argument || o.Kind == asm.Symbol
}

// address returns the address of a memory operand.
func (e *execution) address(o asm.Operand) uint64 {
	switch {
	case o.Kind == asm.Argument:
		return e.Frame.FP + uint64(o.Value)
	case o.Kind == asm.Symbol:
		at, ok := e.Address(e.Frame.Fn, o.Name)
		if !ok {
			e.fail("no symbol %s", o.Name)
		}
		return at + uint64(o.Value)
	case o.Kind == asm.Memory && o.Index == "" && o.Name == "RSP":
		return e.Frame.SP + uint64(o.Value)
	case o.Kind == asm.Memory && o.Index == "":
		return e.value(e.get(named(o.Name)), o.Name) + uint64(o.Value)
	}
	e.fail("%s is no memory operand", o.Text)
	return 0
}

// load returns n words of memory.
func (e *execution) load(at uint64, n int) []word {
	words, err := e.Load(at, n)
	if err != nil {
		e.fail("%s: reads %w", e.i.Name, err)
	}
	return words
}

func (e *execution) store(at uint64, words ...word) {
	for i, w := range words {
		if e.err != nil {
			return
		}
		if err := e.Memory.Store(at+uint64(4*i), w); err != nil {
			e.fail("%s: %w", e.i.Name, err)
		}
	}
}

// loadByte returns a byte of memory.
func (e *execution) loadByte(at uint64) word {
	w, err := e.Memory.LoadByte(at)
	if err != nil {
		e.fail("%s: reads %w", e.i.Name, err)
		w = e.G.Const(0)
	}
	return w
}

// list returns the two registers of a list.
func (e *execution) list(o asm.Operand) (a, b asm.Operand) {
	if o.Kind != asm.List || len(o.Parts) != 2 {
		e.fail("%s is no list of two registers", o.Text)
		return asm.Operand{}, asm.Operand{}
	}
	return o.Parts[0], o.Parts[1]
}

// post returns the address in a register, and afterwards adds the operand's
// offset to it. None of the other registers of the instruction may be the same.
func (e *execution) post(o asm.Operand, others ...asm.Operand) (at uint64, advance func()) {
	for _, p := range others {
		if p.Name == o.Name {
			e.fail("%s of %s is undefined", e.i.Name, o.Name)
		}
	}
	base := named(o.Name)
	if o.Kind != asm.Memory || o.Index != "" {
		e.fail("%s is no address in a register", o.Text)
	}
	at = e.value(e.get(base), o.Name)
	return at, func() { e.set(base, e.constant(at+uint64(o.Value))) }
}

// moves are the moves between general registers and memory.
var moves = map[string]meaning{
	"MOVD": {2, func(e *execution) {
		from, to := e.ops[0], e.ops[1]
		var v pair
		switch {
		case from.Kind == asm.Immediate:
			v = e.constant(uint64(from.Value))
		case from.Kind == asm.Address:
			v = e.constant(e.address(from.Parts[0]))
		case isMemory(from):
			v = pair(e.load(e.address(from), 2))
		default:
			v = e.get(from)
			if isMemory(to) {
				e.store(e.address(to), v[:]...)
				return
			}
		}
		e.set(to, v)
	}},
	"MOVW": {2, func(e *execution) {
		from, to := e.ops[0], e.ops[1]
		if from.Kind == asm.Immediate {
			if from.Value != int64(int32(from.Value)) {
				e.fail("%s does not fit in 32 bits", from.Text)
			}
			e.set32(to, e.G.Const(uint32(from.Value)))
			return
		}
		e.store(e.address(to), e.get(from)[0])
	}},
	"MOVWU": {2, func(e *execution) { e.set32(e.ops[1], e.load(e.address(e.ops[0]), 1)[0]) }},
	"MOVBU": {2, func(e *execution) { e.set32(e.ops[1], e.loadByte(e.address(e.ops[0]))) }},
	"MOVB": {2, func(e *execution) {
		at, v := e.address(e.ops[1]), e.get(e.ops[0])[0]
		if e.err == nil {
			if err := e.Memory.StoreByte(at, v); err != nil {
				e.fail("%s: %w", e.i.Name, err)
			}
		}
	}},
	"LDP.P": {2, func(e *execution) {
		a, b := e.list(e.ops[1])
		if a.Name == b.Name {
			e.fail("%s to the same register twice is undefined", e.i.Name)
		}
		at, advance := e.post(e.ops[0], a, b)
		v := e.load(at, 4)
		e.set(a, pair(v[:2]))
		e.set(b, pair(v[2:]))
		advance()
	}},
	"STP.P": {2, func(e *execution) {
		a, b := e.list(e.ops[0])
		at, advance := e.post(e.ops[1], a, b)
		v, w := e.get(a), e.get(b)
		e.store(at, v[0], v[1], w[0], w[1])
		advance()
	}},

	"FMOVQ": {2, func(e *execution) {
		if isMemory(e.ops[0]) {
			e.setVector(e.ops[1], "", vector(e.load(e.address(e.ops[0]), 4)))
			return
		}
		v := e.vector(e.ops[0], "")
		e.store(e.address(e.ops[1]), v[:]...)
	}},
	"FMOVS": {2, func(e *execution) {
		if isMemory(e.ops[0]) {
			zero := e.G.Const(0)
			e.setVector(e.ops[1], "", vector{e.load(e.address(e.ops[0]), 1)[0], zero, zero, zero})
			return
		}
		e.store(e.address(e.ops[1]), e.vector(e.ops[0], "")[0])
	}},
	"FLDPQ": {2, func(e *execution) {
		a, b := e.list(e.ops[1])
		if a.Name == b.Name {
			e.fail("%s to the same register twice is undefined", e.i.Name)
		}
		v := e.load(e.address(e.ops[0]), 8)
		e.setVector(a, "", vector(v[:4]))
		e.setVector(b, "", vector(v[4:]))
	}},
	"FSTPQ": {2, func(e *execution) {
		a, b := e.list(e.ops[0])
		v, w := e.vector(a, ""), e.vector(b, "")
		at := e.address(e.ops[1])
		e.store(at, v[:]...)
		e.store(at+16, w[:]...)
	}},
	"VMOV": {2, func(e *execution) {
		from, to := e.ops[0], e.ops[1]
		for half := range 2 {
			if name, arrangement, ok := strings.Cut(from.Name, "."); ok && arrangement == []string{"D[0]", "D[1]"}[half] {
				from.Name = name
				v := e.vector(from, "")
				e.set(to, pair(v[2*half:2*half+2]))
				return
			}
		}
		e.setVector(to, "B16", e.vector(from, "B16"))
	}},
}
