package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// subject is a message of blocks whose 2,560 expanded bits are all free, and
// what its plans keep of them.
type subject struct {
	g      *symbolic.Graph
	plans  []*plan.Plan
	split  bool   // the plans are the two parts of one, of which the first tests every block
	partly uint32 // vectors that the first may keep where the second does not
	in     spec.State
	blocks []*subjectBlock

	steps [dvs.Count][]int // from which a vector may be rechecked, the likely ones first

	masks map[symbolic.Values][]maskBit // bits of masks by their values in the patterns
	alias map[symbolic.Bit]maskBit      // bits proved to be one of a mask; of gates in positive sense
	tried map[symbolic.Bit]bool         // bits that look like one and are not, or are in alias
	proof stats
}

// stats counts what the solver did.
type stats struct {
	bits, queries int
}

type subjectBlock struct {
	*spec.Block
	keep [][dvs.Count]symbolic.Bit // by plan

	rechecks map[[2]int][]symbolic.Bit // by vector and step
}

// maskBit is a bit of what a plan keeps of a block.
type maskBit struct {
	plan, block, dv int
	negated         bool
}

func newSubject(table *dvs.Table, plans []*plan.Plan, blocks int) *subject {
	s := &subject{
		g: symbolic.New(), plans: plans,
		masks: make(map[symbolic.Values][]maskBit),
		alias: make(map[symbolic.Bit]maskBit),
		tried: make(map[symbolic.Bit]bool),
	}
	for n := range s.in {
		s.in[n] = s.g.FreshWord()
	}
	for dv, d := range dvs.All() {
		s.steps[dv] = spec.SharedSteps(d)
		slices.SortStableFunc(s.steps[dv], func(a, b int) int { return unlikely(a) - unlikely(b) })
	}
	in := s.in
	for n := range blocks {
		b := &subjectBlock{
			Block:    spec.Compress(s.g, in, s.g.Message(spec.Patterns(table, uint64(n)))),
			rechecks: make(map[[2]int][]symbolic.Bit),
		}
		for p := range plans {
			keep := spec.Plan(s.g, plans[p], &b.W)
			b.keep = append(b.keep, keep)
			for dv, k := range keep {
				if !s.g.OfMessage(k) {
					continue // a part of a plan that does not test the vector
				}
				m := maskBit{plan: p, block: n, dv: dv}
				s.masks[s.g.Values(k)] = append(s.masks[s.g.Values(k)], m)
				m.negated = true
				s.masks[s.g.Values(k.Not())] = append(s.masks[s.g.Values(k.Not())], m)
			}
		}
		s.blocks = append(s.blocks, b)
		in = b.Out
	}
	return s
}

// splitPlan says that the plans are the two parts of one, and finds out which
// vectors are kept by the first and dismissed by the second for some words.
func (s *subject) splitPlan() {
	s.split = true
	keep := s.blocks[0].keep
	for dv := range dvs.Count {
		if s.g.Refute(nil, keep[0][dv], keep[1][dv].Not()) != nil {
			s.partly |= 1 << dv
		}
	}
}

// unlikely orders steps by how likely a kernel rechecks from there: it does
// four or five at a time. Only time depends on it.
func unlikely(t int) int {
	if t%4 == 0 || t%5 == 0 {
		return max(t-60, 60-t)
	}
	return spec.Steps
}

// chain returns the chaining value before the block with the given number.
func (s *subject) chain(n int) spec.State {
	if n == 0 {
		return s.in
	}
	return s.blocks[n-1].Out
}

// bit returns the bit that m names.
func (s *subject) bit(m maskBit) symbolic.Bit {
	b := s.blocks[m.block].keep[m.plan][m.dv]
	if m.negated {
		return b.Not()
	}
	return b
}

// lookup returns the mask bit that b is proved to be.
func (s *subject) lookup(b symbolic.Bit) (maskBit, bool) {
	m, ok := s.alias[b&^1]
	if b&1 != 0 {
		m.negated = !m.negated
	}
	return m, ok
}

// pair is a bit of a kernel and what it looks like.
type pair struct {
	b symbolic.Bit
	m maskBit
}

