package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sha1dc/go/internal/cli"
	"github.com/sha1dc/go/internal/cli/clitest"
	"github.com/sha1dc/go/internal/vectors"
)

var update = flag.Bool("update", false, "write the golden files again")

// An outcome is all that a run shows.
type outcome struct {
	status         int
	stdout, stderr string
}

// ours runs the program in this process.
func ours(stdin string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	status := run(args, streams{strings.NewReader(stdin), &stdout, &stderr})
	return outcome{status, stdout.String(), stderr.String()}
}

// inDirectory changes to a new directory with the published messages and some
// other files, and returns the messages.
func inDirectory(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range vectors.All() { // found from the package's directory
		all[f.Name] = string(f.Data)
	}
	t.Chdir(t.TempDir())
	for name, data := range all {
		write(t, name, data)
	}
	write(t, "clean", "hi\n")
	return all
}

func write(t *testing.T, name, data string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// listing returns the names in the working directory.
func listing(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestGolden compares reports, pictures and JSON with those that somebody
// looked at. The module peers checks the JSON against its schema.
func TestGolden(t *testing.T) {
	golden, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	inDirectory(t)
	for _, c := range []struct {
		name   string
		args   []string
		status int
	}{
		{"shattered-1", nil, cli.ExitAttack},
		{"sha-mbles-2", nil, cli.ExitAttack},
		{"reduced-round", []string{"--reduced-round"}, cli.ExitAttack},
		{"clean", nil, cli.ExitOK},
	} {
		args := append([]string{"explain", c.name}, c.args...)
		have := map[string]string{}
		for suffix, option := range map[string]string{"txt": "", "json": "--json", "svg": "--svg=out.svg"} {
			if c.status == cli.ExitOK && suffix == "svg" {
				continue
			}
			all := args
			if option != "" {
				all = append(slices.Clip(all), option)
			}
			o := ours("", all...)
			if o.status != c.status || o.stderr != "" {
				t.Errorf("%q: status %d, %q", all, o.status, o.stderr)
			}
			have[suffix] = o.stdout
			if suffix == "svg" {
				have[suffix] = read(t, "out.svg")
				os.Remove("out.svg")
			}
		}
		for suffix, text := range have {
			path := filepath.Join(golden, c.name+"."+suffix)
			if *update {
				write(t, path, text)
			} else if read(t, path) != text {
				t.Errorf("%s is not what comes out; after a look at the difference, run go test ./cmd/sha1dc -update", path)
			}
		}
	}
}

// TestTwin checks the other file of each half, and all that is said of it.
func TestTwin(t *testing.T) {
	all := inDirectory(t)
	suffix := strings.Repeat("suffix", 30_000)
	for _, c := range []struct{ one, other string }{
		{"shattered-1", "shattered-2"}, {"shattered-2", "shattered-1"}, {"sha-mbles-1", "sha-mbles-2"}, {"sha-mbles-2", "sha-mbles-1"},
	} {
		for _, reduced := range []bool{false, true} {
			for _, tail := range []string{"", suffix} {
				write(t, "in", all[c.one]+tail)
				args := []string{"explain", "--json", "--twin", "out", "in"}
				if reduced {
					args = append(args, "--reduced-round")
				}
				want, said := all[c.other]+tail, fmt.Sprintf("sha1dc: Wrote the other file to out: %d bytes, checked", len(all[c.other]+tail))
				if strings.HasPrefix(c.one, "sha-mbles") {
					want = all[c.other][64:]
					said = "sha1dc: Wrote what is known of the other file to out: its bytes 64 to 639. Its first 64 bytes are not known;"
				}
				have := ours("", args...)
				if have.status != cli.ExitAttack || !strings.HasPrefix(have.stderr, said) {
					t.Errorf("%s: status %d, %q, want %q", c.one, have.status, have.stderr, said)
				}
				if read(t, "out") != want {
					t.Errorf("%s: the other file is wrong", c.one)
				}
				os.Remove("out")
			}
		}
	}
	have := ours("", "explain", "--twin=out", "--svg=out.svg", "--window=1", "shattered-1")
	if have.status != cli.ExitAttack || read(t, "out") != all["shattered-2"][256:] {
		t.Errorf("window of one block: %+v", have)
	}
	for _, said := range []string{
		"Give a larger --window to follow it further.", "Wrote the picture to out.svg.",
		"Wrote what is known of the other file to out: its bytes 256 to 319. Its first 256 bytes are not known;",
	} {
		if !strings.Contains(strings.Join(strings.Fields(have.stdout), " "), said) {
			t.Errorf("window of one block: %q is not in %q", said, have.stdout)
		}
	}
}

// TestErrors checks what is said when something is wrong, and that no file is
// left behind.
func TestErrors(t *testing.T) {
	all := inDirectory(t)
	write(t, "full", all["shattered-1"])
	missing := clitest.Missing(t, "gone")
	if err := os.Mkdir("dir", 0o777); err != nil {
		t.Fatal(err)
	}
	before := listing(t)
	const try = "Try 'sha1dc explain --help' for more information.\n"
	for _, c := range []struct {
		args   string // behind explain, separated by blanks
		status int
		stderr string // behind the program's name
	}{
		{"--bogus", 1, "unrecognized option '--bogus'\n" + try},
		{"--window", 1, "option '--window' requires an argument\n" + try},
		{"--window=0", 1, "invalid window '0': must be from 1 to 1048576\n" + try},
		{"--window 1048577 clean", 1, "invalid window '1048577': must be from 1 to 1048576\n" + try},
		{"--window x clean", 1, "invalid window 'x': must be from 1 to 1048576\n" + try},
		{"--attack 0 clean", 1, "invalid number of an attack '0': must be from 1 to 1024\n" + try},
		{"--attack 1 clean", 1, "the --attack option is meaningful only with --twin\n" + try},
		{"--twin out full clean", 1, "--twin takes one FILE at a time\n" + try},
		{"--svg out full clean", 1, "--svg takes one FILE at a time\n" + try},
		{"--twin out", 1, "--twin reads the FILE twice: save standard input to a file first\n" + try},
		{"--twin out -", 1, "--twin reads the FILE twice: save standard input to a file first\n" + try},
		{"--twin out --svg ./out full", 1, "--twin and --svg would write the same file\n" + try},
		{"--twin - full", 1, "'-' is not the name of a file\n" + try},
		{"--twin= full", 1, "'' is not the name of a file\n" + try},
		{"--twin full full", 1, "'full' exists, and is not overwritten\n" + try},
		{"--svg clean full", 1, "'clean' exists, and is not overwritten\n" + try},
		{"--twin gone/out full", 1, "'gone': " + missing + "\n" + try},
		{"--twin clean/out full", 1, "'clean': Not a directory\n" + try},
		{"gone", 1, "gone: " + missing + "\n"},
		{"gone full gone", 3, "gone: " + missing + "\nsha1dc: gone: " + missing + "\n"},
		{"--twin out gone", 1, "gone: " + missing + "\n"},
		{"--twin out clean", 1, "out: not written: there is no attack\n"},
		{"--twin out --attack 1 clean", 1, "out: not written: there is no attack 1: 0 attacks found\n"},
		{"--twin out --attack 2 full", 3, "out: not written: there is no attack 2: 1 attack found\n"},
		{"--twin out --reduced-round reduced-round", 3, "out: not written: no other message has the same SHA-1\n"},
		{"--svg out clean", 1, "out: not written: there is no attack to draw\n"},
	} {
		have := ours("", append([]string{"explain"}, strings.Fields(c.args)...)...)
		if have.status != c.status || have.stderr != "sha1dc: "+c.stderr {
			t.Errorf("%s: status %d, want %d\nhave %q\nwant %q", c.args, have.status, c.status, have.stderr, "sha1dc: "+c.stderr)
		}
		if names := listing(t); !slices.Equal(names, before) {
			t.Fatalf("%s: left behind: %q", c.args, names)
		}
	}
	for _, option := range []string{"", "--json", "--twin=out", "--svg=out"} {
		args := slices.DeleteFunc([]string{"explain", option, "dir"}, func(s string) bool { return s == "" })
		if have := ours("", args...); have.status != cli.ExitFailure || !strings.HasPrefix(have.stderr, "sha1dc: dir: ") {
			t.Errorf("%q: %+v", args, have)
		}
	}
	if names := listing(t); !slices.Equal(names, before) {
		t.Errorf("left behind: %q", names)
	}
}

// TestProgram checks what the program does before a command runs.
func TestProgram(t *testing.T) {
	const try = "Try 'sha1dc --help' for more information.\n"
	for _, c := range []struct {
		args string
		want outcome
	}{
		{"", outcome{1, "", "sha1dc: no command given\n" + try}},
		{"bogus", outcome{1, "", "sha1dc: there is no command 'bogus'\n" + try}},
		{"--bogus", outcome{1, "", "sha1dc: there is no command '--bogus'\n" + try}},
		{"help bogus", outcome{1, "", "sha1dc: there is no command 'bogus'\n" + try}},
		{"--help", outcome{0, usage(), ""}},
		{"-h", outcome{0, usage(), ""}},
		{"help", outcome{0, usage(), ""}},
		{"--version", outcome{0, cli.Version(program), ""}},
		{"help explain", outcome{0, explainUsage, ""}},
		{"explain --help --bogus", outcome{0, explainUsage, ""}},
	} {
		if have := ours("", strings.Fields(c.args)...); have != c.want {
			t.Errorf("%q:\nhave %+v\nwant %+v", c.args, have, c.want)
		}
	}
}

// TestUsage compares --help with the options and commands that exist.
func TestUsage(t *testing.T) {
	for _, c := range commands {
		if !strings.Contains(usage(), "\n  "+c.name+" ") {
			t.Errorf("--help does not name %s", c.name)
		}
	}
	named := map[string]bool{}
	for word := range strings.FieldsFuncSeq(explainUsage, func(r rune) bool { return strings.ContainsRune(" \n,=.:", r) }) {
		if long, ok := strings.CutPrefix(word, "--"); ok {
			named[long] = true
		}
	}
	var o explainOptions
	for _, option := range o.table() {
		if !named[option.Long] {
			t.Errorf("--help does not name --%s", option.Long)
		}
		delete(named, option.Long)
	}
	if rest := slices.Sorted(maps.Keys(named)); len(rest) > 0 {
		t.Errorf("--help names %q, which do not exist", rest)
	}
	for line := range strings.Lines(usage() + explainUsage) {
		if len(line) > 80+1 {
			t.Errorf("--help has a long line: %q", line)
		}
	}
}

// TestStdin checks that standard input is read if nothing else is, and that a
// broken one is reported together with what was found before.
func TestStdin(t *testing.T) {
	all := inDirectory(t)
	for _, args := range [][]string{{"explain"}, {"explain", "-"}} {
		have := ours(all["shattered-1"], args...)
		if have.status != cli.ExitAttack || !strings.HasPrefix(have.stdout, "-: SHA-1 COLLISION ATTACK\n") {
			t.Errorf("%q: %+v", args, have)
		}
	}
	for _, c := range []struct {
		text   string
		args   []string
		status int
		stdout []string // parts
		stderr string
	}{
		{"some", nil, 1, nil, "sha1dc: -: Broken line (after 4 bytes)\n"},
		{"", nil, 1, nil, "sha1dc: -: Broken line\n"},
		{all["shattered-1"], nil, 3, []string{"COLLISION ATTACK", "320 bytes, looks like: PDF document, up to where reading failed\n"}, "sha1dc: -: Broken line (after 320 bytes)\n"},
		{"", []string{"--json"}, 1, []string{`{"version":1,"file":"-","error":"Broken line"}` + "\n"}, "sha1dc: -: Broken line\n"},
		{all["shattered-1"], []string{"--json"}, 3, []string{`"file":"-","error":"Broken line","size":320,`}, "sha1dc: -: Broken line (after 320 bytes)\n"},
	} {
		stdin := io.MultiReader(strings.NewReader(c.text), iotest.ErrReader(errors.New("broken line")))
		var stdout, stderr bytes.Buffer
		status := run(append([]string{"explain"}, c.args...), streams{stdin, &stdout, &stderr})
		if status != c.status || stderr.String() != c.stderr || len(c.stdout) == 0 && stdout.Len() > 0 {
			t.Errorf("%q: status %d, %q, %q", c.args, status, stdout.String(), stderr.String())
		}
		for _, part := range c.stdout {
			if !strings.Contains(stdout.String(), part) {
				t.Errorf("%q: %q is not in %q", c.args, part, stdout.String())
			}
		}
	}
}

// TestSeveralFiles checks that each file has its report, or its line.
func TestSeveralFiles(t *testing.T) {
	inDirectory(t)
	names := []string{"clean", "gone", "shattered-1", "clean", "sha-mbles-1"}
	have := ours("", append([]string{"explain"}, names...)...)
	if have.status != cli.ExitAttack || strings.Count(have.stdout, "COLLISION ATTACK\n") != 2 || strings.Count(have.stdout, "clean: no SHA-1 collision attack\n") != 2 ||
		strings.Count(have.stdout, "\n\nclean: ") != 1 {
		t.Errorf("%+v", have)
	}
	have = ours("", append([]string{"explain", "--json"}, names...)...)
	lines := strings.Split(strings.TrimSuffix(have.stdout, "\n"), "\n")
	if have.status != cli.ExitAttack || len(lines) != len(names) {
		t.Fatalf("status %d, %d lines for %d files", have.status, len(lines), len(names))
	}
	for n, line := range lines {
		var f struct{ File, Error string }
		if err := json.Unmarshal([]byte(line), &f); err != nil || f.File != names[n] || (f.Error != "") != (names[n] == "gone") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestWriteErrors fails each channel.
func TestWriteErrors(t *testing.T) {
	inDirectory(t)
	for _, c := range []struct {
		args   []string
		status int
	}{
		{[]string{"--help"}, cli.ExitFailure},
		{[]string{"explain", "--help"}, cli.ExitFailure},
		{[]string{"explain", "clean"}, cli.ExitFailure},
		{[]string{"explain", "--json", "clean"}, cli.ExitFailure},
		{[]string{"explain", "shattered-1"}, cli.ExitAttack},
		{[]string{"explain", "--json", "shattered-1"}, cli.ExitAttack},
	} {
		all := len(ours("", c.args...).stdout)
		for _, room := range []int{0, 1, all - 1} {
			stdout, stderr := clitest.FullWriter(room), bytes.Buffer{}
			status := run(c.args, streams{strings.NewReader(""), &stdout, &stderr})
			if status != c.status || stderr.String() != "sha1dc: write error\n" {
				t.Errorf("%q with room for %d bytes: status %d, %q", c.args, room, status, stderr.String())
			}
		}
	}
	stderr := clitest.FullWriter(3)
	if status := run([]string{"explain", "gone"}, streams{strings.NewReader(""), io.Discard, &stderr}); status != cli.ExitFailure {
		t.Errorf("with standard error full: status %d", status)
	}
}
