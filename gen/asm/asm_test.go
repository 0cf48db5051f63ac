package asm

import "testing"

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		main, side string
		from, to   float64
		want       string
	}{
		{"abcd", "12", 0, 1, "1ab2cd"},
		{"abcd", "12", 0.5, 1, "ab1c2d"},
		{"abcd", "12", 0, 0, "12abcd"},
		{"abcd", "12", 1, 1, "abcd12"},
		{"ab", "1234", 0, 1, "1a23b4"},
		{"ab", "", 0, 1, "ab"},
		{"", "12", 0, 1, "12"},
	} {
		if got := string(Spread([]byte(c.main), []byte(c.side), c.from, c.to)); got != c.want {
			t.Errorf("Spread(%s, %s, %v, %v) = %s, want %s", c.main, c.side, c.from, c.to, got, c.want)
		}
	}
}

// All vectors have a test step, and where a slot has the state.
func TestTestSteps(t *testing.T) {
	steps, vectors := TestSteps()
	var all, twice uint32
	for _, step := range steps {
		twice |= all & uint32(vectors[step])
		all |= uint32(vectors[step])
		if step%4 != 0 || step < FirstState+4 {
			t.Errorf("step %d: rechecks start from every fourth step from %d on", step, FirstState+4)
		}
	}
	if ^all != 0 || twice != 0 {
		t.Errorf("vectors %08x have no test step, %08x have two", ^all, twice)
	}
}

func TestSlot(t *testing.T) {
	s := Slot{W: 16, State: 400}
	if s.Word(0) != 16 || s.Word(79) != 16+4*79 || s.Window(3, 4) != s.Word(3) || s.StateAt(56) != 416 {
		t.Errorf("%+v: W[0] at %d, W[79] at %d, W[3..6] at %d, the state at 56 at %d",
			s, s.Word(0), s.Word(79), s.Window(3, 4), s.StateAt(56))
	}
	s.Mirrored = true
	if s.Word(0) != 16+4*79 || s.Word(79) != 16 || s.Window(3, 4) != s.Word(6) {
		t.Errorf("%+v: W[0] at %d, W[79] at %d, W[3..6] at %d", s, s.Word(0), s.Word(79), s.Window(3, 4))
	}
}
