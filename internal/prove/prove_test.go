package prove

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/spec"
	"github.com/sha1dc/go/plans"
)

// sources are the files of this module.
func sources() *Sources {
	s := ModuleSources("../..", plans.Load)
	for n, d := range dvs.All() {
		s.Differences[n] = spec.Differences(d)
	}
	return s
}

// TestEveryFile demands that each file of assembly is proved.
func TestEveryFile(t *testing.T) {
	want := []string{"cpuid_amd64.s"} // asks the processor, and has no filter
	for _, k := range Kernels {
		want = append(want, k.File, k.Recheck)
	}
	for _, k := range ManyKernels {
		want = append(want, k.File)
	}
	for _, k := range PairKernels {
		want = append(want, k.File)
	}
	slices.Sort(want)
	want = slices.Compact(want)
	names, err := filepath.Glob("../../sha1dc/*.s")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range names {
		got = append(got, filepath.Base(name))
	}
	if !slices.Equal(got, want) {
		t.Errorf("files of assembly:\n%q\nwant\n%q", got, want)
	}
}

// TestKernels explores some of the calls that "go run ./gen prove" does.
func TestKernels(t *testing.T) {
	s := sources()
	for n, k := range Kernels {
		t.Run(k.Backend, func(t *testing.T) {
			if testing.Short() && n%3 != 0 {
				t.Skip("-short: other kernels are proved")
			}
			program, err := k.program(s)
			if err != nil {
				t.Fatal(err)
			}
			calls := someScenarios(n)
			sub, err := k.subject(s, calls)
			if err != nil {
				t.Fatal(err)
			}
			p := &prover{kernel: k, program: program, subject: sub, executed: make(map[*asm.Instruction]bool)}
			if f := p.all(calls); f != nil {
				t.Fatal(f)
			}
		})
	}
}

// someScenarios are short calls without survivors, and a few with.
func someScenarios(seed int) []scenario {
	all := scenarios()
	some := append([]scenario{}, all[:6]...)
	for n := range 3 {
		some = append(some, all[12+(7*seed+20*n)%64])
	}
	return some
}

// TestMovedBit moves one vector's bit in one lane of every kernel to another
// vector. The proof must fail with a block on which the kernel, when it is
// executed, does otherwise than its plan says.
func TestMovedBit(t *testing.T) {
	s := sources()
	for n, k := range Kernels {
		t.Run(k.Backend, func(t *testing.T) {
			if testing.Short() && n%3 != 0 {
				t.Skip("-short: other kernels are damaged")
			}
			text, err := s.File(k.File)
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.Plan(k.Plans[0])
			if err != nil {
				t.Fatal(err)
			}
			lane := p.Groups[0].Lanes[len(p.Groups[0].Lanes)/2].DVs
			other := dvs.Mask(1)
			for lane&other != 0 {
				other <<= 1
			}
			now, ok := replaceWord(text, uint32(lane), uint32(lane&(lane-1)|other))
			if !ok {
				t.Fatalf("no lane with the vectors %v of the first group", lane)
			}
			damaged := *s
			damaged.File = func(name string) (string, error) {
				if name == k.File {
					return now, nil
				}
				return s.File(name)
			}
			program, err := k.program(&damaged)
			if err != nil {
				t.Fatal(err)
			}
			calls := scenarios()[:4] // of up to eight blocks
			sub, err := k.subject(s, calls)
			if err != nil {
				t.Fatal(err)
			}
			f := (&prover{kernel: k, program: program, subject: sub, executed: make(map[*asm.Instruction]bool)}).all(calls)
			if f == nil || f.Counterexample == nil || !f.Counterexample.Message {
				t.Fatalf("no counterexample: %v", f)
			}
			if err := k.Replay(&damaged, f.Counterexample); err == nil {
				t.Errorf("the counterexample shows nothing: %v", f)
			}
			if err := k.Replay(s, f.Counterexample); err != nil {
				t.Errorf("the kernel as it is differs too: %v", err)
			}
		})
	}
}

// replaceWord replaces the first word of a table that is was.
func replaceWord(text string, was, now uint32) (replaced string, ok bool) {
	lines := strings.Split(text, "\n")
	for n, l := range lines {
		at := strings.Index(l, ", $0x")
		if !strings.HasPrefix(l, "DATA ") || at < 0 {
			continue
		}
		for at += len(", $0x"); at+8 <= len(l); at += 8 {
			if l[at:at+8] == fmt.Sprintf("%08x", was) {
				lines[n] = l[:at] + fmt.Sprintf("%08x", now) + l[at+8:]
				return strings.Join(lines, "\n"), true
			}
		}
	}
	return "", false
}

func TestGo(t *testing.T) {
	s := sources()
	if err := s.ReadDifferences(); err != nil {
		t.Fatal(err)
	}
	r, err := ProveGo(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", r)
}

func TestPlans(t *testing.T) {
	for _, name := range plans.Names() {
		p, err := plans.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := ProvePlan(p); err != nil {
			t.Error(err)
		}
	}
}
