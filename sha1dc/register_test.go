package sha1dc_test

import (
	"crypto"
	"crypto/sha1"
	"fmt"
	"testing"

	"github.com/sha1dc/go/sha1dc"
)

func TestRegister(t *testing.T) {
	if got := fmt.Sprintf("%T", crypto.SHA1.New()); got == "*sha1dc.Digest" {
		t.Fatal("importing the package registered it")
	}
	t.Cleanup(func() { crypto.RegisterHash(crypto.SHA1, sha1.New) })
	sha1dc.Register()
	if got := fmt.Sprintf("%T", crypto.SHA1.New()); got != "*sha1dc.Digest" {
		t.Errorf("after Register, crypto.SHA1.New returns a %s", got)
	}
}
