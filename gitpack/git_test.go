package gitpack

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// needGit skips a test where git is not installed, unless it must be.
func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not installed")
		}
		t.Skip("git is not installed")
	}
}

// git runs git with some standard input and returns what it printed.
func git(dir string, stdin []byte, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=1600000000 +0000",
		"GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.com", "GIT_COMMITTER_DATE=1600000000 +0000")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return string(out), nil
}

// mustGit runs git and fails the test if git does.
func mustGit(t testing.TB, dir string, stdin []byte, args ...string) string {
	t.Helper()
	out, err := git(dir, stdin, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// text returns lines that compress like text.
func text(rng *rand.Rand, lines int) []byte {
	words := strings.Fields("the quick brown fox jumps over lazy dogs while packs of deltas grow in trees")
	var b bytes.Buffer
	for range lines {
		for range 4 + rng.IntN(6) {
			b.WriteString(words[rng.IntN(len(words))])
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d\n", rng.IntN(1e6))
	}
	return b.Bytes()
}

// history returns a stream for git fast-import: commits that change files a
// little, a tag, and what else a repository may hold.
func history(commits, files int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	data := func(p []byte) { fmt.Fprintf(&b, "data %d\n%s\n", len(p), p) }
	content := make([][]byte, files)
	for n := range content {
		content[n] = text(rng, 20+rng.IntN(200))
	}
	for c := range commits {
		fmt.Fprintf(&b, "commit refs/heads/main\nmark :%d\ncommitter c <c@example.com> %d +0000\n", c+1, 1600000000+c)
		data(fmt.Appendf(nil, "Commit %d", c))
		for n := range content {
			if c > 0 && rng.IntN(4) > 0 {
				continue
			}
			at := rng.IntN(len(content[n]))
			content[n] = append(append(append([]byte(nil), content[n][:at]...), text(rng, 1+rng.IntN(3))...), content[n][at:]...)
			fmt.Fprintf(&b, "M 100644 inline dir%d/file%d\n", n%3, n)
			data(content[n])
		}
		if c == 0 {
			b.WriteString("M 100644 inline empty\n")
			data(nil)
			b.WriteString("M 100755 inline one\n")
			data([]byte("1"))
		}
	}
	fmt.Fprintf(&b, "tag v1\nfrom :%d\ntagger c <c@example.com> 1600000000 +0000\n", commits)
	data([]byte("The first version"))
	return b.Bytes()
}

// repository makes a repository of a history and returns its directory.
func repository(t testing.TB, stream []byte) string {
	t.Helper()
	needGit(t)
	dir := t.TempDir()
	mustGit(t, dir, nil, "init", "-q", "--bare")
	mustGit(t, dir, stream, "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet")
	return dir
}

// repack packs all of a repository and returns the name of the pack.
func repack(t testing.TB, dir string, args ...string) string {
	t.Helper()
	mustGit(t, dir, nil, append([]string{"-c", "pack.threads=1", "-c", "repack.writeBitmaps=false"}, append(args, "repack", "-q", "-adf")...)...)
	packs, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs %v after git repack: %v", packs, err)
	}
	return packs[0]
}

// read returns the content of a file.
func read(t testing.TB, name string) []byte {
	t.Helper()
	p, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// write writes a new file into a temporary directory and returns its name.
func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}
