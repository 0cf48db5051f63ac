package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// reference is the program that everything but collisions is compared with.
const reference = "sha1sum (GNU coreutils) 9.1\n"

// sha1sum returns the path of the reference. Where it is missing there is
// nothing to compare with; that must not happen unnoticed in CI.
func sha1sum(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("sha1sum")
	if err == nil {
		var out []byte
		if out, err = exec.Command(path, "--version").Output(); err == nil && !bytes.HasPrefix(out, []byte(reference)) {
			first, _, _ := bytes.Cut(out, []byte("\n"))
			err = fmt.Errorf("it says %q", first)
		}
	}
	if err == nil {
		return path
	}
	message := fmt.Sprintf("NOT COMPARED with sha1sum of GNU coreutils 9.1, which must be in PATH: %v", err)
	if os.Getenv("CI") == "true" {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}

// diff says where two outcomes differ first, or returns "".
func diff(have, want outcome) string {
	if have.status != want.status {
		return fmt.Sprintf("status %d, want %d; standard error %.500q", have.status, want.status, have.stderr)
	}
	for _, channel := range []struct{ name, have, want string }{
		{"output", have.stdout, want.stdout}, {"error", have.stderr, want.stderr},
	} {
		h, w := channel.have, channel.want
		for line := 1; h != w; line++ {
			hLine, hRest, _ := strings.Cut(h, "\n")
			wLine, wRest, _ := strings.Cut(w, "\n")
			if hLine != wLine || hRest == wRest {
				return fmt.Sprintf("line %d of standard %s:\nhave %.500q\nwant %.500q", line, channel.name, hLine, wLine)
			}
			h, w = hRest, wRest
		}
	}
	return ""
}

// A comparison runs both programs in the same directory and counts the runs.
type comparison struct {
	*testing.T
	sha1sum string
	runs    int
}

func compareIn(t *testing.T, files map[string]string) *comparison {
	t.Helper()
	c := &comparison{T: t, sha1sum: sha1sum(t)}
	t.Cleanup(func() { t.Logf("%d runs compared", c.runs) })
	t.Setenv("LC_ALL", "C")
	inDirectory(t, files)
	return c
}

// theirs runs sha1sum, and puts our program's name where it puts its own.
func (c *comparison) theirs(stdin string, args ...string) outcome {
	c.Helper()
	c.runs++
	cmd := exec.Command(c.sha1sum, args...)
	cmd.Args[0] = "sha1sum"
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		c.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), renamed(stderr.String())}
}

// renamed replaces sha1sum's name where it starts or names the program.
func renamed(stderr string) string {
	lines := strings.SplitAfter(stderr, "\n")
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, "sha1sum: "); ok {
			lines[i] = program + ": " + rest
		}
		if line == "Try 'sha1sum --help' for more information.\n" {
			lines[i] = "Try '" + program + " --help' for more information.\n"
		}
	}
	return strings.Join(lines, "")
}

// same compares one run.
func (c *comparison) same(stdin string, args ...string) {
	c.Helper()
	if d := diff(ours(stdin, args...), c.theirs(stdin, args...)); d != "" {
		c.Errorf("%.300q < %.300q: %s", args, stdin, d)
	}
}

// sameOrder compares one run with both channels going to the same place.
func (c *comparison) sameOrder(stdin string, args ...string) {
	c.Helper()
	c.runs++
	cmd := exec.Command(c.sha1sum, args...)
	cmd.Args[0] = "sha1sum"
	cmd.Stdin = strings.NewReader(stdin)
	want, _ := cmd.CombinedOutput()
	var have bytes.Buffer
	status := run(args, strings.NewReader(stdin), &have, &have)
	d := diff(outcome{status: status, stderr: have.String()}, outcome{status: cmd.ProcessState.ExitCode(), stderr: renamed(string(want))})
	if d != "" {
		c.Errorf("%.300q < %.300q, both channels as one: %s", args, stdin, d)
	}
}

