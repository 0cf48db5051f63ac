package main

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// oddNames are names that need care; all are bytes that Linux allows.
var oddNames = []string{
	" lead", "trail ", "a b", "-dash", "--", "*star", "it's", "quo\"te", "back\\slash", "\\", "new\nline", "car\rriage",
	"\n", "bad\xffutf8", "caf\xc3\xa9", "tab\there", "par)en = x", "(", "#hash", "~tilde", "col:on", "SHA1 (f) = ", "\x01\x7f",
}

// TestOddNames checks that a list of any files verifies.
func TestOddNames(t *testing.T) {
	inDirectory(t, nil)
	for _, name := range oddNames {
		writeFiles(t, map[string]string{name: name})
	}
	for _, form := range []string{"-t", "-b", "--tag"} {
		list := ours("", append([]string{form, "--"}, oddNames...)...)
		if list.status != 0 || list.stderr != "" {
			t.Fatalf("%s: status %d %q", form, list.status, list.stderr)
		}
		have := ours(list.stdout, "-c", "--strict", "-w")
		if have.status != 0 || have.stderr != "" || strings.Count(have.stdout, ": OK\n") != len(oddNames) {
			t.Errorf("%s: %+v", form, have)
		}
	}
	zero := ours("", append([]string{"-z", "--"}, oddNames...)...)
	for i, line := range strings.Split(strings.TrimSuffix(zero.stdout, "\x00"), "\x00") {
		if want := fmt.Sprintf("%x  %s", sha1.Sum([]byte(oddNames[i])), oddNames[i]); line != want {
			t.Errorf("-z: %q, want %q", line, want)
		}
	}
}

// TestPipesInTurn checks that a pipe is not opened before everything in front
// of it was read: two operands may be the same one.
func TestPipesInTurn(t *testing.T) {
	inDirectory(t, nil)
	if err := errors.Join(syscall.Mkfifo("one", 0o600), syscall.Mkfifo("two", 0o600)); err != nil {
		t.Fatal(err)
	}
	result := make(chan outcome)
	go func() { result <- ours("", "-j4", "one", "two") }()
	one, err := os.OpenFile("one", os.O_WRONLY, 0) // waits for the reader
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		time.Sleep(time.Millisecond)
		if two, err := os.OpenFile("two", os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			two.Close()
			t.Error("the second pipe has a reader while the first is read")
			break
		}
	}
	one.WriteString("1")
	one.Close()
	if err := os.WriteFile("two", []byte("2"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := outcome{0, fmt.Sprintf("%x  one\n%x  two\n", sha1.Sum([]byte("1")), sha1.Sum([]byte("2"))), ""}
	if have := <-result; have != want {
		t.Errorf("%+v, want %+v", have, want)
	}
}
