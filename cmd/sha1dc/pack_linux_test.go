package main

import (
	"os"
	"os/signal"
	"slices"
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

// TestGitHangs checks that the program can be ended while it waits for git, even
// if something else has got git's pipes.
func TestGitHangs(t *testing.T) {
	inRepository(t)
	thin := git(t, "main\n--not\nmain~5\n", "pack-objects", "--thin", "--stdout", "--revs", "-q")
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/git", []byte("#!/bin/sh\necho $$ >asked\nsleep 30\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c := process("index-pack", "--stdin", "--fix-thin", "x.pack")
	c.Env = append(c.Env, "PATH="+dir+":"+os.Getenv("PATH"))
	c.Stdin = strings.NewReader(thin)
	var stderr strings.Builder
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < 1000; n++ {
		if _, err := os.Stat("asked"); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.Process.Signal(syscall.SIGTERM)
	watchdog := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
	c.Wait()
	watchdog.Stop()
	if stderr.String() != "sha1dc: x.pack: interrupted\n" || c.ProcessState.ExitCode() != 1 {
		t.Errorf("%v, %q", c.ProcessState, stderr.String())
	}
	os.Remove("asked")
	if names := listing(t); slices.ContainsFunc(names, func(s string) bool { return strings.HasPrefix(s, "tmp_") }) {
		t.Errorf("left behind: %q", names)
	}
}
