package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sha1dc/go/gitpack"
	"github.com/sha1dc/go/sha1dc"
)

// git runs git in the current directory and returns what it printed.
func git(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.com")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, stderr.Bytes())
	}
	return string(out)
}

// inRepository changes to a new repository with some commits in a pack, and
// returns the pack's name.
func inRepository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not installed")
		}
		t.Skip("git is not installed")
	}
	t.Chdir(t.TempDir())
	git(t, "", "init", "-q", "-b", "main")
	content := strings.Repeat("a line of text\n", 50)
	for n := range 12 {
		content += fmt.Sprintf("line %d\n", n)
		write(t, "file", content)
		git(t, "", "add", "file")
		git(t, "", "commit", "-q", "-m", fmt.Sprint("Commit ", n))
	}
	git(t, "", "repack", "-adfq")
	packs, err := filepath.Glob(".git/objects/pack/*.pack")
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs %v, error %v", packs, err)
	}
	return packs[0]
}

func slurp(t *testing.T, name string) string {
	t.Helper()
	p, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(p)
}

func TestIndexPack(t *testing.T) {
	pack := inRepository(t)
	want := slurp(t, strings.TrimSuffix(pack, "pack")+"idx")
	write(t, "a.pack", slurp(t, pack))
	sum := strings.TrimSpace(git(t, "", "index-pack", "--rev-index", "-o", "git.idx", "a.pack"))

	if got := ours("", "index-pack", "--rev-index", "a.pack"); got != (outcome{0, sum + "\n", ""}) {
		t.Errorf("%+v", got)
	}
	if slurp(t, "a.idx") != want || slurp(t, "a.rev") != slurp(t, "git.rev") {
		t.Error("the index differs from git's")
	}
	if got := ours(slurp(t, pack), "index-pack", "--stdin", "b.pack", "-o", "c.idx"); got != (outcome{0, "pack\t" + sum + "\n", ""}) {
		t.Errorf("%+v", got)
	}
	if slurp(t, "b.pack") != slurp(t, pack) || slurp(t, "c.idx") != want {
		t.Error("the pack or its index from standard input differs")
	}
	if got := ours("", "index-pack", "-v", "a.pack"); got.status != 0 || !strings.Contains(got.stdout, "commit         12 ") {
		t.Errorf("%+v", got)
	}

	var line jsonPack
	got := ours("", "index-pack", "--json", "--threads=2", "a.pack")
	if err := json.Unmarshal([]byte(got.stdout), &line); err != nil || !line.OK || line.Checksum != sum || line.Types["commit"].Objects != 12 || line.Collisions == nil {
		t.Errorf("%+v, error %v", got, err)
	}
}

func TestIndexPackFixThin(t *testing.T) {
	inRepository(t)
	thin := git(t, "main\n--not\nmain~5\n", "pack-objects", "--thin", "--stdout", "--revs", "-q")
	got := ours(thin, "index-pack", "--stdin", "thin.pack")
	if got.status != 1 || !strings.Contains(got.stderr, "delta base is not in the pack") {
		t.Fatalf("%+v", got)
	}
	if _, err := os.Stat("thin.pack"); err == nil {
		t.Error("the pack is left")
	}
	got = ours(thin, "index-pack", "--stdin", "--fix-thin", "thin.pack")
	if got.status != 0 || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	git(t, "", "verify-pack", "thin.pack")
}

// TestFixThinRepository checks which repository completes a pack, that it is asked
// for the very objects, and that its complaint is passed on.
func TestFixThinRepository(t *testing.T) {
	inRepository(t)
	thin := git(t, "main\n--not\nmain~5\n", "pack-objects", "--thin", "--stdout", "--revs", "-q")
	complete := func(what, name string) {
		t.Helper()
		if got := ours(thin, "index-pack", "--stdin", "--fix-thin", name); got.status != 0 || got.stderr != "" {
			t.Errorf("%s: %+v", what, got)
		}
	}
	base := strings.TrimSpace(git(t, "", "rev-parse", "main~5:file"))
	other := strings.TrimSpace(git(t, "other", "hash-object", "-w", "--stdin"))
	git(t, "", "replace", base, other)
	complete("a replaced base", ".git/objects/pack/a.pack")

	t.Setenv("GIT_DIR", ".git") // as in a hook
	complete("a relative GIT_DIR", ".git/objects/pack/b.pack")
	outside := t.TempDir()
	complete("GIT_DIR beside another directory", outside+"/c.pack")
	t.Setenv("GIT_DIR", outside)
	got := ours(thin, "index-pack", "--stdin", "--fix-thin", "d.pack")
	if got.status != 1 || !strings.Contains(got.stderr, "not a git repository") {
		t.Errorf("no repository: %+v", got)
	}
}

