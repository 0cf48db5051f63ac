package gogit

import (
	"fmt"
	"hash"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sha1dc/go/sha1dc"
)

// created counts the hashes that go-git made of ours.
var created atomic.Int64

// counting is what is registered: New, counted.
func counting() hash.Hash {
	created.Add(1)
	return sha1dc.New()
}

// isOurs reports whether h is a hash of ours.
func isOurs(h hash.Hash) bool {
	_, ok := h.(*sha1dc.Digest)
	return ok
}

// git runs git.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// remote makes a repository and returns its directory and URLs to reach it.
func remote(t *testing.T) (dir string, urls map[string]string) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not installed")
		}
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	dir = filepath.Join(root, "remote")
	git(t, root, "init", "-q", "-b", "main", dir)
	for n := range 20 {
		commit(t, dir, n)
	}
	git(t, dir, "repack", "-adfq")
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(git(t, root, "--exec-path"), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"},
	})
	t.Cleanup(server.Close)
	return dir, map[string]string{"file": "file://" + dir, "http": server.URL + "/remote/.git"}
}

// commit adds a commit.
func commit(t testing.TB, dir string, n int) {
	t.Helper()
	for file := range 3 {
		name := filepath.Join(dir, fmt.Sprintf("file%d", file))
		old, _ := os.ReadFile(name)
		if err := os.WriteFile(name, append(old, strings.Repeat(fmt.Sprintf("line %d of %d\n", n, file), 50)...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", fmt.Sprint("Commit ", n))
}
