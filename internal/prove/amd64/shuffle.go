package amd64

// moveVector moves all words between vector registers and memory.
func moveVector(e *execution) {
	if !e.want(2) {
		return
	}
	if isMemory(e.ops[1]) {
		_, n := e.vectorRegister(e.ops[0])
		at := e.address(e.ops[1])
		if e.i.Name == "MOVOA" && at%16 != 0 {
			e.fail("MOVOA: %s is not aligned to 16 bytes", e.ops[1].Text)
		}
		v := e.readVector(n, e.lanesOf(e.ops[0]))
		if e.err == nil {
			e.store(at, v)
		}
		return
	}
	lanes := e.lanesOf(e.ops[1])
	if e.err == nil {
		e.setVector(e.ops[1], e.source(e.ops[0], lanes))
	}
}

// perLane applies f to each 128 bits of one source behind an immediate.
func perLane(f func(e *execution, n int, v []word) []word) meaning {
	return func(e *execution) {
		if len(e.ops) != 3 && (len(e.ops) != 2 || !e.legacy()) {
			e.fail("%d operands", len(e.ops))
			return
		}
		n, lanes := e.immediate(e.ops[0]), e.lanesOf(e.ops[len(e.ops)-1])
		if e.err != nil {
			return
		}
		v := e.source(e.ops[1], lanes)
		var out []word
		for i := 0; i < lanes; i += 4 {
			out = append(out, f(e, n, v[i:i+4])...)
		}
		e.finish(len(e.ops)-1, out)
	}
}

func shuffleWords(e *execution, n int, v []word) []word {
	return []word{v[n&3], v[n>>2&3], v[n>>4&3], v[n>>6&3]}
}

// bytesRight shifts v, as one number, right by n bytes; zeros move in.
func bytesRight(e *execution, n int, v []word) []word {
	n = min(n, 4*len(v))
	out := make([]word, len(v))
	at := func(i int) word {
		if i < len(v) {
			return v[i]
		}
		return e.G.Const(0)
	}
	for i := range out {
		out[i] = at(i + n/4)
		if s := n % 4 * 8; s != 0 {
			out[i] = e.G.OrWord(e.G.ShiftRight(out[i], s), e.G.ShiftLeft(at(i+n/4+1), 32-s))
		}
	}
	return out
}

// bytesLeft shifts v left by n bytes.
func bytesLeft(e *execution, n int, v []word) []word {
	n = min(n, 16)
	zero := e.G.Const(0)
	all := append([]word{zero, zero, zero, zero}, v...)
	return bytesRight(e, 16-n, all)[:4]
}

// shuffleBytes picks bytes by a constant.
func shuffleBytes(e *execution, v, by []word) []word {
	out := make([]word, 4)
	for i := range out {
		m, ok := e.G.Value(by[i])
		if !ok {
			e.fail("%s by what is no constant", e.i.Name)
			return v
		}
		var w [32]bit
		for b := range w {
			from := m >> (b &^ 7)
			w[b] = e.G.False
			if from&0x80 == 0 {
				w[b] = e.bits(v[from&0xf/4])[from&3*8+uint32(b&7)]
			}
		}
		out[i] = e.G.Word(w)
	}
	return out
}

// unpack interleaves words of two sources, as order says of each 128 bits:
// indices 0 to 3 are of the first, 4 to 7 of the second.
func unpack(order [4]int) meaning {
	return func(e *execution) {
		a, b := e.twoSources()
		if e.err != nil {
			return
		}
		var out []word
		for i := 0; i < len(a); i += 4 {
			both := append(append([]word{}, a[i:i+4]...), b[i:i+4]...)
			for _, n := range order {
				out = append(out, both[n])
			}
		}
		e.finish(2, out)
	}
}

// extract takes so many words out of a source that an immediate numbers.
func extract(lanes int) meaning {
	return func(e *execution) {
		if !e.want(3) {
			return
		}
		n, all := e.immediate(e.ops[0]), e.lanesOf(e.ops[1])
		if e.err != nil {
			return
		}
		n &= all/lanes - 1
		if e.lanesOf(e.ops[2]) != lanes {
			e.fail("%s has not %d words", e.ops[2].Text, lanes)
		}
		if e.err == nil {
			e.setVector(e.ops[2], e.source(e.ops[1], all)[n*lanes:(n+1)*lanes])
		}
	}
}

