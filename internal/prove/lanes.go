package prove

import (
	"math/bits"
	"slices"
	"sort"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// lanes are messages that are hashed side by side, groups of them one after the
// other, and what a plan keeps of their blocks. All bits of their expanded
// messages and chaining values are free, and so are those of the words by which
// lanes without a message dismiss all vectors; or all are constants.
type lanes struct {
	g    *symbolic.Graph
	plan *plan.Plan

	// expand returns the expanded words of a block.
	expand func(at place) [spec.Steps]symbolic.Word

	idle   []symbolic.Word // by lane
	others map[int]symbolic.Word
	in     map[[2]int]spec.State
	blocks map[place]*laneBlock
	made   []*laneBlock // those with free words, in the order of their bits

	alias  map[symbolic.Bit]survival // bits proved to say whether a block survives; of gates in positive sense
	proved map[[2]symbolic.Bit]bool  // pairs that are equal
	values map[symbolic.Bit]symbolic.Values
	proof  stats
}

// place is where a block is: in which group of those of a call, which block of
// the message, and in which lane.
type place struct{ group, block, lane int }

// laneBlock is a block of a lane.
type laneBlock struct {
	*spec.Block
	place
	kept     [dvs.Count]symbolic.Bit // by the plan, unless the lane is idle
	survives symbolic.Bit            // whether any vector is kept
	sets     map[string]bool         // of the conjuncts of each of kept
}

// survival says whether a block survives, or that it does not.
type survival struct {
	*laneBlock
	negated bool
}

// newLanes returns free messages in so many lanes.
func newLanes(p *plan.Plan, count int) *lanes {
	l := emptyLanes(p)
	// Other test messages in each lane and place, so that a mix of them shows.
	var patterns []*[symbolic.Patterns][spec.Steps]uint32
	for lane := range count {
		patterns = append(patterns, spec.Patterns(dvs.Published(), uint64(lane)))
		l.idle = append(l.idle, l.g.FreshWord())
	}
	l.expand = func(at place) [spec.Steps]symbolic.Word {
		var turned [symbolic.Patterns][spec.Steps]uint32
		for n := range turned {
			turned[n] = patterns[at.lane][(n+101*at.group+37*at.block)%len(turned)]
		}
		return l.g.Message(&turned)
	}
	return l
}

// emptyLanes returns no lanes.
func emptyLanes(p *plan.Plan) *lanes {
	return &lanes{
		g: symbolic.New(), plan: p,
		others: make(map[int]symbolic.Word),
		in:     make(map[[2]int]spec.State),
		blocks: make(map[place]*laneBlock),
		alias:  make(map[symbolic.Bit]survival),
		proved: make(map[[2]symbolic.Bit]bool),
		values: make(map[symbolic.Bit]symbolic.Values),
	}
}

// other returns the free word with the given number, for memory that is of no
// lane. All calls have the same.
func (l *lanes) other(n int) symbolic.Word {
	w, ok := l.others[n]
	if !ok {
		w = l.g.FreshWord()
		l.others[n] = w
	}
	return w
}

// chain returns the chaining value before a block.
func (l *lanes) chain(at place) spec.State {
	if at.block > 0 {
		at.block--
		return l.block(at).Out
	}
	k := [2]int{at.group, at.lane}
	s, ok := l.in[k]
	if !ok {
		for n := range s {
			s[n] = l.g.FreshWord()
		}
		l.in[k] = s
	}
	return s
}

// block returns the block at a place.
func (l *lanes) block(at place) *laneBlock {
	if b, ok := l.blocks[at]; ok {
		return b
	}
	in := l.chain(at) // before the words, so that their bits ascend with the blocks
	g := l.g
	w := l.expand(at)
	b := &laneBlock{Block: spec.Compress(g, in, w), place: at, kept: spec.Plan(g, l.plan, &w), sets: make(map[string]bool)}
	b.survives = g.False
	idle := g.Bits(l.idle[at.lane])
	for dv := range b.kept {
		b.kept[dv] = g.And(b.kept[dv], idle[dv].Not())
		b.survives = g.Or(b.survives, b.kept[dv])
		b.sets[set(conjuncts(g, b.kept[dv]))] = true
	}
	l.blocks[at] = b
	l.made = append(l.made, b)
	return b
}

// set returns a name for a set of bits.
func set(sorted []symbolic.Bit) string {
	var out []byte
	for _, b := range sorted {
		out = append(out, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
	}
	return string(out)
}

// blockOf returns a block that b depends on, if there is one.
func (l *lanes) blockOf(b symbolic.Bit) *laneBlock {
	seen := make(map[symbolic.Bit]bool)
	var visit func(b symbolic.Bit) *laneBlock
	visit = func(b symbolic.Bit) *laneBlock {
		b &^= 1
		if seen[b] {
			return nil
		}
		seen[b] = true
		if k, x, y := l.g.Gate(b); k != symbolic.Variable {
			if found := visit(x); found != nil {
				return found
			}
			return visit(y)
		}
		if !l.g.OfMessage(b) {
			return nil
		}
		first := func(n int) symbolic.Bit { return l.g.Bits(l.made[n].W[0])[0] }
		return l.made[sort.Search(len(l.made), func(n int) bool { return first(n) > b })-1]
	}
	return visit(b)
}

// valuesOf returns the values of b in the test messages, if no lane is idle and
// every other free bit is not set.
func (l *lanes) valuesOf(b symbolic.Bit) symbolic.Values {
	if l.g.OfMessage(b) {
		return l.g.Values(b)
	}
	v, ok := l.values[b&^1]
	if !ok {
		k, x, y := l.g.Gate(b)
		if one, constant := l.g.Constant(b &^ 1); constant && one {
			for n := range v {
				v[n] = ^uint64(0)
			}
		} else if k != symbolic.Variable {
			p, q := l.valuesOf(x), l.valuesOf(y)
			for n := range v {
				if k == symbolic.And {
					v[n] = p[n] & q[n]
				} else {
					v[n] = p[n] ^ q[n]
				}
			}
		}
		l.values[b&^1] = v
	}
	if b&1 != 0 {
		v = complement(v)
	}
	return v
}

func complement(v symbolic.Values) symbolic.Values {
	for n := range v {
		v[n] = ^v[n]
	}
	return v
}

// claim is a bit of a kernel, what it must be equal to, and of which block. The
// vector is anyVector if it says whether the block survives.
type claim struct {
	b, want symbolic.Bit
	of      *laneBlock
	dv      int
}

// anyVector stands for all vectors together.
const anyVector = -1

// prove proves all claims, or returns a counterexample to one.
func (l *lanes) prove(claims []claim) *Counterexample {
	var differ []symbolic.Bit
	for n := range claims {
		c := &claims[n]
		if c.b == c.want || l.proved[[2]symbolic.Bit{c.b, c.want}] {
			continue
		}
		if a, b := l.valuesOf(c.b), l.valuesOf(c.want); a != b {
			return l.patternCounterexample(c, a, b)
		}
		// Most are the same conditions in another order. Those of the first block
		// of each lane go to the solver all the same.
		if (c.of.group > 0 || c.of.block > 0) && l.alike(c) {
			continue
		}
		if x := l.g.Xor(c.b, c.want); x != l.g.False {
			differ = append(differ, x)
		}
	}
	if len(differ) > 0 {
		l.proof.queries++
		if model := l.g.Refute(differ); model != nil {
			return l.modelCounterexample(claims, model)
		}
	}
	for _, c := range claims {
		if k := [2]symbolic.Bit{c.b, c.want}; !l.proved[k] {
			l.proved[k] = true
			l.proof.bits++
		}
	}
	return nil
}

// alike reports whether a claim is seen to be true without a search.
func (l *lanes) alike(c *claim) bool {
	if c.dv != anyVector {
		return slices.Equal(conjuncts(l.g, c.b), conjuncts(l.g, c.want))
	}
	b := c.b
	if c.want != c.of.survives {
		b = b.Not()
	}
	found := make(map[string]bool)
	for _, dismissed := range conjuncts(l.g, b.Not()) {
		s := set(conjuncts(l.g, dismissed.Not()))
		if !c.of.sets[s] {
			return false
		}
		found[s] = true
	}
	return len(found) == len(c.of.sets)
}

// keeps reports whether the plan keeps a vector, or any, with the words w.
func (l *lanes) keeps(w *[spec.Steps]uint32, dv int) bool {
	kept := dvs.AllMask &^ l.plan.Dismissed(w)
	if dv == anyVector {
		return kept != 0
	}
	return kept.Has(dv)
}

// counterexample returns what shows that a claim is wrong, with the words that
// every block has then.
func (l *lanes) counterexample(c *claim, words func(b *laneBlock) [spec.Steps]uint32) *Counterexample {
	out := &Counterexample{Plan: l.plan.Name, DV: c.dv, W: words(c.of), at: c.of.place, beside: make(map[place][16]uint32)}
	out.Keeps = l.keeps(&out.W, c.dv)
	out.Message = dvs.Expand([16]uint32(out.W[:16])) == out.W
	for at, b := range l.blocks {
		w := words(b)
		out.beside[at] = [16]uint32(w[:16])
	}
	return out
}

func (l *lanes) patternCounterexample(c *claim, a, b symbolic.Values) *Counterexample {
	pattern := 0
	for a[pattern/64]>>(pattern%64)&1 == b[pattern/64]>>(pattern%64)&1 {
		pattern++
	}
	return l.counterexample(c, func(b *laneBlock) (w [spec.Steps]uint32) {
		for t := range w {
			for i, bit := range l.g.Bits(b.W[t]) {
				w[t] |= uint32(l.valuesOf(bit)[pattern/64]>>(pattern%64)&1) << i
			}
		}
		return w
	})
}

func (l *lanes) modelCounterexample(claims []claim, model symbolic.Model) *Counterexample {
	wrong := &claims[0]
	for n := range claims {
		if c := &claims[n]; model(c.b) != model(c.want) {
			wrong = c
			break
		}
	}
	return l.counterexample(wrong, func(b *laneBlock) (w [spec.Steps]uint32) {
		for t := range w {
			for i, bit := range l.g.Bits(b.W[t]) {
				if model(bit) {
					w[t] |= 1 << i
				}
			}
		}
		return w
	})
}

// opposite reports whether a and b differ in most test messages.
func (l *lanes) opposite(a, b symbolic.Bit) bool {
	p, q := l.valuesOf(a), l.valuesOf(b)
	differ := 0
	for n := range p {
		differ += bits.OnesCount64(p[n] ^ q[n])
	}
	return differ > symbolic.Patterns/2
}
