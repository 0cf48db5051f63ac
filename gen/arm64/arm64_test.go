package arm64

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sha1dc/go/gen/asm/asmtest"
	"github.com/sha1dc/go/gen/files"
	"github.com/sha1dc/go/internal/plan"
	"github.com/sha1dc/go/plans"
)

func generate(t *testing.T) []files.File {
	t.Helper()
	out, err := Files(plans.Load)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDeterministic(t *testing.T) { asmtest.Deterministic(t, generate) }

func TestCheckedIn(t *testing.T) { asmtest.CheckedIn(t, generate(t)) }

func TestRules(t *testing.T) {
	asmtest.Rules(t, generate(t), regexp.MustCompile(`\b(R1[678]|R2[789]|R3[01]|g)\b|\bMRS\b`))
}

// text returns the generated file with the given name.
func fileText(t *testing.T, name string) string {
	t.Helper()
	for _, f := range generate(t) {
		if strings.HasSuffix(f.Path, "/"+name) {
			return string(f.Content)
		}
	}
	t.Fatalf("no file %s is generated", name)
	return ""
}

// The stack pointer may move by no instruction but the assembler's own, and be
// used for nothing outside the frame.
func TestStackPointer(t *testing.T) {
	use := regexp.MustCompile(`^\tMOV(D|BU) +(\$?[0-9]+\(RSP\), R[0-9]+|R[0-9]+, [0-9]+\(RSP\))$`)
	offset := regexp.MustCompile(`([0-9]+)\(RSP\)`)
	for _, v := range variants {
		used := 0
		for line := range strings.SplitSeq(fileText(t, "blocks_sha1_"+v.file+"_arm64.s"), "\n") {
			if !strings.Contains(line, "RSP") {
				continue
			}
			used++
			if !use.MatchString(line) {
				t.Errorf("%s: the stack pointer in %s", v.name, line)
			} else if n := offset.FindStringSubmatch(line)[1]; len(n) > 5 || atoi(n) < frameArgs || atoi(n) >= frameSize {
				t.Errorf("%s: outside the frame: %s", v.name, line)
			}
		}
		if used == 0 {
			t.Errorf("%s has no frame: the test sees nothing", v.name)
		}
	}
	for _, v := range variants {
		if strings.Contains(fileText(t, "pair_sha1_"+v.file+"_arm64.s"), "RSP") {
			t.Errorf("%s: the kernel for pairs, which has no frame, uses the stack pointer", v.name)
		}
	}
	if frameSize%16 != 0 || frameSize > 16<<10 {
		t.Errorf("a frame of %d bytes", frameSize)
	}
}

func atoi(digits string) (n int) {
	for _, d := range digits {
		n = 10*n + int(d-'0')
	}
	return n
}

// recheckSHA1 must leave alone what kernels keep in registers while it runs.
func TestRecheckKeepsRegisters(t *testing.T) {
	names := regexp.MustCompile(`\b([RVF])([0-9]+)\b`)
	used := make(map[string]bool)
	for line := range strings.SplitSeq(fileText(t, "recheck_sha1_arm64.s"), "\n") {
		if !strings.HasPrefix(line, "\t") {
			continue
		}
		for _, m := range names.FindAllStringSubmatch(line, -1) {
			used[strings.Replace(m[1], "F", "V", 1)+m[2]] = true
		}
	}
	if len(used) < 20 {
		t.Fatalf("%d registers found", len(used))
	}
	for _, v := range variants {
		p, err := plans.Load("neon")
		if err != nil {
			t.Fatal(err)
		}
		k, err := newKernel(v, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []R{k.message, k.chunk, k.slots, k.before, k.left, k.previous, k.table} {
			if used[r.Asm()] {
				t.Errorf("%s keeps a value in %s", v.name, r.Asm())
			}
		}
		for _, r := range k.filter.bits {
			if used[r.Asm()] {
				t.Errorf("%s keeps a constant in %s", v.name, r.Asm())
			}
		}
		// recheckSHA1 loads the same constants to the registers that it takes first.
		if k.rounds.k != [4]V{0, 1, 2, 3} {
			t.Errorf("%s has the constants of the rounds in %v", v.name, k.rounds.k)
		}
	}
}

// Every register of a function is one that nobody else uses.
func TestRegisters(t *testing.T) {
	panics := func(f func()) (message any) {
		defer func() { message = recover() }()
		f()
		return nil
	}
	a := newRegisters()
	var general []R
	for range 24 {
		general = append(general, a.R())
	}
	for _, r := range general {
		if !r.allowed() {
			t.Errorf("%s is handed out", r.Asm())
		}
	}
	slices.Sort(general)
	if len(slices.Compact(general)) != 24 {
		t.Errorf("registers handed out twice: %v", general)
	}
	if panics(func() { a.R() }) == nil {
		t.Error("there is a 25th general register")
	}
	if v := a.Vs(32); v[0] != 0 || v[31] != 31 {
		t.Errorf("vector registers %v", v)
	}
	if panics(func() { a.V() }) == nil {
		t.Error("there is a 33rd vector register")
	}
}

// What an instruction cannot encode must be an error, and not become something
// else in the assembler.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		name string
		emit func(s *stream)
		ok   bool
	}{
		{"pair", func(s *stream) { s.loadVV(0, 1008, 1, 2) }, true},
		{"pair, too far", func(s *stream) { s.loadVV(0, 1024, 1, 2) }, false},
		{"pair, below", func(s *stream) { s.storeVV(1, 2, 0, -1024) }, true},
		{"pair, too far below", func(s *stream) { s.storeVV(1, 2, 0, -1040) }, false},
		{"pair, not aligned", func(s *stream) { s.loadVV(0, 8, 1, 2) }, false},
		{"vector", func(s *stream) { s.loadV(0, 65520, 1) }, true},
		{"vector, too far", func(s *stream) { s.loadV(0, 65536, 1) }, false},
		{"vector, not aligned", func(s *stream) { s.loadV(0, 20, 1) }, false},
		{"vector, below", func(s *stream) { s.loadV(0, -16, 1) }, false},
		{"word", func(s *stream) { s.loadS(0, 4, 1) }, true},
		{"word, not aligned", func(s *stream) { s.storeS(1, 0, 2) }, false},
		{"sum", func(s *stream) { s.addConstant(-4095, 0, 1) }, true},
		{"sum, too large", func(s *stream) { s.addConstant(4096, 0, 1) }, false},
		{"constant", func(s *stream) { s.movConstant(65535, 1) }, true},
		{"constant, too large", func(s *stream) { s.movConstant(65536, 1) }, false},
		{"shift", func(s *stream) { s.orrShifted(0, 63, 1, 2) }, true},
		{"shift, too far", func(s *stream) { s.orrShifted(0, 64, 1, 2) }, false},
		{"word-encoded", func(s *stream) { s.vorn(31, 0, 5) }, true},
		{"word-encoded, no such register", func(s *stream) { s.vorn(32, 0, 5) }, false},
		{"platform register", func(s *stream) { s.mov(18, 1) }, false},
		{"goroutine", func(s *stream) { s.mov(1, 28) }, false},
	} {
		var s stream
		c.emit(&s)
		if err := s.err(); (err == nil) != c.ok {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

// A plan that the filter cannot follow must not make a filter.
func TestFilterRefuses(t *testing.T) {
	p, err := plans.Load("neon")
	if err != nil {
		t.Fatal(err)
	}
	q := *p
	q.Groups = slices.Clone(p.Groups)
	q.Groups[3].Shape = plan.Variable
	if _, err := newFilter(&q, all, newRegisters()); err == nil || !strings.Contains(err.Error(), "group 4") {
		t.Errorf("a group of shape %v: %v", plan.Variable, err)
	}
	q.Groups = slices.DeleteFunc(slices.Clone(p.Groups), func(g plan.Group) bool { return g.C == 0 })
	f, err := newFilter(&q, all, newRegisters())
	if err != nil {
		t.Fatal(err)
	}
	if f.filter(0, 0, 0, 0).err() == nil {
		t.Error("a filter without a sum of dismissed vectors")
	}
	a := newRegisters()
	a.Vs(22)
	if _, err := newFilter(p, all, a); err == nil || !strings.Contains(err.Error(), "registers") {
		t.Errorf("10 vector registers: %v", err)
	}
}
