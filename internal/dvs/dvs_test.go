package dvs

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for n, v := range All() {
		if m, ok := v.Bit(); !ok || m != n {
			t.Errorf("%v.Bit() = %d, %v, want %d", v, m, ok, n)
		}
		if m, err := ParseDV(v.String()); err != nil || m != n {
			t.Errorf("ParseDV(%q) = %d, %v, want %d", v, m, err, n)
		}
	}
	if _, ok := (DV{TypeI, 42, 0}).Bit(); ok {
		t.Error("I(42,0) has a mask bit")
	}
	if got := Mask(1<<27 | 1).String(); got != "I(43,0) II(52,0)" {
		t.Errorf("Mask.String() = %q", got)
	}
}

// The vector written out must meet the recurrence everywhere and have the
// sixteen defining words of its class.
func TestVector(t *testing.T) {
	for _, d := range All() {
		v := d.Vector()
		for s := firstStep + 16; s < Steps; s++ {
			want := bits.RotateLeft32(v.At(s-3)^v.At(s-8)^v.At(s-14)^v.At(s-16), 1)
			if v.At(s) != want {
				t.Fatalf("%v: word %d is %08x, the recurrence gives %08x", d, s, v.At(s), want)
			}
		}
		for n := range 16 {
			var want uint32
			switch {
			case n == 15:
				want = 1 << d.B
			case d.Type == TypeII && (n == 1 || n == 3):
				want = bits.RotateLeft32(1<<d.B, 31)
			}
			if got := v.At(d.K + n); got != want {
				t.Errorf("%v: word K+%d is %08x, want %08x", d, n, got, want)
			}
		}
	}
}

// Message differences are differences of expanded messages, so from step 0 on
// they must meet the recurrence.
func TestDM(t *testing.T) {
	for _, d := range All() {
		dm := d.DM()
		if dm != Expand([16]uint32(dm[:16])) {
			t.Errorf("%v: the message differences do not meet the recurrence", d)
		}
	}
}

// The differences of the published SHAttered blocks are those of II(52,0).
func TestDMShattered(t *testing.T) {
	// Words 0..15 of block 256..319 of the two files, xored.
	want := [16]uint32{
		0x0c000002, 0xc0000010, 0xb400001c, 0x3c000004, 0xbc00001a, 0x20000010, 0x2400001c, 0xec000014,
		0x0c000002, 0xc0000010, 0xb400001c, 0x2c000004, 0xbc000018, 0xb0000010, 0x0000000c, 0xb8000010,
	}
	dm := DV{TypeII, 52, 0}.DM()
	if [16]uint32(dm[:16]) != want {
		t.Errorf("II(52,0): %08x, want %08x", dm[:16], want)
	}
}

func TestZeroRangeAndTestStep(t *testing.T) {
	for _, d := range All() {
		lo, hi := d.ZeroRange()
		dm := d.DM()
		for s := lo; s < hi; s++ {
			if dm[s] != 0 {
				t.Errorf("%v: DM[%d] = %08x inside its zero range %d..%d", d, s, dm[s], lo, hi)
			}
		}
		if dm[lo-1] == 0 || dm[hi] == 0 {
			t.Errorf("%v: zero range %d..%d could be wider", d, lo, hi)
		}
		// The six steps of the last local collision end at lo, those of the next
		// begin at hi.
		v := d.Vector()
		for s := lo - 5; s < hi; s++ {
			if v.At(s) != 0 {
				t.Errorf("%v: disturbance %08x at step %d is not corrected by step %d", d, v.At(s), s, lo)
			}
		}
		// Upstream restarts at step 58 or 65.
		if (lo > 58 || hi < 58) && (lo > 65 || hi < 65) {
			t.Errorf("%v: zero range %d..%d holds neither 58 nor 65", d, lo, hi)
		}
		want := 60
		switch {
		case d.Type == TypeI && d.K <= 44:
			want = 56
		case d.Type == TypeII && d.K == 56:
			want = 68
		case d.Type == TypeII && d.K >= 52:
			want = 64
		}
		if s := d.TestStep(); s != want || s < lo || s > hi || s%4 != 0 {
			t.Errorf("%v: test step %d in zero range %d..%d, want %d", d, s, lo, hi, want)
		}
	}
}

