package cli

import (
	"os"
	"syscall"
	"testing"
)

// TestIsTerminalPty checks that a terminal is taken for one.
func TestIsTerminalPty(t *testing.T) {
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pty.Close()
	if !IsTerminal(pty) {
		t.Error("a terminal is not taken for one")
	}
}
