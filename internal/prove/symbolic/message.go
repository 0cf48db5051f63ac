package symbolic

import "math/bits"

// form is a sum over GF(2) of bits of one block, bit i of its word n being bit
// 32*n+i, plus the constant one if that is set.
type form struct {
	block int32
	one   bool
	of    [8]uint64
}

// addForms returns the form of a xor b, if both are sums of one block's bits.
func (g *Graph) addForms(a, b Bit) (form, bool) {
	i, j := g.node(a).form, g.node(b).form
	if i == 0 || j == 0 || g.forms[i].block != g.forms[j].block {
		return form{}, false
	}
	f, h := g.forms[i], &g.forms[j]
	for n := range f.of {
		f.of[n] ^= h.of[n]
	}
	f.one = f.one != h.one != ((a^b)&1 != 0)
	return f, true
}

// messageBit returns the bit of the expanded message that equals f.
func (g *Graph) messageBit(f form) (Bit, bool) {
	one := f.one
	f.one = false
	b, ok := g.known[f]
	if one {
		b = b.Not()
	}
	return b, ok
}

func (g *Graph) setForm(b Bit, f form) {
	f.one = f.one != (b&1 != 0)
	if n := g.node(b); n.form == 0 {
		g.forms = append(g.forms, f)
		n.form = int32(len(g.forms) - 1)
	}
}

// Message adds the 80 expanded words of a block. All their 2,560 bits are free
// variables. That they obey SHA-1's message recurrence is used in one place
// alone: an XOR of bits that equals a bit of the expanded message, by that
// recurrence, is that bit. values are the blocks of the test patterns.
func (g *Graph) Message(values *[Patterns][80]uint32) [80]Word {
	g.blocks++
	var forms [80][32]form
	for t := range 80 {
		for i := range 32 {
			f := &forms[t][i]
			f.block = int32(g.blocks)
			if t < 16 {
				f.of[t/2] = 1 << (32*(t%2) + i)
				continue
			}
			from := (i + 31) % 32 // rotated to the left by one
			for _, back := range []int{3, 8, 14, 16} {
				for n, w := range forms[t-back][from].of {
					f.of[n] ^= w
				}
			}
		}
	}
	var words [80]Word
	for t := range words {
		var w [32]Bit
		for i := range w {
			var v Values
			for n := range Patterns {
				v[n/64] |= uint64(values[n][t]>>i&1) << (n % 64)
			}
			w[i] = g.Fresh()
			g.ofMessage(w[i], int32(g.blocks), v)
			g.setForm(w[i], forms[t][i])
			g.known[forms[t][i]] = w[i]
		}
		words[t] = g.Word(w)
	}
	return words
}

// PatternValue returns the value of a word in a test message.
func (g *Graph) PatternValue(w Word, pattern int) uint32 {
	var v uint32
	for i, b := range g.words[w] {
		v |= uint32(g.Values(b)[pattern/64]>>(pattern%64)&1) << i
	}
	return v
}

// Differ returns the first test message in which a and b differ. Both must be
// OfMessage or constants.
func (g *Graph) Differ(a, b Bit) (pattern int, ok bool) {
	va, vb := g.Values(a), g.Values(b)
	for n := range va {
		if d := va[n] ^ vb[n]; d != 0 {
			return 64*n + bits.TrailingZeros64(d), true
		}
	}
	return 0, false
}
