package main

import (
	"fmt"
	"strings"
	"testing"
)

// listing returns a disassembly of a loop around a loop with n times four steps,
// and a jump forward in it.
func listing(n int) string {
	var b strings.Builder
	b.WriteString("0000000000001000 <other>:\n    1000:      \tb\t0x1000 <other>\n\n")
	b.WriteString("0000000000002000 <blocks>:\n    2000:      \tmov\tx0, #0x5\n    2004:      \tldr\tq4, [x1]\n")
	for i := range n {
		fmt.Fprintf(&b, "    %04x:      \tsha1%c\tq2, s1, v16.4s\n", 0x2008+4*i, "cpm"[i%3])
	}
	end := 0x2008 + 4*n
	fmt.Fprintf(&b, "    %04x:      \tcbz\tx9, 0x%x <blocks+0x44>\n", end, end+12)
	fmt.Fprintf(&b, "    %04x:      \tcbnz\tx3, 0x2004 <blocks+0x4>\n", end+4)
	fmt.Fprintf(&b, "    %04x:      \tb.ne\t0x2000 <blocks>\n    %04x:      \tret\n", end+8, end+12)
	return b.String()
}

func TestLoops(t *testing.T) {
	for blocks := 1; blocks <= 2; blocks++ {
		got, err := loops(listing(20 * blocks))
		if err != nil || len(got) != 1 {
			t.Fatalf("%d loops, error %v, want one", len(got), err)
		}
		l := got[0]
		if l.function != "blocks" || l.blocks != blocks || len(l.body) != 20*blocks+1 || l.body[0] != "ldr q4, [x1]" {
			t.Errorf("%s, %d blocks, %d instructions from %q on", l.function, l.blocks, len(l.body), l.body[0])
		}
	}
	if _, err := loops(listing(19)); err == nil || !strings.Contains(err.Error(), "19") {
		t.Errorf("19 times four steps: error %v", err)
	}
	if got, err := loops(listing(0)); err != nil || len(got) != 0 {
		t.Errorf("%d loops without steps, error %v", len(got), err)
	}
}

func TestRunFails(t *testing.T) {
	var out strings.Builder
	for _, c := range []struct {
		tools
		binaries []string
		want     string
	}{
		{tools{}, nil, "no binaries"},
		{tools{"false", "no-such-program"}, []string{"x"}, "no-such-program"},
		{tools{"false", "true"}, []string{"x"}, "no binary has a loop of crypto/sha1.sha1block"},
	} {
		if err := run(c.tools, c.binaries, &out); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, %v: error %v, want one with %q", c.tools, c.binaries, err, c.want)
		}
	}
}