// insert puts 128 bits into a source of so many words, where an immediate says.
func insert(lanes int) meaning {
	return func(e *execution) {
		if !e.want(4) {
			return
		}
		n := e.immediate(e.ops[0])
		if e.lanesOf(e.ops[3]) != lanes {
			e.fail("%s has not %d words", e.ops[3].Text, lanes)
		}
		if e.err != nil {
			return
		}
		part, v := e.source(e.ops[1], 4), e.source(e.ops[2], lanes)
		copy(v[n&(lanes/4-1)*4:], part)
		e.finish(3, v)
	}
}

// moveWord moves the lowest word of a vector register to a general register.
func moveWord(e *execution) {
	if e.want(2) {
		_, n := e.vectorRegister(e.ops[0])
		if e.err == nil {
			e.write(e.ops[1], long, [2]word{e.known(e.readVector(n, 1)[0])})
		}
	}
}

// shuffles are the instructions that move words and bytes about.
var shuffles = map[string]meaning{
	"MOVOU": moveVector, "MOVOA": moveVector,
	"VMOVDQU": moveVector, "VMOVDQU32": moveVector,
	"VMOVDQU32.Z": func(e *execution) {
		if !e.want(3) {
			return
		}
		if lanes := e.lanesOf(e.ops[2]); e.err == nil {
			e.finish(1, e.source(e.ops[0], lanes))
		}
	},
	"VMOVD": moveWord,
	"MOVD": func(e *execution) { // 64 bits, as Go's assembler has it
		if e.want(2) {
			_, n := e.vectorRegister(e.ops[0])
			if e.err == nil {
				v := e.readVector(n, 2)
				e.write(e.ops[1], quad, [2]word{e.known(v[0]), e.known(v[1])})
			}
		}
	},
	"PINSRD": func(e *execution) {
		if e.want(3) {
			n, w := e.immediate(e.ops[0]), e.read(e.ops[1], long)[0]
			_, r := e.vectorRegister(e.ops[2])
			v := e.readVector(r, 4)
			v[n&3] = w
			e.setVector(e.ops[2], v)
		}
	},
	"PEXTRD": func(e *execution) {
		if e.want(3) {
			n := e.immediate(e.ops[0])
			_, r := e.vectorRegister(e.ops[1])
			e.write(e.ops[2], long, [2]word{e.readVector(r, 4)[n&3]})
		}
	},
	"PSHUFD": perLane(shuffleWords), "VPSHUFD": perLane(shuffleWords),
	"PSRLDQ": perLane(bytesRight), "VPSRLDQ": perLane(bytesRight),
	"VPSLLDQ": perLane(bytesLeft),
	"PSHUFB":  byteShuffle, "VPSHUFB": byteShuffle,
	"VPALIGNR": func(e *execution) {
		if !e.want(4) {
			return
		}
		n, lanes := e.immediate(e.ops[0]), e.lanesOf(e.ops[3])
		if e.err != nil {
			return
		}
		low, high := e.source(e.ops[1], lanes), e.source(e.ops[2], lanes)
		var out []word
		for i := 0; i < lanes; i += 4 {
			both := append(append([]word{}, low[i:i+4]...), high[i:i+4]...)
			out = append(out, bytesRight(e, n, both)[:4]...)
		}
		e.finish(3, out)
	},
	"VPUNPCKLDQ": unpack([4]int{0, 4, 1, 5}), "VPUNPCKHDQ": unpack([4]int{2, 6, 3, 7}),
	"VPUNPCKLQDQ": unpack([4]int{0, 1, 4, 5}), "VPUNPCKHQDQ": unpack([4]int{2, 3, 6, 7}),
	"VINSERTI128": insert(8), "VINSERTI32X4": insert(16),
	"VEXTRACTI128": extract(4), "VEXTRACTI32X4": extract(4), "VEXTRACTI64X4": extract(8),
	"VPBROADCASTD": func(e *execution) {
		if !e.want(2) {
			return
		}
		lanes := e.lanesOf(e.ops[1])
		if e.err != nil {
			return
		}
		w := e.source(e.ops[0], 1)[0]
		v := make([]word, lanes)
		for i := range v {
			v[i] = w
		}
		e.setVector(e.ops[1], v)
	},
	"VZEROUPPER": func(e *execution) {
		if e.want(0) {
			for n := range 16 {
				for i := 4; i < 16; i++ {
					e.vector[n][i] = e.G.Const(0)
				}
			}
		}
	},
}

func byteShuffle(e *execution) {
	v, by := e.twoSources()
	if e.err != nil {
		return
	}
	var out []word
	for i := 0; i < len(v); i += 4 {
		out = append(out, shuffleBytes(e, v[i:i+4], by[i:i+4])...)
	}
	e.finish(2, out)
}
