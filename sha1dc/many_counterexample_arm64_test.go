//go:build gc && !purego && !noasm

package sha1dc

import "testing"

// namedMany returns the numbers of lanes of the kernels for many messages of
// which proofs give counterexamples, by their names.
func namedMany() map[string]int { return nil }

func replayMany(t *testing.T, c *counterexample) {
	t.Helper()
	t.Errorf("this processor has no kernel %q", c.backend)
}