func TestPublished(t *testing.T) {
	table := Published()
	if n := len(table.Conditions); n != 156 {
		t.Errorf("%d conditions, want 156", n)
	}
	if n := table.Rank(); n != 373 {
		t.Errorf("rank %d, want 373", n)
	}
	ranks := [Count]int{11, 12, 12, 11, 7, 12, 7, 14, 7, 13, 8, 14, 8, 15, 10, 14,
		11, 11, 7, 14, 15, 14, 9, 14, 9, 14, 9, 15, 14, 14, 14, 14}
	for n, v := range All() {
		if r := table.Span(n).Rank(); r != ranks[n] {
			t.Errorf("%v: rank %d, want %d", v, r, ranks[n])
		}
	}
	// What is printed is what was read.
	var lines []string
	for _, c := range table.Conditions {
		lines = append(lines, c.String())
	}
	again, err := Parse("again", strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Conditions, table.Conditions) {
		t.Error("the table changes when it is printed and read again")
	}
}

func TestCandidates(t *testing.T) {
	table := Published()
	edges := table.Candidates()
	if len(edges) != 564 {
		t.Errorf("%d candidate edges, want 564", len(edges))
	}
	type signature struct {
		gap, a, b int
		c         uint32
	}
	signatures := make(map[signature]bool)
	for _, e := range edges {
		signatures[signature{e.J - e.I, e.A, e.B, e.C}] = true
		for n := range Count {
			if e.DVs.Has(n) != table.Span(n).Implies(e.Edge) {
				t.Errorf("%v: listed for %v: %v", e.Edge, All()[n], e.DVs.Has(n))
			}
		}
	}
	if len(signatures) != 52 {
		t.Errorf("%d signatures, want 52", len(signatures))
	}
	// Every published condition is a candidate for at least its own vectors.
	for _, c := range table.Conditions {
		n, ok := slices.BinarySearchFunc(edges, c, func(a, b Condition) int { return a.Edge.Compare(b.Edge) })
		if !ok || edges[n].DVs&c.DVs != c.DVs {
			t.Errorf("%v is not among the candidates", c)
		}
	}
}

func TestSpan(t *testing.T) {
	var s Span
	e := Edge{40, 1, 41, 2, 1}
	f := Edge{41, 2, 42, 3, 1}
	if ind, ok := s.Add(e); !ind || !ok {
		t.Fatal("first edge refused")
	}
	if s.Implies(Edge{40, 1, 42, 3, 0}) {
		t.Error("edge implied before its parts are")
	}
	s.Add(f)
	if !s.Implies(Edge{40, 1, 42, 3, 0}) || s.Implies(Edge{40, 1, 42, 3, 1}) {
		t.Error("sum of two edges is not implied with the right XOR")
	}
	if ind, ok := s.Add(Edge{40, 1, 42, 3, 0}); ind || !ok {
		t.Error("implied edge is taken for independent or inconsistent")
	}
	if ind, ok := s.Add(Edge{40, 1, 42, 3, 1}); ind || ok {
		t.Error("contradiction accepted")
	}
	if s.Rank() != 2 || len(s.Edges()) != 3 || len(s.Components()) != 1 {
		t.Errorf("rank %d, edges %v, components %v", s.Rank(), s.Edges(), s.Components())
	}
	var r Span
	r.Add(e)
	if !s.Includes(&r) || r.Includes(&s) || s.Equal(&r) {
		t.Error("inclusion is wrong")
	}
	r.Add(Edge{40, 1, 42, 3, 0})
	if !s.Equal(&r) || !r.Equal(&s) {
		t.Error("two bases of one space are not equal")
	}
}