func TestVerifyPack(t *testing.T) {
	name := inRepository(t)
	write(t, "a.pack", slurp(t, name))
	git(t, "", "index-pack", "--rev-index", "a.pack")
	for _, args := range [][]string{{"a.pack"}, {"-v", "a.pack"}, {"-v", "a.idx"}, {"--verbose", "a"}, {"-s", "a.pack"}, {"-v", "a", "a.idx"}} {
		want := git(t, "", append([]string{"verify-pack"}, args...)...)
		if got := ours("", append([]string{"verify-pack"}, args...)...); got != (outcome{0, want, ""}) {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
	sound := slurp(t, "a.pack")
	write(t, "b.pack", sound[:len(sound)-1]+"x")
	write(t, "b.idx", slurp(t, "a.idx"))
	got := ours("", "verify-pack", "-v", "b.pack", "--json")
	var line jsonPack
	if err := json.Unmarshal([]byte(got.stdout), &line); err != nil || got.status != 1 || line.OK || line.Error == nil ||
		line.Error.Reason != gitpack.ErrPackChecksum.Error() || *line.Error.Offset != uint64(len(sound)-20) {
		t.Errorf("%+v, error %v", got, err)
	}
	got = ours("", "verify-pack", "-v", "b.pack", "a.pack")
	if got.status != 1 || !strings.HasPrefix(got.stdout, "b.pack: bad\n") || !strings.HasSuffix(got.stdout, "a.pack: ok\n") || !strings.Contains(got.stderr, "checksum mismatch") {
		t.Errorf("%+v", got)
	}
	rev := slurp(t, "a.rev")
	if err := os.Remove("a.rev"); err != nil { // it is read-only
		t.Fatal(err)
	}
	write(t, "a.rev", rev[:20]+"x"+rev[21:])
	if got := ours("", "verify-pack", "a.pack"); got.status != 1 || !strings.Contains(got.stderr, "reverse index") {
		t.Errorf("%+v", got)
	}
	if got := ours("", "verify-pack", "nosuch"); got.status != 1 || !strings.Contains(got.stderr, "nosuch.idx") {
		t.Errorf("%+v", got)
	}
}

func TestPackOptions(t *testing.T) {
	for args, want := range map[string]string{
		"index-pack":                           "missing the name of a pack",
		"index-pack a.pack b.pack":             "extra operand 'b.pack'",
		"index-pack a":                         "does not end in .pack",
		"index-pack --fix-thin a.pack":         "only with --stdin",
		"index-pack --threads=x a.pack":        "invalid number of threads 'x'",
		"index-pack --max-object-size=0 a":     "invalid number '0'",
		"index-pack --memory=99999999999g a":   "invalid number",
		"index-pack --nosuch":                  "unrecognized option '--nosuch'",
		"verify-pack":                          "missing the name of a pack",
		"index-pack nosuch.pack":               "nosuch.pack: no such file",
		"index-pack --stdin nosuch/dir/a.pack": "nosuch/dir",
	} {
		if got := ours("", strings.Fields(args)...); got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v, want %q", args, got, want)
		}
	}
	for _, command := range []string{"index-pack", "verify-pack"} {
		if got := ours("", command, "--help"); got.status != 0 || !strings.HasPrefix(got.stdout, "Usage: sha1dc "+command) || got.stderr != "" {
			t.Errorf("%+v", got)
		}
	}
	var n uint64
	for value, want := range map[string]uint64{"1": 1, "2k": 2048, "3M": 3 << 20, "4g": 4 << 30} {
		if err := byteSize(&n)(value); err != nil || n != want {
			t.Errorf("%s: %d, error %v", value, n, err)
		}
	}
	dir := t.TempDir()
	t.Chdir(dir)
	got := ours("PACK\x00\x00\x00\x02\x00\x00\x00\x09", "index-pack", "--stdin", "--max-input-size=5", "a.pack")
	if got.status != 1 || !strings.Contains(got.stderr, "limit exceeded") {
		t.Errorf("%+v", got)
	}
}

// TestPackCollisions reports an attack in an object, of which there is no public
// example.
func TestPackCollisions(t *testing.T) {
	attack := &gitpack.CollisionError{
		Object: gitpack.ID{1}, Type: gitpack.Blob, Offset: 12, BlockOffset: 192, DV: sha1dc.DV{Type: 2, K: 52},
	}
	for _, c := range []struct {
		report *gitpack.Report
		err    error
	}{{nil, attack}, {&gitpack.Report{Collisions: []*gitpack.CollisionError{attack}}, nil}} {
		var stdout, stderr bytes.Buffer
		r := &packRun{packOptions: &packOptions{json: true}, printer: streams{io.MultiReader(), &stdout, &stderr}.printer()}
		r.result("a.pack", c.report, c.err)
		status := r.close()
		var line jsonPack
		if err := json.Unmarshal(stdout.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		want := jsonCollision{attack.Object.String(), gitpack.ID{}.String(), "blob", 12, 192, "II(52,0)"}
		if status != 3 || line.OK || len(line.Collisions) != 1 || line.Collisions[0] != want ||
			!strings.Contains(stderr.String(), "SHA-1 collision attack in blob 01") || (line.Error != nil) != (c.err != nil) {
			t.Errorf("status %d, %+v, %s", status, line, &stderr)
		}
	}
}
