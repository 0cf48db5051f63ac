package main

import (
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args, want string
		fails      bool
	}{
		{"", "no command", true},
		{"nonsense", `unknown command "nonsense"`, true},
		{"help nonsense", `unknown command "nonsense"`, true},
		{"asm now", `asm: unexpected argument "now"`, true},
		{"help asm report", `unexpected argument "report"`, true},
		{"help", "usage: go run ./gen COMMAND", false},
		{"--help", "usage: go run ./gen COMMAND", false},
		{"help plan", "usage: go run ./gen plan", false},
		{"report -h", "usage: go run ./gen report", false},
	} {
		var out strings.Builder
		err := run(strings.Fields(c.args), &out)
		text := out.String()
		if err != nil {
			text = err.Error()
		}
		if (err != nil) != c.fails || !strings.Contains(text, c.want) {
			t.Errorf("gen %s: %q, error %v, want %q", c.args, text, err, c.want)
		}
	}
}
