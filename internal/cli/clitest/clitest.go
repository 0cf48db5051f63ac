// Package clitest has what tests of commands share.
package clitest

import (
	"errors"
	"os"
	"testing"

	"github.com/sha1dc/go/internal/cli"
)

// A FullWriter has room for so many bytes.
type FullWriter int

func (w *FullWriter) Write(p []byte) (int, error) {
	n := min(len(p), int(*w))
	*w -= FullWriter(n)
	if n < len(p) {
		return n, errors.New("no room")
	}
	return n, nil
}

// Missing returns what the system says of a file that is not in the working
// directory.
func Missing(t *testing.T, name string) string {
	t.Helper()
	_, err := os.Open(name)
	if err == nil {
		t.Fatalf("there is a file %s", name)
	}
	return cli.Reason(err)
}
