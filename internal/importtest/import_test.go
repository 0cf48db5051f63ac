// Package importtest checks what importing the runtime does to a program that
// does not import crypto/sha1.
package importtest

import (
	"crypto"
	"testing"

	"github.com/sha1dc/go/sha1dc"
)

func TestImportRegistersNothing(t *testing.T) {
	if crypto.SHA1.Available() {
		t.Fatal("crypto.SHA1 is available in a program that imports only sha1dc")
	}
	sha1dc.Register()
	if _, ok := crypto.SHA1.New().(*sha1dc.Digest); !ok {
		t.Errorf("after Register, crypto.SHA1.New returns a %T", crypto.SHA1.New())
	}
}
