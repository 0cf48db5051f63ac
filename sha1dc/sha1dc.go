// Package sha1dc computes SHA-1 and detects, from one message alone, whether
// it is half of a collision attack.
//
// SHA-1 is broken: collisions cost tens of thousands of dollars. Where it must
// still be used on bytes from strangers, counter-cryptanalysis (Stevens,
// "Counter-cryptanalysis", 2013) finds the message block that every known kind
// of collision attack has to contain. Ordinary messages keep their ordinary
// SHA-1 digest. For an attacked message the default is to return a different,
// mitigated digest, so that the two halves of a collision no longer collide;
// [DetectOnly] keeps the ordinary digest and only reports the attack.
//
// Digest, flag and mitigated digest equal those of the reference
// implementation, github.com/cr-marcstevens/sha1collisiondetection. New, Sum
// and CollisionResistantSum have the signatures of github.com/pjbgf/sha1cd, so
// that a program can switch by its import path. Importing the package
// registers nothing; see [Register].
package sha1dc

import (
	"crypto"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
)

// Size is the length of a digest in bytes.
const Size = 20

// BlockSize is the length of a message block in bytes.
const BlockSize = 64

// CollisionResistantHash is a hash.Hash that also reports whether the message
// is part of a collision attack. A *Digest is one.
type CollisionResistantHash interface {
	// CollisionResistantSum appends the digest to b, as Sum does, and reports
	// whether the message is part of a collision attack.
	CollisionResistantSum(b []byte) ([]byte, bool)
	hash.Hash
}

// Mode says what becomes of the digest of an attacked message. The digest of
// any other message is its SHA-1 in every mode.
type Mode uint8

const (
	// Mitigate returns a digest that differs from SHA-1 and, for all that is
	// known, between the halves of a collision: an attacked block is compressed
	// three times instead of once. It is the zero value.
	Mitigate Mode = iota

	// DetectOnly returns the SHA-1 digest of the message as it is, as git does;
	// the attack shows only in Err and CollisionResistantSum.
	DetectOnly
)

