package prove

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyKernels explores some of the calls that "go run ./gen prove" does.
func TestManyKernels(t *testing.T) {
	s := sources()
	for n, k := range ManyKernels {
		t.Run(k.Name, func(t *testing.T) {
			if testing.Short() && n == 0 {
				t.Skip("-short: the narrower kernel is proved")
			}
			p := newManyProver(t, s, k)
			calls := p.calls()
			if f := p.all(append(calls[:6:6], calls[len(calls)-1])); f != nil {
				t.Fatal(f)
			}
		})
	}
}

func newManyProver(t *testing.T, s *Sources, k ManyKernel) *manyProver {
	t.Helper()
	plan, err := s.Plan(k.Plan)
	if err != nil {
		t.Fatal(err)
	}
	p, err := k.prover(s, newLanes(plan, k.Lanes))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestManyDamage damages the kernels for many messages. The proof must fail with
// a block on which the kernel, when it is executed, does otherwise than its plan
// says, or say what is wrong.
func TestManyDamage(t *testing.T) {
	s := sources()
	plan, err := s.Plan("many")
	if err != nil {
		t.Fatal(err)
	}
	mask := uint32(plan.Groups[7].DVs())
	other := uint32(1)
	for mask&other != 0 {
		other <<= 1
	}
	row := func(mask uint32) string { return fmt.Sprintf("DATA masks_many<>+28(SB)/4, $%#08x", mask) }
	// What was, what becomes of it, and what the error says; nothing if there is a
	// counterexample.
	damages := map[string][][3]string{
		"many-avx512": {
			{row(mask), row(mask&(mask-1) | other), ""},
			{"VPTESTNMD.BCST bits<>+120(SB), Z11, K1", "VPTESTMD.BCST bits<>+120(SB), Z11, K1", ""},
			{"VPXORD 3584(R14), Z12, Z11", "VPXORD 3588(R14), Z12, Z11", ""},
			{"VPTESTMD Z9, Z9, K1", "VPTESTMD Z9, Z10, K1", ""},
			{"CMPQ R9, $0x00000008", "CMPQ R9, $0x00000009", "where nothing may be accessed"},
		},
		"many-avx2": {
			{row(mask), row(mask&(mask-1) | other), ""},
			{"VPSIGND Y10, Y11, Y11", "VPSIGND Y10, Y10, Y11", ""},
			{"MOVQ 24(SI), R8", "MOVQ 48(SI), R8", ""},
			{"ADDQ $+64, BX", "ADDQ $+128, BX", "where nothing may be accessed"},
			{"MOVL 1344(R11), R10", "MOVL 1348(R11), R10", "no block that survived"},
			{"MOVL 1408(R11), R10", "MOVL 1412(R11), R10", "byte 312 of item 0 of the slots"},
			{"CMPQ R9, $0x00000008", "CMPQ R9, $0x00000006", "stops after"},
			{"LEAQ -1(DX)(CX*1), DX", "LEAQ (DX)(CX*1), DX", "of the chaining values"},
			{"ADDQ $0x00000140, R13", "ADDQ $0x00000280, R13", "byte 0 of item 1 of the chaining values"},
		},
	}
	for n, k := range ManyKernels {
		t.Run(k.Name, func(t *testing.T) {
			if testing.Short() && n == 0 {
				t.Skip("-short: the narrower kernel is damaged")
			}
			whole := newManyProver(t, s, k)
			for _, d := range damages[k.Name] {
				damaged := replacedLine(t, k.File, d[0], d[1])
				p, err := k.prover(damaged, whole.lanes)
				if err != nil {
					t.Fatal(err)
				}
				calls := p.calls()
				f := p.all(append(calls[:5:5], calls[len(calls)-18:]...))
				switch {
				case f == nil:
					t.Errorf("%q for %q is proved", d[1], d[0])
				case d[2] != "":
					if !strings.Contains(f.Error(), d[2]) {
						t.Errorf("%q for %q: %v, want %q", d[1], d[0], f, d[2])
					}
				case f.Counterexample == nil || !f.Counterexample.Message:
					t.Errorf("%q for %q: no counterexample: %v", d[1], d[0], f)
				case k.Replay(damaged, f.Counterexample) == nil:
					t.Errorf("%q for %q: the counterexample shows nothing: %v", d[1], d[0], f)
				default:
					if err := k.Replay(s, f.Counterexample); err != nil {
						t.Errorf("%q for %q: the kernel as it is differs too: %v", d[1], d[0], err)
					}
				}
			}
		})
	}
}

// replacedLine returns the sources with the first line of one file replaced that
// is the given one but for spaces.
func replacedLine(t *testing.T, file, old, now string) *Sources {
	t.Helper()
	text, err := sources().File(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		if strings.Join(strings.Fields(line), " ") == old {
			return replaced(t, file, line, "\t"+now+"\n")
		}
	}
	t.Fatalf("%s has no line %q", file, old)
	return nil
}
