package plan

import (
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan/corpus"
)

// everything returns a plan of all candidates, one a group.
func everything(table *dvs.Table) *Plan {
	p := &Plan{Name: "everything", Limit: Any}
	for _, e := range table.Candidates() {
		p.Groups = append(p.Groups, NewUniform(table, 1, SignatureOf(e.Edge), e.I))
	}
	return p
}

// small returns families of so few blocks that all can be tried.
func small() []corpus.Family {
	word, byteWise, counters := corpus.RepeatedWord(), corpus.Random(), corpus.Counters("counters", 3)
	word.Free = word.Free[7:18]
	byteWise.Name, byteWise.Free = "bits here and there", nil
	for n := 0; n < 512; n += 47 {
		byteWise.Free = append(byteWise.Free, corpus.Random().Free[n])
	}
	counters.Free = counters.Free[:12]
	return []corpus.Family{word, byteWise, counters}
}

// What algebra says of a family is what its blocks give, one by one.
func TestSurvivorsOn(t *testing.T) {
	table := dvs.Published()
	for _, f := range small() {
		for _, p := range []*Plan{sample(t, table), everything(table)} {
			kept := 0
			for choice := range 1 << len(f.Free) {
				b := f.Base
				for n, free := range f.Free {
					for w := range b {
						b[w] ^= free[w] * uint32(choice>>n&1)
					}
				}
				w := dvs.Expand(b)
				kept += (^p.Dismissed(&w)).Len()
			}
			if got, want := p.SurvivorsOn(f), Survivors(kept)*One>>len(f.Free); got != want {
				t.Errorf("%s on %s: %d survivors, all blocks give %d", p.Name, f.Name, got, want)
			}
		}
		if got, want := FloorOn(table, f), everything(table).SurvivorsOn(f); got != want {
			t.Errorf("%s: all conditions leave %d, all candidates %d", f.Name, got, want)
		}
	}
}

// Survivors of the mix are those of its families, but for contradictions that
// need not be.
func TestMixedSurvivors(t *testing.T) {
	table := dvs.Published()
	for _, p := range []*Plan{sample(t, table), everything(table)} {
		var sum Survivors
		for _, s := range corpus.Mix() {
			sum += Survivors(s.Parts) * p.SurvivorsOn(s.Family) / corpus.Whole
		}
		got := p.MixedSurvivors()
		if got < sum || got > sum+One/16 {
			t.Errorf("%s: %.5f survivors of the mix, its families give %.5f", p.Name, got.Rate(), sum.Rate())
		}
		curve := p.MixedCurve()
		if curve[0] != dvs.Count*One || curve[len(p.Groups)] != got {
			t.Errorf("%s: the curve goes from %d to %d, want %d and %d", p.Name, curve[0], curve[len(p.Groups)], dvs.Count*One, got)
		}
	}
	if got, want := MixedFloor(table), everything(table).MixedSurvivors(); got != want {
		t.Errorf("all conditions leave %d of the mix, all candidates %d", got, want)
	}
}

// A plan of all candidates dismisses what it must, and does so no longer
// without those that zeros break.
func TestValidateData(t *testing.T) {
	table := dvs.Published()
	p := everything(table)
	if err := p.ValidateFamilies(table); err != nil {
		t.Error(err)
	}
	if err := p.ValidateBlocks(table); err != nil {
		t.Error(err)
	}
	weak := *p
	weak.Groups = nil
	for _, g := range p.Groups {
		if g.C == 0 {
			weak.Groups = append(weak.Groups, g)
		}
	}
	if err := weak.ValidateFamilies(table); err == nil || !strings.Contains(err.Error(), "8-bit big-endian numbers") {
		t.Errorf("families: %v", err)
	}
	if err := weak.ValidateBlocks(table); err == nil || !strings.Contains(err.Error(), "padding") {
		t.Errorf("blocks: %v", err)
	}
}

// Cycles are written rounded down, and read as the lowest value so written.
func TestCycles(t *testing.T) {
	for _, v := range []int64{0, 1, 523, 524, 525, UnitsPerCycle - 1, UnitsPerCycle, 7*UnitsPerCycle + 12345678, 4000*UnitsPerCycle - 1} {
		text := Cycles.Format(v)
		got, err := Cycles.parse(text)
		if err != nil || got > v || Cycles.Format(got) != text || got > 0 && Cycles.Format(got-1) == text {
			t.Errorf("%d is written %q and read as %d, %v", v, text, got, err)
		}
	}
	for _, text := range []string{"", "1", "1.5", "-1.000000", "1.0000000", "1.-00001", "x.000000", "99999999999.000000"} {
		if v, err := Cycles.parse(text); err == nil {
			t.Errorf("%q is read as %d", text, v)
		}
	}
}
