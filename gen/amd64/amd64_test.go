package amd64

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sha1dc/go/gen/asm/asmtest"
	"github.com/sha1dc/go/gen/files"
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

func TestRules(t *testing.T) { asmtest.Rules(t, generate(t), regexp.MustCompile(`\b(BP|R15)\b`)) }

// instruction is a line of an assembly file.
type instruction struct {
	line     int
	mnemonic string
	operands string
}

// parse returns the instructions of a file and, for each label, the index of
// the instruction behind it.
func parse(f files.File) (list []instruction, labels map[string]int) {
	labels = make(map[string]int)
	for n, line := range strings.Split(string(f.Content), "\n") {
		switch {
		case strings.HasPrefix(line, "\t"):
			m, operands, _ := strings.Cut(strings.TrimSpace(line), " ")
			list = append(list, instruction{n + 1, m, strings.TrimSpace(operands)})
		case strings.HasSuffix(line, ":"):
			labels[strings.TrimSuffix(line, ":")] = len(list)
		}
	}
	return list, labels
}

// Processors with the SHA extensions but without AVX must not meet a VEX
// instruction.
func TestEncodings(t *testing.T) {
	seen := 0
	for _, f := range generate(t) {
		if !strings.HasSuffix(f.Path, "_sse_amd64.s") && !strings.HasSuffix(f.Path, "recheck_shani_amd64.s") {
			continue
		}
		seen++
		list, _ := parse(f)
		for _, i := range list {
			if strings.HasPrefix(i.mnemonic, "V") {
				t.Errorf("%s:%d: %s needs AVX", f.Path, i.line, i.mnemonic)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d files without AVX, want 2", seen)
	}
}

var lowWide = regexp.MustCompile(`\b[YZ]([0-9]|1[0-5])$`)

// On no path may a value in the upper half of a register 0 to 15 meet a call or
// a return.
func TestUpperHalves(t *testing.T) {
	used := 0
	for _, f := range generate(t) {
		if !strings.HasSuffix(f.Path, ".s") {
			continue
		}
		list, labels := parse(f)
		type state struct {
			at    int
			dirty bool
		}
		seen := make(map[state]bool)
		work := []state{{0, false}}
		for _, at := range labels {
			work = append(work, state{at, false})
		}
		for len(work) > 0 {
			s := work[len(work)-1]
			work = work[:len(work)-1]
			if seen[s] || s.at >= len(list) {
				continue
			}
			seen[s] = true
			i := list[s.at]
			switch {
			case i.mnemonic == "VZEROUPPER":
				s.dirty = false
			case lowWide.MatchString(i.operands):
				s.dirty = true
				used++
			case s.dirty && (i.mnemonic == "CALL" || i.mnemonic == "RET"):
				t.Errorf("%s:%d: %s without VZEROUPPER", f.Path, i.line, i.mnemonic)
			}
			if to, ok := labels[i.operands]; ok {
				work = append(work, state{to, s.dirty})
			}
			if i.mnemonic != "JMP" && i.mnemonic != "RET" {
				work = append(work, state{s.at + 1, s.dirty})
			}
		}
	}
	if used == 0 {
		t.Error("no kernel uses upper halves: the test sees nothing")
	}
}