func TestSameSums(t *testing.T) {
	c := compareIn(t, plainFiles)
	for _, name := range oddNames {
		writeFiles(t, map[string]string{name: name})
	}
	if err := os.Mkdir("dir", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, link := range [][2]string{{"loop", "loop"}, {"gone", "dangling"}, {"f", "link"}} {
		if err := os.Symlink(link[0], link[1]); err != nil {
			t.Fatal(err)
		}
	}
	modes := [][]string{
		{}, {"-b"}, {"-t"}, {"--tag"}, {"-z"}, {"--tag", "-z"}, {"-b", "-z"}, {"-bt"}, {"-tb"}, {"--tag", "-b"}, {"-t", "--tag"},
		{"--tag", "-t"}, {"-tbz", "--tag"}, {"--bin", "--ze"},
	}
	operands := [][]string{
		{}, {"-"}, {"-", "-"}, {"f"}, {"f", "g", "empty", "other"}, {"f", "-", "g"}, {"gone"}, {"gone", "dir", "f"}, {"f", "gone", "g", "dir"},
		{""}, {"loop", "dangling", "link"}, {"f/g"}, {"./f"}, {strings.Repeat("n", 300)}, {"f", "f"}, {"--", "-dash", "--", "-"}, {"-", "gone", "-"},
		append([]string{"--"}, oddNames...), append([]string{"--", "gone"}, oddNames...),
	}
	for _, mode := range modes {
		for _, files := range operands {
			c.same("standard input", append(slices.Clone(mode), files...)...)
			if !strings.Contains(strings.Join(mode, ""), "z") {
				c.sameOrder("standard input", append(slices.Clone(mode), files...)...)
			}
		}
	}
}

// TestSameUsage tries every subset of the options, in two orders, and every
// way to shorten or misspell one.
func TestSameUsage(t *testing.T) {
	c := compareIn(t, plainFiles)
	writeFiles(t, map[string]string{"list": sumF + "  f\n" + sumF + "  gone\n" + "junk\n" + sumF + "  empty\n" + sumEmpty + "  empty\n"})
	all := []string{"-b", "-c", "-t", "-z", "--tag", "--ignore-missing", "--quiet", "--status", "--strict", "-w"}
	for set := range 1 << len(all) {
		var args []string
		for i, option := range all {
			if set>>i&1 != 0 {
				args = append(args, option)
			}
		}
		c.same("", append(args, "list")...)
		if set%7 == 0 { // the other order matters to few
			slices.Reverse(args)
			c.same("", append(args, "list")...)
		}
	}
	long := []string{"binary", "check", "ignore-missing", "quiet", "status", "strict", "tag", "text", "warn", "zero"}
	for _, name := range long {
		for n := 1; n <= len(name); n++ {
			c.same("", "--"+name[:n], "list")
			c.same("", "list", "-c", "--"+name[:n])
		}
		c.same("", "--"+name+"=value", "list")
		c.same("", "--"+name[:2]+"=", "list")
		c.same("", "--"+name+"x", "list")
	}
	for _, short := range []byte("abcdefghiklmnopqrstuvwxyzABCXYZ0129-=?:;+ \t\n\x01\x80\xff") {
		c.same("", "-"+string([]byte{short}), "list")
		c.same("", "-b"+string([]byte{short})+"t", "f")
	}
	for _, args := range [][]string{
		{"f", "-b", "g", "-z"}, {"f", "--", "-b"}, {"--", "--tag"}, {"-cw", "list"}, {"-wc", "list"}, {"-c", "--", "list"},
		{"-c", "-"}, {"-c"}, {"-c", "list", "list"}, {"-c", "gone", "list"}, {"-c", "list", "-", "list"}, {"f", "-x", "g"},
		{"--quiet", "--status", "-c", "list"}, {"--status", "--quiet", "-c", "list"}, {"-w", "--status", "-c", "list"},
		{"-w", "--quiet", "-c", "list"}, {"--quiet", "-w", "-c", "list"}, {"--bogus", "--help"}, {"-x", "--version"}, {"-bx", "-y"}, {"--quiet", "--status", "-w", "-c", "list"},
		{"-w", "--status", "--quiet", "-c", "list"}, {"--status", "-w", "-c", "list"}, {"-c", "."}, {"-c", ""}, {"-c", "it's: a\nfile"},
	} {
		c.same(sumF+"  f\n"+sumF+"  -\n", args...)
		t.Setenv("POSIXLY_CORRECT", "1")
		c.same(sumF+"  f\n"+sumF+"  -\n", args...)
		os.Unsetenv("POSIXLY_CORRECT")
	}
	for _, args := range [][]string{{"--help"}, {"--h"}, {"--version"}, {"--v"}, {"-b", "--help", "--bogus"}, {"f", "--version", "-x"}, {"--tag", "-t", "--help"}} {
		want, have := c.theirs("", args...), ours("", args...)
		if have.status != want.status || have.stderr != want.stderr || have.stdout == "" {
			t.Errorf("%q: %s", args, diff(have, want))
		}
	}
}

// checkFiles are check files line by line, F standing for the digest of f.
var checkFiles = []string{
	"", "\n", "\r\n", "\n\n", " \n", "#c", "#c\n", "# c\n\n", " #c\n", "F", "F\n", "F \n", "F  \n", "F   \n", "F *\n", "F\t\n",
	"F  f\n", "F  f", "F f\n", "F *f\n", "F\tf\n", "F\t f\n", "F\t*f\n", "F\t\tf\n", "F   f\n", "F **f\n", "F ? f\n", "F  f \n", "Ff\n", "Fx f\n",
	" F  f\n", "\t F  f\n", "\vF  f\n", "F  f\r\n", "F  f\r", "F  f\r\r\n", "\rF  f\n", "F  ff\n", "F ff\n",
	"F f\nF  f\n", "F  f\nF f\n", "F  f\nF gone\n", "F gone\nF  f\n", "SHA1 (f) = F\nF f\n", "F f\nSHA1 (f) = F\n", "F f\nF *f\n", "F *f\nF f\n",
	"\\F \\q\nF  f\n", "\\F  \\q\nF f\n", "F -\nF  f\n", "F x\nF  x\nF f\n",
	"SHA1 (f) = F\n", "SHA1(f)= F\n", "SHA1 (f)=F\n", "SHA1(f) =F\n", "SHA1  (f) = F\n", "SHA1\t(f) = F\n", "SHA1 (f) \t= \tF\n", "SHA1 (f)  =  F\r\n",
	"SHA1 (f) = F \n", "SHA1 (f) = Fa\n", "\\SHA1 (f) = F\n", " SHA1 (f) = F\n", "SHA1 (f) ) = F\n", "SHA1 (f) = F)\n", "SHA1 () = F\n", "SHA1 (f = F\n",
	"SHA1 f = F\n", "SHA1 (f) F\n", "SHA1 (f) == F\n", "SHA1 (f)x= F\n", "SHA1 (f) =\n", "SHA1 (f) = 55\n", "MD5 (f) = F\n", "sha1 (f) = F\n",
	"SHA256 (f) = F\n", "SHA1-160 (f) = F\n", "SHA1", "SHA1\n", "SHA1 ", "SHA1 (", "SHA1 ()", "SHA1 (f)\n", "((\n", "(\n", ")\n", "SHA1)\n", "SHA1 )(\n", "\\\n", "\\", "\\SHA1 (\\) = F\n",
	"\\SHA1 (\\q) = F\n", "\\SHA1 (\\n) = F\n", "SHA1 (\\n) = F\n", "SHA1 (it's (odd)) = F\n", "SHA1 ( f) = F\n",
	"\xef\xbb\xbfF  f\n", "\xff\xfeF\x00", "\\F  f\n", "\\F  \\q\n", "\\F  a\\\n", "\\F  a\\nb\\r\\\\c\n", "F  a\\b\n", "\\F  \\\\\n", "\\F f\n", "\\\\F  f\n", " \\F  f\n", "\\ F  f\n", "\\\tF  f\n",
	"F  f\x00x\n", "F\x00 f\n", "F \x00f\n", "F  \x00\n", "\x00F  f\n", "\x00\n", "SHA1 (f\x00x) = F\n", "SHA1 (f) = F\x00zzz\n", "SHA1 (f)\x00 = F\n", "SHA1 (f) = \x00F\n",
	"\\F  f\x00x\n", "\\SHA1 (f\x00) = F\n", "#x\x00\n", "F  f\n\x00", "F  f\x00\nF  g\n",
	"F  -\n", "F -\n", "SHA1 (-) = F\n", "\\F  -\n", "F  -\nF  -\n", "F *-\nF  f\n", "F  dir\n", "F  gone\n", "F  gone\nF  dir\n", "F  f/g\n", "F  loop\n",
	"F  empty\n", "E  empty\nF  f\nF  g\n", "F  empty\nE  f\nF  f\n", "junk\n", "junk\njunk\nF  f\n", "F  f\njunk", "F  gone\njunk\nF  empty\nF  f\n",
	"F  gone\nF  gone2\njunk\njunk\nF  empty\nE  f\nF  f\nF  g\n", "\\F  back\\\\slash\n", "F  back\\slash\n", "\\F  new\\nline\n", "F  bad\xffutf8\n",
	"YjJmMjQ=  f\n", "SHA1 (f) = VcpihuPk9PulkESDM/qZ/FpASnM=\n", "f: F\n", "F,f\n", "F", "G  f\n", "F.  f\n",
}

func TestSameChecks(t *testing.T) {
	c := compareIn(t, plainFiles)
	writeFiles(t, map[string]string{"back\\slash": "hi\n", "new\nline": "hi\n", "bad\xffutf8": "hi\n", "\t": "hi\n", "*": "hi\n"})
	if err := errors.Join(os.Mkdir("dir", 0o777), os.Symlink("loop", "loop")); err != nil {
		t.Fatal(err)
	}
	modes := [][]string{
		{}, {"-w"}, {"--strict"}, {"--quiet"}, {"--status"}, {"--ignore-missing"}, {"--ignore-missing", "--status"}, {"--ignore-missing", "--strict", "-w"},
	}
	digits := strings.NewReplacer("F", sumF, "E", sumEmpty, "G", strings.ToUpper(sumF))
	for i, list := range checkFiles {
		list = digits.Replace(list)
		writeFiles(t, map[string]string{"list": list})
		for _, mode := range modes {
			c.same(list, append(slices.Clone(mode), "-c", "list")...)
		}
		c.same(list, "-cw")
		c.same(list, "-cw", "-", "list", "-")
		c.sameOrder(list, "-cw", "list")
		other := digits.Replace(checkFiles[(i*37+11)%len(checkFiles)])
		writeFiles(t, map[string]string{"other list": other})
		c.same("", "-cw", "list", "other list", "list") // the form is remembered
	}
	for _, n := range []int{100, 5000, 70000, 100000} {
		long := strings.Repeat("n", n)
		c.same("", "-cw", "list")
		writeFiles(t, map[string]string{"list": sumF + "  " + long + "\n#" + long + "\n" + long + "\nSHA1 (" + long + ") = " + sumF + "\n" + sumF + "  f"})
		c.same("", "-cw", "list")
	}
}

// TestSameRandomChecks compares how lines made of random pieces are parsed.
// The name of a properly formatted line shows in the output, as the files do
// not exist; -w shows the others.
func TestSameRandomChecks(t *testing.T) {
	c := compareIn(t, plainFiles)
	pieces := []string{
		sumF, sumF, sumF, sumEmpty, sumF[:39], sumF + "0", strings.ToUpper(sumF), "SHA1", "SHA1 (", "(", ")", "=", " = ", ") = ", " ", "  ", " *", "\t", "*",
		"f", "gone", "-", "\\", "\\n", "\\\\", "\\r", "\\q", "\x00", "\r", "#", "\xff", "'", ":", "name with blanks",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		var list strings.Builder
		for range 300 {
			switch rng.IntN(4) {
			case 0:
				list.WriteString(sumF + "  ")
			case 1:
				list.WriteString("\\" + sumF + " ")
			case 2:
				list.WriteString("SHA1 (")
			}
			for range rng.IntN(6) {
				list.WriteString(pieces[rng.IntN(len(pieces))])
			}
			if rng.IntN(3) == 0 {
				list.WriteString(") = " + sumF)
			}
			list.WriteByte('\n')
		}
		writeFiles(t, map[string]string{"list": list.String()})
		c.same("", "-cw", "list")
		c.sameOrder(list.String(), "-cw")
	}
}

// TestSameQuotes compares how names look in messages.
func TestSameQuotes(t *testing.T) {
	c := compareIn(t, nil)
	var names []string
	for a := 1; a < 256; a++ {
		names = append(names, string([]byte{byte(a)}), string([]byte{byte(a), 'x'}), string([]byte{'x', byte(a)}), string([]byte{'\'', byte(a)}),
			string([]byte{byte(a), '\''}), string([]byte{'\n', byte(a), '\n'}))
	}
	rng := rand.New(rand.NewPCG(3, 4))
	const bytes = "aaZ9%+,-./:]_@ ''\"\\#~{}()[*?!$&;<=>^`|\n\t\a\b\f\v\r\x01\x7f\x80\xff"
	for range 3000 {
		name := make([]byte, 1+rng.IntN(6))
		for i := range name {
			name[i] = bytes[rng.IntN(len(bytes))]
		}
		names = append(names, string(name))
	}
	names = slices.DeleteFunc(names, func(s string) bool {
		return s == "-" || s == "." || filepath.Clean(s) == "/" || strings.ContainsAny(s, "/")
	})
	c.same("", append([]string{"--"}, names...)...)
}

// TestSameWriteErrors compares runs whose output goes to a full device.
func TestSameWriteErrors(t *testing.T) {
	c := compareIn(t, plainFiles)
	writeFiles(t, map[string]string{"list": sumF + "  f\n" + sumF + "  gone\n"})
	for _, args := range [][]string{
		{"f"}, {"f", "gone", "g"}, {"gone"}, {"-z", "f"}, {"-z", "f", "gone"}, {"-c", "list"}, {"--help"}, {"--version"}, {"--status", "-c", "list"}, {"--bogus"},
	} {
		c.runs++
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer full.Close()
		cmd := exec.Command(c.sha1sum, args...)
		cmd.Args[0] = "sha1sum"
		var want, have bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &want
		cmd.Run()
		status := run(args, strings.NewReader(""), full, &have)
		d := diff(outcome{status: status, stderr: have.String()}, outcome{status: cmd.ProcessState.ExitCode(), stderr: renamed(want.String())})
		if d != "" {
			t.Errorf("%q: %s", args, d)
		}
		// With standard error full as well, only the status is left.
		cmd = exec.Command(c.sha1sum, args...)
		cmd.Stderr = full
		cmd.Run()
		if status := run(args, strings.NewReader(""), new(bytes.Buffer), full); status != cmd.ProcessState.ExitCode() {
			t.Errorf("%q with standard error full: have status %d, want %d", args, status, cmd.ProcessState.ExitCode())
		}
	}
}
