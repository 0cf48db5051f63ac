package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sha1dc/go/internal/cli"
)

// TestMain lets the test's program stand for the command, for tests that need a
// process.
func TestMain(m *testing.M) {
	if os.Getenv("SHA1DC_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// process returns the command with arguments.
func process(args ...string) *exec.Cmd {
	c := exec.Command("/proc/self/exe", args...)
	c.Env = append(os.Environ(), "SHA1DC_TEST_MAIN=1")
	return c
}

// TestOddNames checks names of all bytes that Linux allows, as FILE and as OUT.
func TestOddNames(t *testing.T) {
	all := inDirectory(t)
	for _, name := range []string{
		" lead", "a b", "two  spaces   and a long name of many words that does not fit", "-dash", "--", "it's", "quo\"te", "back\\slash", "new\nline", "bad\xffutf8", "caf\xc3\xa9", "tab\there",
		"<tag>&amp;", "\x01\x7f\x1b[31m", "\u2028", strings.Repeat("x", 255),
	} {
		write(t, name, all["shattered-1"])
		out := "./" + name[1:] + "."
		if len(out) > 100 {
			out = "out"
		}
		have := ours("", "explain", "--json", "--twin", out, "--svg", out+"svg", "--", name)
		var f struct {
			File string
			Hex  string `json:"file_hex"`
		}
		if err := json.Unmarshal([]byte(have.stdout), &f); err != nil || have.status != cli.ExitAttack {
			t.Fatalf("%q: %v, status %d, %q", name, err, have.status, have.stderr)
		}
		if bytes, err := hex.DecodeString(f.Hex); f.File != name && string(bytes) != name || err != nil {
			t.Errorf("%q: the JSON has %q and %q", name, f.File, f.Hex)
		}
		if read(t, out) != all["shattered-2"] {
			t.Errorf("%q: the other file is wrong", name)
		}
		if svg := read(t, out+"svg"); !utf8.ValidString(svg) || strings.ContainsFunc(svg, func(r rune) bool { return r < ' ' && r != '\n' }) {
			t.Errorf("%q: the picture has bytes that XML does not allow", name)
		}
		if text := ours("", "explain", "--", name).stdout; strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r > '~' }) {
			t.Errorf("%q: the report has unprintable bytes: %q", name, text)
		}
		again := ours("", "explain", "--twin", "./twin of"+name, "--", name)
		if !strings.Contains(again.stdout, cli.Quote("./twin of"+name)+":") && len(name) < 100 {
			t.Errorf("%q: what was written has another name: %q", name, again.stdout)
		}
		os.Remove("./twin of" + name)
		for _, n := range []string{name, out, out + "svg"} {
			if err := os.Remove(n); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestNotRegular checks what cannot be read twice or written to.
func TestNotRegular(t *testing.T) {
	all := inDirectory(t)
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	go os.WriteFile("pipe", []byte(all["shattered-1"]), 0o600)
	if have := ours("", "explain", "pipe"); have.status != cli.ExitAttack || have.stderr != "" {
		t.Errorf("%+v", have)
	}
	before := listing(t)
	if have := ours("", "explain", "--twin=out", "pipe"); have.status != cli.ExitFailure || !strings.Contains(have.stderr, "pipe: --twin reads the file twice") {
		t.Errorf("a pipe that nobody writes to: %+v", have)
	}
	for args, want := range map[string]string{
		"--twin out /dev/null":             "sha1dc: /dev/null: --twin reads the file twice, and this is no regular file: save it to one first\n",
		"--twin /dev/full shattered-1":     "sha1dc: '/dev/full' exists, and is not overwritten\nTry 'sha1dc explain --help' for more information.\n",
		"--svg /proc/nothing shattered-1":  "sha1dc: /proc/nothing: not written: No such file or directory\n",
		"--twin /proc/nothing shattered-1": "sha1dc: /proc/nothing: not written: No such file or directory\n",
	} {
		if have := ours("", append([]string{"explain"}, strings.Fields(args)...)...); have.status == cli.ExitOK || have.stderr != want {
			t.Errorf("%s: status %d, %q, want %q", args, have.status, have.stderr, want)
		}
	}
	if names := listing(t); !slices.Equal(names, before) {
		t.Errorf("left behind: %q", names)
	}
	if have := ours("", "explain", "--json", "--twin=out", "/dev/null"); !strings.HasPrefix(have.stdout, `{"version":1,"file":"/dev/null","error":"--twin reads`) {
		t.Errorf("%+v", have)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	var stderr bytes.Buffer
	if status := run([]string{"explain", "clean"}, streams{nil, full, &stderr}); status != cli.ExitFailure || stderr.String() != "sha1dc: write error\n" {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

// TestFullDisk limits the size of files: the other file does not fit.
func TestFullDisk(t *testing.T) {
	all := inDirectory(t)
	write(t, "in", all["shattered-1"]+strings.Repeat("x", 100_000))
	before := listing(t)
	c := process("explain", "--json", "--twin", "out", "in")
	c.Path, c.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 64; trap '' XFSZ; exec "$0" "$@"`, executable(t)}, c.Args[1:]...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	c.Run()
	if c.ProcessState.ExitCode() != cli.ExitAttack || stderr.String() != "sha1dc: out: not written: File too large\n" {
		t.Errorf("%v, %q", c.ProcessState, stderr.String())
	}
	if names := listing(t); !slices.Equal(names, before) {
		t.Errorf("left behind: %q", names)
	}
}

func executable(t *testing.T) string {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestInterrupt interrupts a process that writes a file.
func TestInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, s := range interruptions() { // those that the tests were not started to ignore
		err := create("out", func(w io.Writer) error {
			if p, err := os.FindProcess(os.Getpid()); err != nil || p.Signal(s) != nil {
				t.Fatal("no signal")
			}
			for { // until it has arrived
				if _, err := io.WriteString(w, "x"); err != nil {
					return err
				}
				time.Sleep(time.Millisecond)
			}
		})
		if err == nil || err.Error() != "interrupted" {
			t.Errorf("%v: %v", s, err)
		}
		if names := listing(t); len(names) > 0 {
			t.Errorf("%v: left behind: %q", s, names)
		}
	}
}

// TestIgnoredSignals checks that a file is written to its end by a program that
// was started to ignore signals.
func TestIgnoredSignals(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			t.Skipf("these tests were started to ignore %v", s)
		}
		if !slices.Contains(interruptions(), s) {
			t.Errorf("%v ends the program, but with a file left behind", s)
		}
	}
	signal.Ignore(os.Interrupt, syscall.SIGHUP)
	defer signal.Reset(os.Interrupt, syscall.SIGHUP)
	t.Chdir(t.TempDir())
	err := create("out", func(w io.Writer) error {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
			if err := syscall.Kill(os.Getpid(), s); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Millisecond)
		_, err := io.WriteString(w, "all")
		return err
	})
	if err != nil || read(t, "out") != "all" {
		t.Error(err)
	}
}

// TestProcess runs the program as a process.
func TestProcess(t *testing.T) {
	inDirectory(t)
	c := process("explain", "shattered-1", "clean")
	out, err := c.Output()
	if c.ProcessState.ExitCode() != cli.ExitAttack || !strings.HasPrefix(string(out), "shattered-1: SHA-1 COLLISION ATTACK\n") {
		t.Errorf("%v, %q", err, out)
	}
}