// prove shows that all pairs are equal, or returns an assignment under which
// some are not.
func (s *subject) prove(pairs []pair) symbolic.Model {
	var differ []symbolic.Bit
	for _, p := range pairs {
		// Most are conjunctions of the same conditions. Those of the first block
		// go to the solver all the same.
		if p.m.block > 0 && slices.Equal(conjuncts(s.g, p.b), conjuncts(s.g, s.bit(p.m))) {
			continue
		}
		if x := s.g.Xor(p.b, s.bit(p.m)); x != s.g.False {
			differ = append(differ, x)
		}
	}
	if len(differ) > 0 {
		s.proof.queries++
		if model := s.g.Refute(differ); model != nil {
			return model
		}
	}
	s.proof.bits += len(pairs)
	for _, p := range pairs {
		m := p.m
		if p.b&1 != 0 {
			m.negated = !m.negated
		}
		s.alias[p.b&^1] = m
		s.tried[p.b&^1] = true
	}
	return nil
}

// maskWord looks whether a word is the mask of a block, and proves it. If the
// word is none, it returns how many of its bits are those of one in the test
// messages, and a counterexample if they are half or more: perhaps it is meant
// to be one.
func (s *subject) maskWord(w symbolic.Word) (isMask bool, alike int, bad *Counterexample) {
	g := s.g
	bits := g.Bits(w)
	votes := make(map[maskBit]int) // by plan, block and sense, without a vector
	for dv, b := range bits {
		if !g.OfMessage(b) {
			continue
		}
		for _, m := range s.masks[g.Values(b)] {
			if m.dv == dv {
				m.dv = 0
				votes[m]++
			}
		}
	}
	best, alike := maskBit{}, 0
	for m, n := range votes {
		if n > alike || n == alike && m.before(best) {
			best, alike = m, n
		}
	}
	if alike < dvs.Count/2 {
		return false, alike, nil
	}
	var pairs []pair
	for dv, b := range bits {
		m := best
		m.dv = dv
		if !g.OfMessage(b) {
			if b == s.bit(m) {
				continue // a constant in both
			}
			return false, alike, s.patternCounterexample(m, 0)
		}
		if pattern, ok := g.Differ(b, s.bit(m)); ok {
			// Better is one that the other part of the plan keeps, which shows in what
			// the kernel does.
			kept := s.other(m)
			if better, ok := g.Differ(g.And(b, kept), g.And(s.bit(m), kept)); ok {
				pattern = better
			}
			return false, alike, s.patternCounterexample(m, pattern)
		}
		if known, ok := s.lookup(b); !ok || known != m {
			pairs = append(pairs, pair{b, m})
		}
	}
	if model := s.prove(pairs); model != nil {
		return false, alike, s.modelCounterexample(best, bits, model)
	}
	return true, alike, nil
}

// before orders mask bits, so that what is found does not depend on chance.
func (m maskBit) before(n maskBit) bool {
	switch {
	case m.block != n.block:
		return m.block < n.block
	case m.plan != n.plan:
		return m.plan < n.plan
	}
	return !m.negated && n.negated
}

// collect proves of the gates below b, from above, that they are bits of masks.
func (s *subject) collect(b symbolic.Bit) {
	var pairs []pair
	var visit func(b symbolic.Bit)
	visit = func(b symbolic.Bit) {
		b &^= 1
		if s.tried[b] {
			return
		}
		s.tried[b] = true
		k, x, y := s.g.Gate(b)
		if s.g.OfMessage(b) {
			if ms := s.masks[s.g.Values(b)]; len(ms) > 0 {
				pairs = append(pairs, pair{b, ms[0]})
				return
			}
		}
		if k != symbolic.Variable {
			visit(x)
			visit(y)
		}
	}
	visit(b)
	for len(pairs) > 0 && s.prove(pairs) != nil {
		// Some look like bits of masks and are not: look at each, and below.
		all := pairs
		pairs = nil
		for _, p := range all {
			if s.prove([]pair{p}) != nil {
				if k, x, y := s.g.Gate(p.b); k != symbolic.Variable {
					visit(x)
					visit(y)
				}
			}
		}
	}
}

// Counterexample is a block that a kernel treats otherwise than its plan.
type Counterexample struct {
	Plan   string
	Part   string // of the plan, or nothing
	Blocks int    // of the message
	Block  int    // which of them
	DV     int    // mask bit of a vector
	Keeps  bool   // the plan keeps the vector
	W      [spec.Steps]uint32
	// Message reports whether W is the expansion of its first sixteen words. If
	// not, it is one of arbitrary words.
	Message bool

	scenario // in which it was found

	// Of kernels for many messages: the call, where in it, and the blocks beside.
	many   *manyCall
	at     place
	beside map[place][16]uint32
	pair   *pairCall // of a kernel for pairs, instead
}

