package sha1dc

import (
	"crypto/fips140"
	"crypto/sha1"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
)

// TestBigMessage hashes 4 GiB of zeros and an attack behind them, beside
// crypto/sha1. It takes some seconds, so "make big" asks for it; without that,
// the message has 4 MiB.
func TestBigMessage(t *testing.T) {
	const dv = 9
	length := int64(4 << 20)
	if os.Getenv("SHA1DC_BIG") != "" {
		length = 4 << 30
	}
	setDM(t, dv, [steps]uint32{})
	attack := craft.Bytes(craft.Passing(dvs.Published(), dv, rand.New(rand.NewPCG(80, 81))))
	d, plain := Config{Mode: DetectOnly}.New(), sha1.New()
	zeros := make([]byte, 1<<20)
	write := func(p []byte) {
		d.Write(p)
		if !fips140.Enabled() {
			plain.Write(p)
		}
	}
	check := func(what string) {
		if fips140.Enabled() {
			return
		}
		if got, want := sum(d), sum(plain); got != want {
			t.Errorf("%s: %x, crypto/sha1 gives %x", what, got, want)
		}
	}
	for range length / int64(len(zeros)) {
		write(zeros)
	}
	write(zeros[:1])
	check("a byte more")
	if err := d.Err(); err != nil {
		t.Errorf("zeros: %v", err)
	}
	write(zeros[:BlockSize-1])
	write(attack)
	write(zeros[:1])
	check("an attack behind")
	var e *CollisionError
	if err := d.Err(); !errors.As(err, &e) || e.Offset != length+BlockSize {
		t.Errorf("error %v, want an attack at byte %d", err, length+BlockSize)
	}
}
