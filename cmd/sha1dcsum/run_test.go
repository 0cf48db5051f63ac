package main

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/sha1dc/go/internal/cli"
	"github.com/sha1dc/go/internal/cli/clitest"
	"github.com/sha1dc/go/internal/vectors"
)

// An outcome is all that a run shows.
type outcome struct {
	status         int
	stdout, stderr string
}

// ours runs the command in this process.
func ours(stdin string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	status := run(args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{status, stdout.String(), stderr.String()}
}

// inDirectory changes to a new directory that holds files.
func inDirectory(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	writeFiles(t, files)
}

func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	for name, data := range files {
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// digests of plainFiles.
const (
	sumF     = "55ca6286e3e4f4fba5d0448333fa99fc5a404a73"
	sumEmpty = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
)

// plainFiles are files without anything special about them.
var plainFiles = map[string]string{"f": "hi\n", "g": "hi\n", "empty": "", "other": strings.Repeat("some other text\n", 9000)}

// TestRun checks what the command is used for without sha1sum at hand; the
// comparison with sha1sum covers the rest.
func TestRun(t *testing.T) {
	inDirectory(t, plainFiles)
	writeFiles(t, map[string]string{
		"good": sumF + "  f\n" + sumEmpty + " *empty\n",
		"bad":  sumF + "  f\n" + sumF + "  empty\n" + sumF + "  gone\njunk\n",
		"junk": "junk\n", "only gone": sumF + "  gone\n",
	})
	gone := clitest.Missing(t, "gone")
	const (
		try     = "Try 'sha1dcsum --help' for more information.\n"
		summary = "sha1dcsum: WARNING: 1 line is improperly formatted\n" +
			"sha1dcsum: WARNING: 1 listed file could not be read\nsha1dcsum: WARNING: 1 computed checksum did NOT match\n"
		none = ": no properly formatted checksum lines found\n"
	)
	for _, test := range []struct {
		args string // separated by blanks
		want outcome
	}{
		{"", outcome{0, sumF + "  -\n", ""}},
		{"- -", outcome{0, sumF + "  -\n" + sumEmpty + "  -\n", ""}},
		{"f empty", outcome{0, sumF + "  f\n" + sumEmpty + "  empty\n", ""}},
		{"-b f", outcome{0, sumF + " *f\n", ""}},
		{"f --tag", outcome{0, "SHA1 (f) = " + sumF + "\n", ""}},
		{"-bz f", outcome{0, sumF + " *f\x00", ""}},
		{"--plain f", outcome{0, sumF + "  f\n", ""}},
		{"--reduced f", outcome{0, sumF + "  f\n", ""}},
		{"gone f", outcome{1, sumF + "  f\n", "sha1dcsum: gone: " + gone + "\n"}},
		{"-j1 f gone -j 256 f", outcome{1, sumF + "  f\n" + sumF + "  f\n", "sha1dcsum: gone: " + gone + "\n"}},
		{"-c good", outcome{0, "f: OK\nempty: OK\n", ""}},
		{"-c --quiet good", outcome{0, "", ""}},
		{"-c --status good", outcome{0, "", ""}},
		{"-c bad", outcome{1, "f: OK\nempty: FAILED\ngone: FAILED open or read\n", "sha1dcsum: gone: " + gone + "\n" + summary}},
		{"-c --status bad", outcome{1, "", "sha1dcsum: gone: " + gone + "\n"}},
		{"-cw junk", outcome{1, "", "sha1dcsum: junk: 1: improperly formatted SHA1 checksum line\nsha1dcsum: junk" + none}},
		{"-c --status junk", outcome{1, "", "sha1dcsum: junk" + none}},
		{"-c empty good", outcome{1, "f: OK\nempty: OK\n", "sha1dcsum: empty" + none}},
		{"-c gone good", outcome{1, "f: OK\nempty: OK\n", "sha1dcsum: gone: " + gone + "\n"}},
		{"-c", outcome{1, "", "sha1dcsum: 'standard input'" + none}},
		{"-b -c good", outcome{1, "", "sha1dcsum: the --binary and --text options are meaningless when verifying checksums\n" + try}},
		{"--plain -c good", outcome{1, "", "sha1dcsum: the --plain option is meaningless when verifying checksums\n" + try}},
		{"--strict f", outcome{1, "", "sha1dcsum: the --strict option is meaningful only when verifying checksums\n" + try}},
		{"-j0 f", outcome{1, "", "sha1dcsum: invalid number of jobs '0': must be from 1 to 256\n" + try}},
		{"-j 257", outcome{1, "", "sha1dcsum: invalid number of jobs '257': must be from 1 to 256\n" + try}},
		{"--jobs=it's", outcome{1, "", "sha1dcsum: invalid number of jobs \"it's\": must be from 1 to 256\n" + try}},
		{"-j", outcome{1, "", "sha1dcsum: option requires an argument -- 'j'\n" + try}},
		{"--jobs", outcome{1, "", "sha1dcsum: option '--jobs' requires an argument\n" + try}},
		{"--help --bogus", outcome{0, usage, ""}},
		{"--version -x", outcome{0, cli.Version(program), ""}},
	} {
		if have := ours("hi\n", strings.Fields(test.args)...); have != test.want {
			t.Errorf("%s:\nhave %+v\nwant %+v", test.args, have, test.want)
		}
	}

	for _, test := range []struct {
		args []string
		want outcome
	}{
		{[]string{"-c", "only gone", "--ignore-missing"}, outcome{1, "", "sha1dcsum: 'only gone': no file was verified\n"}},
		{[]string{"-c", "only gone", "--ignore-missing", "--status"}, outcome{1, "", ""}},
		{[]string{"-c", "good", "only gone", "--ignore-missing"}, outcome{1, "f: OK\nempty: OK\n", "sha1dcsum: 'only gone': no file was verified\n"}},
	} {
		if have := ours("", test.args...); have != test.want {
			t.Errorf("%q:\nhave %+v\nwant %+v", test.args, have, test.want)
		}
	}
}

// attacks says where each of the published messages is attacked, without and
// with reduced rounds; -1 is nowhere.
var attacks = map[string]struct{ full, reduced int }{
	"shattered-1": {256, 192}, "shattered-2": {256, 192}, "sha-mbles-1": {576, 576}, "sha-mbles-2": {576, 576}, "reduced-round": {-1, 64},
}

// attackLine returns what standard error says of an attacked file.
func attackLine(name string, offset int) string {
	if offset < 0 {
		return ""
	}
	return fmt.Sprintf("sha1dcsum: %s: SHA-1 collision attack in the block at byte %d, disturbance vector II(52,0)\n", name, offset)
}

func TestAttacks(t *testing.T) {
	files := vectors.All() // found from the package's directory
	inDirectory(t, plainFiles)
	if len(files) != len(attacks) {
		t.Fatalf("%d messages, want %d", len(files), len(attacks))
	}
	for _, f := range files {
		at := attacks[f.Name]
		writeFiles(t, map[string]string{f.Name: string(f.Data)})
		line := func(sum [20]byte) string { return fmt.Sprintf("%x  %s\n", sum, f.Name) }
		for _, mode := range []struct {
			args      []string
			offset    int
			mitigated [20]byte
		}{
			{nil, at.full, f.Mitigated},
			{[]string{"--reduced-round"}, at.reduced, f.Reduced},
		} {
			status := 0
			if mode.offset >= 0 {
				status = cli.ExitAttack
			}
			expect := func(stdin string, want outcome, args ...string) {
				t.Helper()
				args = append(slices.Clone(mode.args), args...)
				if have := ours(stdin, args...); have != want {
					t.Errorf("%q < %q:\nhave %+v\nwant %+v", args, stdin, have, want)
				}
			}
			warning := attackLine(f.Name, mode.offset)
			expect("", outcome{status, line(mode.mitigated), warning}, f.Name)
			expect("", outcome{status, line(f.Plain), warning}, "--plain", f.Name)
			expect("", outcome{status, fmt.Sprintf("SHA1 (%s) = %x\x00", f.Name, mode.mitigated), warning}, "--tag", "-z", f.Name)
			expect(string(f.Data), outcome{status, fmt.Sprintf("%x  -\n", mode.mitigated), attackLine("-", mode.offset)})
			rest := string(f.Data[:len(f.Data)-1]) // the attacked block is not complete, only an earlier one may be
			if mode.offset+64 == len(f.Data) {
				expect(rest, outcome{0, fmt.Sprintf("%x  -\n", sha1.Sum([]byte(rest))), ""})
			}

			if status == 0 {
				expect(line(f.Plain), outcome{0, f.Name + ": OK\n", ""}, "-c")
				continue
			}
			summary := "sha1dcsum: WARNING: 1 listed file is part of a collision attack\n"
			for _, sum := range [][20]byte{f.Plain, mode.mitigated} {
				list := line(sum)
				for _, args := range [][]string{{"-c"}, {"-c", "--quiet"}, {"-c", "--strict", "-w"}, {"-c", "--ignore-missing"}} {
					expect(list, outcome{cli.ExitAttack, f.Name + ": COLLISION\n", warning + summary}, args...)
				}
				expect(list, outcome{cli.ExitAttack, "", ""}, "-c", "--status")
			}
			mismatch := "sha1dcsum: WARNING: 1 computed checksum did NOT match\n"
			expect(line(sha1.Sum(nil)), outcome{cli.ExitAttack, f.Name + ": FAILED\n", warning + mismatch + summary}, "-c")
			expect(line(sha1.Sum(nil)), outcome{cli.ExitAttack, "", ""}, "-c", "--status")

			// An attack outranks other failures, before and after it.
			gone := "sha1dcsum: gone: " + clitest.Missing(t, "gone") + "\n"
			expect("", outcome{cli.ExitAttack, sumF + "  f\n" + line(mode.mitigated) + sumF + "  g\n", gone + warning + gone}, "gone", "f", f.Name, "g", "gone")
			expect(sumF+"  f\n"+line(f.Plain)+line(f.Plain)+sumF+"  empty\n", outcome{
				cli.ExitAttack, "f: OK\n" + f.Name + ": COLLISION\n" + f.Name + ": COLLISION\nempty: FAILED\n",
				warning + warning + mismatch + "sha1dcsum: WARNING: 2 listed files are part of a collision attack\n",
			}, "-c")

			// What is printed is a check file for the same files.
			for _, form := range [][]string{{}, {"-b"}, {"--tag"}, {"--plain"}, {"--plain", "--tag"}} {
				printed := ours("", slices.Concat(mode.args, form, []string{f.Name, "f"})...).stdout
				expect(printed, outcome{cli.ExitAttack, f.Name + ": COLLISION\nf: OK\n", warning + summary}, "-c", "--strict", "-w")
			}
		}
	}
}

// TestOrder hashes many files, some unreadable and one far bigger than the
// others, and expects the results in the order of the operands.
func TestOrder(t *testing.T) {
	inDirectory(t, nil)
	gone := clitest.Missing(t, "gone")
	var names []string
	var sums, verdicts, complaints, list strings.Builder
	add := func(name, data string) {
		names = append(names, name)
		writeFiles(t, map[string]string{name: data})
		line := fmt.Sprintf("%x  %s\n", sha1.Sum([]byte(data)), name)
		sums.WriteString(line)
		list.WriteString(line)
		verdicts.WriteString(name + ": OK\n")
	}
	add("big", strings.Repeat("0123456789abcdef", 200_000))
	for i := range 2100 { // more than the pipeline's window
		if i%100 == 50 {
			name := fmt.Sprint("gone-", i)
			names = append(names, name)
			complaints.WriteString("sha1dcsum: " + name + ": " + gone + "\n")
			list.WriteString(sumF + "  " + name + "\n")
			verdicts.WriteString(name + ": FAILED open or read\n")
		}
		add(fmt.Sprint("file-", i), strings.Repeat("x", i*7%400))
	}
	warning := "sha1dcsum: WARNING: 21 listed files could not be read\n"
	for _, jobs := range []string{"-j1", "-j2", "-j7", "-j256"} {
		if have, want := ours("", append(names, jobs)...), (outcome{1, sums.String(), complaints.String()}); have != want {
			t.Errorf("%s: results out of order or wrong: status %d, %d and %d bytes, want %d and %d", jobs,
				have.status, len(have.stdout), len(have.stderr), len(want.stdout), len(want.stderr))
		}
		if have, want := ours(list.String(), "-c", jobs), (outcome{1, verdicts.String(), complaints.String() + warning}); have != want {
			t.Errorf("-c %s: results out of order or wrong: status %d, %d and %d bytes, want %d and %d", jobs,
				have.status, len(have.stdout), len(have.stderr), len(want.stdout), len(want.stderr))
		}
	}
}

// TestReadErrors checks that what was read before an error is not taken for a
// whole file.
// TestSmallFiles hashes files with sizes around those that are hashed together,
// with attacked ones between them and standard input, which waits for its turn.
func TestSmallFiles(t *testing.T) {
	published := vectors.All() // read from the directory of the source
	inDirectory(t, nil)
	var names []string
	var sums, attacks strings.Builder
	add := func(name, data string) {
		names = append(names, name)
		if name != cli.StdinName {
			writeFiles(t, map[string]string{name: data})
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha1.Sum([]byte(data)), name)
	}
	for i := range 120 {
		switch size := smallFile + i%5 - 2; {
		case i%11 == 3:
			f := published[i%2]
			add(fmt.Sprint("attacked-", i), string(f.Data))
			attacks.WriteString(attackLine(names[len(names)-1], 256))
		case i == 60:
			add(cli.StdinName, "from standard input")
		case i%3 == 0:
			add(fmt.Sprint("large-", i), strings.Repeat("z", size))
		default:
			add(fmt.Sprint("small-", i), strings.Repeat("y", i*i))
		}
	}
	for _, jobs := range []string{"-j1", "-j2", "-j7"} {
		want := outcome{cli.ExitAttack, sums.String(), attacks.String()}
		if have := ours("from standard input", append(names, jobs, "--plain")...); have != want {
			t.Errorf("%s: %+v, want %+v", jobs, have, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	inDirectory(t, plainFiles)
	for _, test := range []struct {
		text string
		args []string
		want outcome
	}{
		{"hi\n", []string{"f", "-", "g"}, outcome{1, sumF + "  f\n" + sumF + "  g\n", "sha1dcsum: -: Broken line\n"}},
		{sumF + "  f\n", []string{"-c"}, outcome{1, "f: OK\n", "sha1dcsum: 'standard input': read error\n"}},
		{"", []string{"-c", "--status"}, outcome{1, "", "sha1dcsum: 'standard input': read error\n"}},
	} {
		stdin := io.MultiReader(strings.NewReader(test.text), iotest.ErrReader(errors.New("broken line")))
		var stdout, stderr bytes.Buffer
		status := run(test.args, stdin, &stdout, &stderr)
		if have := (outcome{status, stdout.String(), stderr.String()}); have != test.want {
			t.Errorf("%q:\nhave %+v\nwant %+v", test.args, have, test.want)
		}
	}
}

// A slowReader gives its bytes one by one and notes whether two read at once.
type slowReader struct {
	data    string
	readers atomic.Int32
	shared  atomic.Bool
}

func (r *slowReader) Read(p []byte) (int, error) {
	if r.readers.Add(1) > 1 {
		r.shared.Store(true)
	}
	defer r.readers.Add(-1)
	time.Sleep(time.Millisecond)
	if r.data == "" {
		return 0, io.EOF
	}
	p[0], r.data = r.data[0], r.data[1:]
	return 1, nil
}

// TestStdinInTurn checks that standard input goes whole to its first operand.
func TestStdinInTurn(t *testing.T) {
	stdin := &slowReader{data: strings.Repeat("x", 20)}
	var stdout, stderr bytes.Buffer
	status := run([]string{"-j3", "-", "-", "-"}, stdin, &stdout, &stderr)
	want := outcome{0, fmt.Sprintf("%x  -\n%s  -\n%[2]s  -\n", sha1.Sum([]byte(strings.Repeat("x", 20))), sumEmpty), ""}
	if have := (outcome{status, stdout.String(), stderr.String()}); have != want || stdin.shared.Load() {
		t.Errorf("shared by operands: %v; have %+v\nwant %+v", stdin.shared.Load(), have, want)
	}
}

// TestWriteErrors fails each channel after every number of bytes.
func TestWriteErrors(t *testing.T) {
	v := vectors.All()[0]
	inDirectory(t, plainFiles)
	writeFiles(t, map[string]string{v.Name: string(v.Data), "list": sumF + "  f\n" + sumF + "  g\n"})
	for _, test := range []struct {
		args   []string
		stderr string
		status int
	}{
		{[]string{"f", "g"}, "sha1dcsum: write error\n", cli.ExitFailure},
		{[]string{"-z", "f", "g"}, "sha1dcsum: write error: No room\n", cli.ExitFailure},
		{[]string{"-c", "list"}, "sha1dcsum: write error\n", cli.ExitFailure},
		{[]string{"--help"}, "sha1dcsum: write error\n", cli.ExitFailure},
		{[]string{v.Name, "f"}, attackLine(v.Name, 256) + "sha1dcsum: write error\n", cli.ExitAttack},
	} {
		all := len(ours("", test.args...).stdout)
		for _, room := range []int{0, 1, all / 2, all - 1} {
			stdout, stderr := clitest.FullWriter(room), bytes.Buffer{}
			status := run(test.args, strings.NewReader(""), &stdout, &stderr)
			if status != test.status || stderr.String() != test.stderr {
				t.Errorf("%q with room for %d bytes: status %d %q, want %d %q", test.args, room, status, stderr.String(), test.status, test.stderr)
			}
		}
	}
	for status, args := range map[int][]string{cli.ExitFailure: {"gone", "f"}, cli.ExitAttack: {v.Name}} {
		stderr := clitest.FullWriter(3)
		if have := run(args, strings.NewReader(""), io.Discard, &stderr); have != status {
			t.Errorf("%q with standard error full: status %d, want %d", args, have, status)
		}
	}
	// Only standard error is needed here, and it is full.
	writeFiles(t, map[string]string{"list": sumF + "  f\njunk\n"})
	stderr := clitest.FullWriter(0)
	if have := run([]string{"-c", "list"}, strings.NewReader(""), io.Discard, &stderr); have != cli.ExitFailure {
		t.Errorf("a lost warning: status %d", have)
	}
}

// TestUsageNamesAllOptions compares --help with the option table.
func TestUsageNamesAllOptions(t *testing.T) {
	named := map[string]bool{}
	for word := range strings.FieldsFuncSeq(usage, func(r rune) bool { return strings.ContainsRune(" \n,=.:", r) }) {
		if long, ok := strings.CutPrefix(word, "--"); ok {
			named[long] = true
		}
	}
	var o options
	for _, option := range o.table() {
		if !named[option.Long] {
			t.Errorf("--help does not name --%s", option.Long)
		}
		delete(named, option.Long)
		if option.Short != 0 && !strings.Contains(usage, "-"+string(option.Short)+", --"+option.Long) {
			t.Errorf("--help does not name -%c", option.Short)
		}
	}
	if rest := slices.Sorted(maps.Keys(named)); len(rest) > 0 {
		t.Errorf("--help names %q, which do not exist", rest)
	}
	for line := range strings.Lines(usage) {
		if len(line) > 80+1 && !strings.Contains(line, "II(52,0)") {
			t.Errorf("--help has a long line: %q", line)
		}
	}
}
