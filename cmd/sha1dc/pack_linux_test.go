package main

import (
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPackHangup checks that a terminal that is closed leaves no temporary file.
func TestPackHangup(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("these tests were started to ignore SIGHUP")
	}
	t.Chdir(t.TempDir())
	c := process("index-pack", "--stdin", "x.pack")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for n := 0; len(listing(t)) == 0 && n < 1000; n++ {
		time.Sleep(10 * time.Millisecond)
	}
	c.Process.Signal(syscall.SIGHUP)
	c.Wait()
	if names := listing(t); len(names) > 0 {
		t.Errorf("left behind: %q", names)
	}
}

// TestPackNamedPipe checks that a named pipe without a writer is refused at once.
func TestPackNamedPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"x.pack", "y.idx"} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"index-pack", "x.pack"}, {"verify-pack", "y.pack"}} {
		c := process(args...)
		watchdog := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
		out, err := c.CombinedOutput()
		watchdog.Stop()
		if err == nil || !strings.Contains(string(out), "not a regular file") {
			t.Errorf("%v: %v, %q", args, err, out)
		}
	}
}
