package prove

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/prove/asm"
)

// replaced returns the sources with text of one file replaced, once.
func replaced(t *testing.T, file, old, now string) *Sources {
	t.Helper()
	s := sources()
	whole, err := s.File(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(whole, old) {
		t.Fatalf("%s has no %q", file, old)
	}
	read := s.File
	s.File = func(name string) (string, error) {
		if name == file {
			return strings.Replace(whole, old, now, 1), nil
		}
		return read(name)
	}
	return s
}

// TestDamagedGo damages the Go code, which must not be proved then.
func TestDamagedGo(t *testing.T) {
	filter, err := os.ReadFile("../../sha1dc/filter_generic.go")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`\{\d+, \d+, \d+, \d+, 0\},`).FindString(string(filter)) // of the tail
	for _, c := range []struct{ file, old, now, want string }{
		{"filter_generic.go", "(w[44]^w[45])", "(w[44]^w[46])", "the mask differs"},
		{"filter_generic.go", ">>29&1 - 1)", ">>28&1 - 1)", "the mask differs"},
		{"filter_generic.go", "mask &= -((", "mask |= -((", "the mask differs"},
		{"filter_generic.go", row, "", "the mask differs"},
		{"filter_generic.go", row, strings.Replace(row, "0},", "1},", 1), "the mask differs"},
		{"filter_generic.go", "mask &^= 1 << dv", "mask &= 1 << dv", "the mask differs"},
		{"filter_generic.go", "&1 != 0", "&1 == 0", "the mask differs"},
		{"filter_generic.go", "return mask", "return mask + mask", "the mask differs"},
		{"filter_generic.go", "m &= m - 1", "m &= m - 2", "want a loop over the bits of a mask"},
		{"filter_generic.go", "return mask", "if mask != 0 {\nreturn mask\n}\nreturn mask", "a return under a condition"},
		{"compress_generic.go", "e += w[0] + k0", "e += w[0] + k1", "another chaining value"},
		{"compress_generic.go", "w[16] = bits.RotateLeft32(w[13]^w[8]", "w[16] = bits.RotateLeft32(w[13]^w[9]", "another chaining value"},
		{"compress_generic.go", "h[4] += e", "h[4] += d", "another chaining value"},
		{"disturbance_vectors.go", "testStep: 60", "testStep: 70", "do not share the state"},
	} {
		_, err := ProveGo(replaced(t, c.file, c.old, c.now))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %q for %q: %v, want %q", c.file, c.now, c.old, err, c.want)
		}
	}
	if err := replaced(t, "disturbance_vectors.go", "0x", "0x1").ReadDifferences(); err == nil || !strings.Contains(err.Error(), "word 0 of I(43,0)") {
		t.Errorf("a wrong message difference: %v", err)
	}
}

func kernelNamed(t *testing.T, backend string) Kernel {
	t.Helper()
	for _, k := range Kernels {
		if k.Backend == backend {
			return k
		}
	}
	t.Fatalf("no kernel %s", backend)
	return Kernel{}
}

// TestUncertainSymbols refuses functions and tables that are perhaps not those
// that are linked.
func TestUncertainSymbols(t *testing.T) {
	k := kernelNamed(t, "shani-sse")
	for _, c := range []struct{ old, now, want string }{
		{"(SB), $1952-64", "(SB), DUPOK, $1952-64", "has the flags DUPOK"},
		{"reverse<>(SB), RODATA|NOPTR", "reverse<>(SB), NOPTR", "reverse<> may be written"},
		{"reverse<>(SB), RODATA|NOPTR, $16", "reverse<>(SB), RODATA|NOPTR, $16\nGLOBL shared(SB), RODATA|NOPTR, $16", "shared may be written or replaced"},
	} {
		if _, err := k.program(replaced(t, k.File, c.old, c.now)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.now, err, c.want)
		}
	}
}

// TestUnknownInstruction names file, line and mnemonic.
func TestUnknownInstruction(t *testing.T) {
	k := Kernels[0]
	s := replaced(t, k.File, "PXOR         X1, X1", "PABSD        X1, X1")
	_, err := k.Prove(s)
	var f *Failure
	if !errors.As(err, &f) || f.Line == 0 || f.File != k.File || !strings.Contains(err.Error(), "PABSD has no meaning") {
		t.Errorf("%v", err)
	}
}

// TestDamagedKernel damages a kernel in ways that need a certain place in memory
// or a certain call to show.
func TestDamagedKernel(t *testing.T) {
	k := kernelNamed(t, "shani-avx2")
	short, crowded := scenarios()[:2], []scenario{}
	for _, s := range scenarios() {
		if strings.Contains(s.name, "for 25 vectors each") {
			crowded = append(crowded, s)
		}
	}
	for _, c := range []struct {
		old, now, want string
		calls          []scenario
	}{
		{"MOVQ      p+8(FP), SI", "MOVL      p+8(FP), SI", "where nothing may be accessed", short},
		{"MOVQ      h+0(FP), CX", "MOVL      h+0(FP), CX", "where nothing may be accessed", short},
		{"LEAQ      159(SP), R11", "LEAL      159(SP), R11", "where nothing may be accessed", short},
		{"filter_avx2<>+0(SB), R12\n", "filter_avx2<>+0(SB), R12\n\tADDL $0, R12\n", "where nothing may be accessed", short},
		{"LEAQ      1344(R11), DI", "LEAQ      896(R11), DI", "is not that after the", crowded},
	} {
		t.Run(c.now, func(t *testing.T) {
			s := replaced(t, k.File, c.old, c.now)
			program, err := k.program(s)
			if err != nil {
				t.Fatal(err)
			}
			sub, err := k.subject(s, c.calls)
			if err != nil {
				t.Fatal(err)
			}
			p := &prover{kernel: k, program: program, subject: sub, executed: make(map[*asm.Instruction]bool)}
			if f := p.all(c.calls); f == nil || !strings.Contains(f.Error(), c.want) {
				t.Errorf("%v, want %q", f, c.want)
			}
		})
	}
}

// TestDamagedLane damages what a kernel does with one vector in one of the
// blocks that it takes at once.
func TestDamagedLane(t *testing.T) {
	k := kernelNamed(t, "avx2")
	s := replaced(t, k.File, "NOTL   AX\n", "NOTL   AX\n\tCMPQ R14, $5\n\tJNE  other\n\tANDL $0xf7ffffff, AX\nother:\n")
	var calls []scenario
	for _, c := range k.scenarios() {
		if c.name == "8 blocks, block 5 survives for vector 27" {
			calls = append(calls, c)
		}
	}
	program, err := k.program(s)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := k.subject(s, calls)
	if err != nil {
		t.Fatal(err)
	}
	p := &prover{kernel: k, program: program, subject: sub, executed: make(map[*asm.Instruction]bool)}
	if f := p.all(calls); f == nil || !strings.Contains(f.Error(), "without a recheck of block 5 for II(52,0)") {
		t.Errorf("%v", f)
	}
}