func (c *Counterexample) String() string {
	did, other := "keeps", "dismisses"
	if !c.Keeps {
		did, other = other, did
	}
	what := "block"
	words := c.W[:16]
	if !c.Message {
		what, words = "expanded words", c.W[:]
	}
	return fmt.Sprintf("plan %s%s %s %s where the kernel %s it; %s: %08x", c.Plan, c.Part, did, c.vector(), other, what, words)
}

// vector names the vector, and the lane in kernels for many messages.
func (c *Counterexample) vector() string {
	name := "one vector or another"
	if c.DV != anyVector {
		name = dvs.All()[c.DV].String()
	}
	if c.beside != nil {
		name += fmt.Sprintf(" in lane %d", c.at.lane)
	}
	return name
}

// Command returns the command that runs the block on a kernel, in an emulator if
// it is for another processor, or nothing if it is no block of a message.
func (c *Counterexample) Command(k target) string {
	if !c.Message {
		return ""
	}
	block := ""
	for _, w := range c.W[:16] {
		block += fmt.Sprintf("%08x", w)
	}
	which, blocks, place := c.DV, c.Blocks, c.Block
	if c.beside != nil {
		which, blocks, place = c.at.lane, c.at.block+1, c.at.block
	}
	goarch, emulated := "amd64", ""
	if strings.HasSuffix(k.files()[0], "_arm64.s") {
		goarch, emulated = "arm64", "-exec 'qemu-aarch64 -cpu max' "
	}
	return fmt.Sprintf("GOARCH=%s SHA1DC_COUNTEREXAMPLE='%s %d %d %d %s' go test %s-run TestCounterexample ./sha1dc", goarch, k.name(), which, blocks, place, block, emulated)
}

func (s *subject) counterexample(m maskBit) *Counterexample {
	c := &Counterexample{Plan: s.plans[m.plan].Name, Block: m.block, DV: m.dv}
	if s.split {
		c.Part = []string{" in its first part", " in its second part"}[m.plan]
	}
	return c
}

// other returns whether the other part of a plan keeps the vector of m.
func (s *subject) other(m maskBit) symbolic.Bit {
	if !s.split {
		return s.g.True
	}
	return s.blocks[m.block].keep[1-m.plan][m.dv]
}

func (s *subject) patternCounterexample(m maskBit, pattern int) *Counterexample {
	b := s.blocks[m.block]
	c := s.counterexample(m)
	c.Message = true
	for t, w := range b.W {
		c.W[t] = s.g.PatternValue(w, pattern)
	}
	c.Keeps = s.keeps(c.W, m)
	return c
}

func (s *subject) keeps(w [spec.Steps]uint32, m maskBit) bool {
	return !s.plans[m.plan].Dismissed(&w).Has(m.dv)
}

func (s *subject) modelCounterexample(m maskBit, bits *[32]symbolic.Bit, model symbolic.Model) *Counterexample {
	c := s.counterexample(m)
	for dv, b := range bits {
		m.dv = dv
		if model(b) != model(s.bit(m)) {
			c.DV = dv
			if better := s.g.Refute(nil, s.g.Xor(b, s.bit(m)), s.other(m)); better != nil {
				model = better
			}
			break
		}
	}
	c.W = s.schedule(m.block, model)
	m.dv = c.DV
	c.Keeps = s.keeps(c.W, m)
	c.Message = dvs.Expand([16]uint32(c.W[:16])) == c.W
	return c
}

// schedule returns the expanded words of a block in a model.
func (s *subject) schedule(block int, model symbolic.Model) (w [spec.Steps]uint32) {
	for t := range w {
		for i, b := range s.g.Bits(s.blocks[block].W[t]) {
			if model(b) {
				w[t] |= 1 << i
			}
		}
	}
	return w
}

// recheck returns the bits that decide whether a block is an attack with a
// vector, from each of the steps that allow it.
func (s *subject) recheck(block, dv, step int) []symbolic.Bit {
	b := s.blocks[block]
	r, ok := b.rechecks[[2]int{dv, step}]
	if !ok {
		r = b.Recheck(s.g, dvs.All()[dv], step)
		b.rechecks[[2]int{dv, step}] = r
	}
	return r
}

// conjuncts returns the bits of which b is the conjunction, sorted, up to a
// limit.
func conjuncts(g *symbolic.Graph, b symbolic.Bit) (out []symbolic.Bit) {
	var visit func(b symbolic.Bit)
	visit = func(b symbolic.Bit) {
		if len(out) > 1000 {
			return
		}
		if k, x, y := g.Gate(b); k == symbolic.And && b&1 == 0 {
			visit(x)
			visit(y)
			return
		}
		out = append(out, b)
	}
	visit(b)
	slices.Sort(out)
	return slices.Compact(out)
}