func TestParseErrors(t *testing.T) {
	const ok = "W[35].1 ^ W[36].6 = 1 : I(46,2)\n"
	for _, c := range []struct{ line, want string }{
		{"W[35].1 ^ W[36].6 = 1", "no colon"},
		{"W[35].1 W[36].6 = 1 : I(46,2)", "malformed condition"},
		{"W[35].1 ^ W[36].6 : I(46,2)", "malformed condition"},
		{"X[35].1 ^ W[36].6 = 1 : I(46,2)", `malformed bit "X[35].1"`},
		{"W[35]1 ^ W[36].6 = 1 : I(46,2)", `malformed bit "W[35]1"`},
		{"W[35].1 ^ W[80].6 = 1 : I(46,2)", "80 is out of range 0..79"},
		{"W[-1].1 ^ W[36].6 = 1 : I(46,2)", "-1 is out of range 0..79"},
		{"W[+3].1 ^ W[36].6 = 1 : I(46,2)", "not a plain number"},
		{"W[35].1 ^ W[36].32 = 1 : I(46,2)", "32 is out of range 0..31"},
		{"W[35].1 ^ W[36].6 = 2 : I(46,2)", `XOR value "2"`},
		{"W[35].1 ^ W[35].1 = 0 : I(46,2)", "compared with itself"},
		{"W[36].6 ^ W[35].1 = 1 : I(46,2)", "wrong order"},
		{"W[35].1 ^ W[36].6 = 1 :", "no disturbance vector"},
		{"W[35].1 ^ W[36].6 = 1 : I(42,0)", `unknown disturbance vector "I(42,0)"`},
		{"W[35].1 ^ W[36].6 = 1 : I(46,2) I(46,2)", "named twice"},
		{ok + "W[35].1 ^ W[36].6 = 1 : I(49,2)", ":4: duplicate: line 3"},
		{ok + "W[35].1 ^ W[36].6 = 0 : I(49,2)", ":4: duplicate: line 3"},
		{ok + "W[36].6 ^ W[37].1 = 1 : I(46,2)\nW[35].1 ^ W[37].1 = 1 : I(46,2)", ":5: I(46,2): contradicts"},
		{ok + "W[36].6 ^ W[37].1 = 1 : I(46,2)\nW[35].1 ^ W[37].1 = 0 : I(46,2)", ":5: I(46,2): redundant"},
		{"", "no conditions"},
	} {
		table, err := Parse("t.txt", "# comment\n\n"+c.line)
		if err == nil || table != nil {
			t.Errorf("%q: accepted", c.line)
			continue
		}
		if !strings.HasPrefix(err.Error(), "t.txt:") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %q, want it to name the file and %q", c.line, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("W[35].1 ^ W[36].6 = 1 : I(46,2)\n")
	f.Add("# only a comment")
	f.Add("W[35].1 ^ W[36].6 = 1 :")
	f.Add(published)
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Parse("fuzz", text)
		if (table == nil) == (err == nil) {
			t.Fatalf("table %v, error %v", table, err)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Fatalf("error %q does not name the file", err)
			}
			return
		}
		var lines []string
		for _, c := range table.Conditions {
			lines = append(lines, c.String())
		}
		again, err := Parse("fuzz", strings.Join(lines, "\n"))
		if err != nil || !slices.Equal(again.Conditions, table.Conditions) {
			t.Fatalf("written and parsed again it is %v, error %v", again, err)
		}
	})
}

// A random block survives the conditions of a vector with probability 2^-rank.
func TestSurvivorRate(t *testing.T) {
	const blocks = 400_000
	table := Published()
	rng := rand.New(rand.NewPCG(3, 4))
	var count [Count]int
	any := 0
	for range blocks {
		var block [16]uint32
		for n := range block {
			block[n] = rng.Uint32()
		}
		w := Expand(block)
		m := table.Mask(&w)
		if m != 0 {
			any++
		}
		for ; m != 0; m &= m - 1 {
			count[bits.TrailingZeros32(uint32(m))]++
		}
	}
	for n, v := range All() {
		mean := blocks * math.Exp2(-float64(table.Span(n).Rank()))
		if d := float64(count[n]) - mean; math.Abs(d) > 6*math.Sqrt(mean) {
			t.Errorf("%v: %d of %d blocks survive, expected %.1f", v, count[n], blocks, mean)
		}
	}
	if rate := float64(any) / blocks; rate < 0.0455 || rate > 0.0495 {
		t.Errorf("%.4f of the blocks survive for some vector, expected about 0.0475", rate)
	}
}