// String returns "Mitigate" or "DetectOnly".
func (m Mode) String() string {
	switch m {
	case Mitigate:
		return "Mitigate"
	case DetectOnly:
		return "DetectOnly"
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// Config chooses how to hash. The zero value is what New and Sum use.
type Config struct {
	// Mode says which digest an attacked message gets. An undefined value is
	// treated as Mitigate.
	Mode Mode

	// ReducedRounds also reports blocks that would collide if the compression
	// function had fewer steps: those whose twin starts from the same chaining
	// value. Such examples show an attack at work, but full SHA-1 is not broken
	// by them; the first block of the SHAttered files is one. Kernels do not
	// look for them: it runs at the speed of pure Go.
	ReducedRounds bool

	// DisableUBC rechecks all disturbance vectors for every block, instead of
	// those that the unavoidable bit conditions leave. It finds the same attacks
	// at a small fraction of the speed, in pure Go, and exists for tests and
	// forensics.
	DisableUBC bool
}

// New returns a hash in Mitigate mode. The value is a *Digest.
func New() hash.Hash { return Config{}.New() }

// New returns a hash that works as c says.
func (c Config) New() *Digest {
	d := &Digest{cfg: c.normal()}
	d.Reset()
	return d
}

// normal returns c with an undefined mode replaced by Mitigate.
func (c Config) normal() Config {
	if c.Mode != DetectOnly {
		c.Mode = Mitigate
	}
	return c
}

// Register makes crypto.SHA1.New return hashes of this package. As with
// crypto.RegisterHash, the last registration wins: call it from main after
// package initialisation, since packages that import crypto/sha1 register that.
// It changes SHA-1 for the whole program, signatures and certificates included.
func Register() { crypto.RegisterHash(crypto.SHA1, New) }

// Sum returns the digest of data in Mitigate mode, and whether data is part of
// a collision attack.
func Sum(data []byte) (digest [Size]byte, collision bool) {
	var s state
	Config{}.hash(&s, data)
	s.put(&digest, Mitigate)
	return digest, s.found
}

// Sum returns the digest of data. If data is part of a collision attack, the
// error is a *CollisionError, and the digest the one that c.Mode asks for.
func (c Config) Sum(data []byte) (digest [Size]byte, err error) {
	var s state
	c = c.normal()
	c.hash(&s, data)
	s.put(&digest, c.Mode)
	return digest, s.err()
}

// padding is the least number of bytes that are added to a message.
const padding = 1 + 8

// hash sets s to the state after all of data and its padding.
func (c Config) hash(s *state, data []byte) {
	s.h = initial
	n := len(data) &^ (BlockSize - 1)
	s.finish(c, data[:n], data[n:], uint64(len(data)))
}

// Digest is a running hash with collision detection. It implements hash.Hash,
// CollisionResistantHash, hash.Cloner, io.StringWriter and the encoding
// interfaces for saving and restoring it at any byte. The zero value is ready
// to use in Mitigate mode. A Digest must not be used by several goroutines at
// once; separate ones may.
type Digest struct {
	state
	x     [BlockSize]byte // bytes of the block not yet complete
	nx    int
	len   uint64 // bytes written, modulo 2^64
	cfg   Config
	ready bool // the chaining value has been set
}

var (
	_ CollisionResistantHash = (*Digest)(nil)
	_ hash.Cloner            = (*Digest)(nil)
	_ io.StringWriter        = (*Digest)(nil)
)

// Reset returns d to its state before the first byte, an attack met forgotten.
// Mode and options stay.
func (d *Digest) Reset() {
	d.state = state{h: initial}
	d.nx, d.len, d.ready = 0, 0, true
}

// Size returns 20.
func (d *Digest) Size() int { return Size }

// BlockSize returns 64.
func (d *Digest) BlockSize() int { return BlockSize }

// Write adds p to the message. It never fails: an attack is reported by Err
// and CollisionResistantSum.
func (d *Digest) Write(p []byte) (int, error) {
	if !d.ready {
		d.Reset()
	}
	n := len(p)
	if d.nx > 0 {
		m := copy(d.x[d.nx:], p)
		d.nx += m
		d.len += uint64(m)
		p = p[m:]
		if d.nx < BlockSize {
			return n, nil
		}
		d.blocks(d.cfg, d.x[:], d.len-BlockSize)
		d.nx = 0
	}
	if whole := len(p) &^ (BlockSize - 1); whole > 0 {
		d.blocks(d.cfg, p[:whole], d.len)
		d.len += uint64(whole)
		p = p[whole:]
	}
	d.nx = copy(d.x[:], p)
	d.len += uint64(d.nx)
	return n, nil
}

// WriteString adds the bytes of s to the message, without allocating.
func (d *Digest) WriteString(s string) (int, error) {
	n := len(s)
	var buf [8 * BlockSize]byte
	for len(s) > 0 {
		m := copy(buf[:], s)
		d.Write(buf[:m])
		s = s[m:]
	}
	return n, nil
}

// finished returns the state after the padding, as if the message ended here.
func (d *Digest) finished() state {
	s := d.state
	if !d.ready {
		s.h = initial
	}
	s.finish(d.cfg, nil, d.x[:d.nx], d.len)
	return s
}

// Sum appends the digest of the message so far to b. It does not change d, so
// more can be written.
func (d *Digest) Sum(b []byte) []byte {
	s := d.finished()
	sum := s.digest(d.cfg.Mode)
	return append(b, sum[:]...)
}

// CollisionResistantSum appends the digest of the message so far to b, as Sum
// does, and reports whether the message is part of a collision attack.
func (d *Digest) CollisionResistantSum(b []byte) ([]byte, bool) {
	s := d.finished()
	sum := s.digest(d.cfg.Mode)
	return append(b, sum[:]...), s.found
}

// Err returns the first attack in the message so far as a *CollisionError, or
// nil. It treats the message as ending here, as Sum does, so the digests in
// the error are those of all that was written. It does not change d.
func (d *Digest) Err() error {
	s := d.finished()
	return s.err()
}

// clearLength is the length in bytes of messages up to which a last block that
// has nothing of the message but the padding is dismissed by the published
// conditions, so that nobody has to filter it.
const clearLength = 1 << 20

// finish adds whole blocks, and behind them the bytes of the last, incomplete
// block and the padding of a message of length bytes.
func (s *state) finish(c Config, whole, rest []byte, length uint64) {
	offset := length - uint64(len(rest)) - uint64(len(whole))
	if s.found || !active.addsEnds() || c.ReducedRounds || c.DisableUBC {
		s.finishCopied(c, whole, rest, length)
		return
	}
	var buf [2 * BlockSize]byte
	end := buf[:pad(buf[:], rest, length)]
	clear := 0
	if length <= clearLength && (len(rest) == 0 || len(rest) >= BlockSize-(padding-1)) {
		clear = 1
	}
	n := active.addEnd(&s.h, whole, end, clear)
	if n == len(whole)+len(end) {
		return
	}
	if n < len(whole) {
		s.blocks(c, whole[n:], offset+uint64(n))
		n = len(whole)
	}
	s.blocks(c, end[n-len(whole):], offset+uint64(n))
}

// joined is the length up to which a message is copied and padded in one
// piece by finishCopied, because a second call of a kernel costs more.
const joined = 8*BlockSize - padding

// finishCopied is finish for kernels that want all blocks in one place.
func (s *state) finishCopied(c Config, whole, rest []byte, length uint64) {
	offset := length - uint64(len(rest)) - uint64(len(whole))
	if n := len(whole); n > 0 && n+len(rest) <= joined {
		var buf [joined + padding]byte
		copy(buf[:], whole)
		s.blocks(c, buf[:n+pad(buf[n:], rest, length)], offset)
		return
	}
	s.blocks(c, whole, offset)
	var buf [2 * BlockSize]byte
	s.blocks(c, buf[:pad(buf[:], rest, length)], offset+uint64(len(whole)))
}

// pad copies the rest of a message of length bytes to buf, which is zero and
// long enough, adds the padding (FIPS 180-4, section 5.1.1), and returns the
// number of bytes used, a multiple of BlockSize.
func pad(buf, rest []byte, length uint64) int {
	n := copy(buf, rest)
	buf[n] = 0x80
	end := (n + padding + BlockSize - 1) &^ (BlockSize - 1)
	binary.BigEndian.PutUint64(buf[end-8:], length<<3)
	return end
}
