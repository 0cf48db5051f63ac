package main

import (
	"go/parser"
	"go/token"
	"math"
	"strings"
	"testing"
)

func TestSlope(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 4}, []float64{5, 7, 11}, 2},
		{[]float64{0, 1, 2, 3}, []float64{1, 0, 3, 2}, .6},
	} {
		if got := slope(c.x, c.y); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v, %v: slope %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// Filters are measured with more and more groups of the target's shape.
func TestPlans(t *testing.T) {
	for backend, name := range targets {
		before := 0
		for _, share := range shares {
			p, err := planOf(name, share)
			if err != nil {
				t.Fatalf("%s: %v", backend, err)
			}
			if len(p.Groups) <= before || len(p.Groups[0].Lanes) != p.Machine.Lanes || p.Name != name {
				t.Errorf("%s, %d %%: plan %s has %d groups of %d lanes", backend, share, p.Name, len(p.Groups), len(p.Groups[0].Lanes))
			}
			before = len(p.Groups)
		}
	}
}

func TestArguments(t *testing.T) {
	if err := run([]string{"--help"}); err == nil || !strings.Contains(err.Error(), `unexpected argument "--help"`) {
		t.Errorf("error %v", err)
	}
}

func TestTimingParses(t *testing.T) {
	if _, err := parser.ParseFile(token.NewFileSet(), "timing.go.txt", timing, 0); err != nil {
		t.Error(err)
	}
}
