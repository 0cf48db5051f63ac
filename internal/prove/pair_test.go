package prove

import (
	"fmt"
	"math/bits"
	"regexp"
	"strconv"
	"testing"
)

// TestPairKernels explores the calls that "go run ./gen prove" does, but the
// longest.
func TestPairKernels(t *testing.T) {
	s := sources()
	for _, k := range PairKernels {
		t.Run(k.Name, func(t *testing.T) {
			l, err := k.lanes(s)
			if err != nil {
				t.Fatal(err)
			}
			p, err := k.prover(s, l)
			if err != nil {
				t.Fatal(err)
			}
			if f := p.all(p.short()); f != nil {
				t.Fatal(f)
			}
			if f := unreached(p.program, p.executed, k.Name); f != nil {
				t.Fatal(f)
			}
		})
	}
}

// short returns the calls with few blocks.
func (p *pairProver) short() (calls []pairCall) {
	for _, c := range p.calls() {
		if c.each() <= 6 {
			calls = append(calls, c)
		}
	}
	return calls
}

// TestPairDamage moves vectors in the tables of the kernels. The proof must fail
// with a block, which shows it when it is executed if the filter has one part.
func TestPairDamage(t *testing.T) {
	s := sources()
	for _, k := range PairKernels {
		l, err := k.lanes(s)
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.File(k.File)
		if err != nil {
			t.Fatal(err)
		}
		table := regexp.MustCompile(`(?m)^DATA (pairs_\w+<>\+(\d+)\(SB\)/8), \$0x([0-9a-f]{16})\n`)
		var lines [][]string
		for _, m := range table.FindAllStringSubmatch(text, -1) {
			if v, _ := strconv.ParseUint(m[3], 16, 64); uint32(v) != uint32(v>>32) && uint32(v) != 0 && bits.OnesCount32(uint32(v)) < 32 {
				lines = append(lines, m)
			}
		}
		if len(lines) < 4 {
			t.Fatalf("%s: %d lines with vectors", k.File, len(lines))
		}
		// A group of the first part, if there are two, and one of the second.
		for _, m := range [][]string{lines[1], lines[len(lines)-2]} {
			v, _ := strconv.ParseUint(m[3], 16, 64)
			other := uint64(1)
			for v&other != 0 {
				other <<= 1
			}
			damaged := replaced(t, k.File, m[0], fmt.Sprintf("DATA %s, $%#016x\n", m[1], v&(v-1)|other))
			p, err := k.prover(damaged, l)
			if err != nil {
				t.Fatal(err)
			}
			f := p.all(p.short()[1:])
			switch {
			case f == nil:
				t.Errorf("%s: %s with another vector is proved", k.Name, m[1])
			case f.Counterexample == nil || !f.Counterexample.Message:
				t.Errorf("%s: %s: no counterexample: %v", k.Name, m[1], f)
			case f.Counterexample.Part == "" && k.Replay(damaged, f.Counterexample) == nil:
				// What the first part keeps too much, the second may take away.
				t.Errorf("%s: %s: the counterexample shows nothing: %v", k.Name, m[1], f)
			default:
				if err := k.Replay(s, f.Counterexample); err != nil {
					t.Errorf("%s: %s: the kernel as it is differs too: %v", k.Name, m[1], err)
				}
			}
		}
	}
}
