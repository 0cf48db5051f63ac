package peers

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/pjbgf/sha1cd"
	"github.com/pjbgf/sha1cd/cgo"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/vectors"
	"github.com/sha1dc/go/sha1dc"
)

// Without cgo the package cgo quietly becomes sha1cd's Go code, and every
// comparison here would lose its oracle.
func TestMain(m *testing.M) {
	if path := reflect.TypeOf(cgo.New()).Elem().PkgPath(); path != "github.com/pjbgf/sha1cd/cgo" {
		fmt.Fprintf(os.Stderr, "the oracle is %s instead of the reference implementation in C: "+
			"run with CGO_ENABLED=1 and a C compiler\n", path)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// configs are all combinations of options.
var configs = func() []sha1dc.Config {
	var out []sha1dc.Config
	for n := range 8 {
		c := sha1dc.Config{ReducedRounds: n&1 != 0, DisableUBC: n&2 != 0}
		if n&4 != 0 {
			c.Mode = sha1dc.DetectOnly
		}
		out = append(out, c)
	}
	return out
}()

// upstream is the reference implementation. Its cgo package offers none of the
// switches of the C interface, so they are set where SHA1DCSetSafeHash and its
// sisters set them: in the context.
type upstream struct {
	sha1cd.CollisionResistantHash
	ctx reflect.Value
}

func newUpstream(c sha1dc.Config) *upstream {
	h := cgo.New()
	u := &upstream{h.(sha1cd.CollisionResistantHash), reflect.ValueOf(h).Elem().FieldByName("ctx")}
	flag := func(on bool) int32 {
		if on {
			return 1
		}
		return 0
	}
	*field[int32](u, "safe_hash") = flag(c.Mode != sha1dc.DetectOnly)
	*field[int32](u, "reduced_round_coll") = flag(c.ReducedRounds)
	*field[int32](u, "ubc_check") = flag(!c.DisableUBC)
	return u
}

// field returns a pointer to a field of the C context. Its layout is the
// compiler's, so only name and size need checking.
func field[T any](u *upstream, name string) *T {
	f := u.ctx.FieldByName(name)
	if !f.IsValid() || f.Type().Size() != reflect.TypeFor[T]().Size() {
		panic(fmt.Sprintf("the C context has no field %s of type %v", name, reflect.TypeFor[T]()))
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr()))
}

// restore sets the state after length bytes that led to the chaining value h
// and end in those of x.
func (u *upstream) restore(h [5]uint32, x [sha1dc.BlockSize]byte, length uint64) {
	*field[[5]uint32](u, "ihv") = h
	*field[[sha1dc.BlockSize]byte](u, "buffer") = x
	*field[uint64](u, "total") = length
}

// verdict is what an implementation says of a message.
type verdict struct {
	digest    [sha1dc.Size]byte
	collision bool
}

func (v verdict) String() string { return fmt.Sprintf("%x, collision %v", v.digest, v.collision) }

// verdictOf returns the verdict on what was written to h.
func verdictOf(h sha1cd.CollisionResistantHash) verdict {
	sum, collision := h.CollisionResistantSum(nil)
	return verdict{[sha1dc.Size]byte(sum), collision}
}

func upstreamVerdict(c sha1dc.Config, msg []byte) verdict {
	u := newUpstream(c)
	u.Write(msg)
	return verdictOf(u)
}

// firstHit returns the first attacked block of the padded message according to
// the reference implementation, and the bit of its disturbance vector.
func firstHit(c sha1dc.Config, msg []byte) (offset int64, dv int, ok bool) {
	u := newUpstream(c)
	for p := padded(msg); len(p) > 0; p = p[sha1dc.BlockSize:] {
		u.Write(p[:sha1dc.BlockSize])
		if *field[int32](u, "found_collision") != 0 {
			return offset, differences()[u.differences()], true
		}
		offset += sha1dc.BlockSize
	}
	return 0, 0, false
}

// differences returns the message differences of the vector that u tried last.
func (u *upstream) differences() [dvs.Steps]uint32 {
	dm := *field[[dvs.Steps]uint32](u, "m2")
	for t, w := range field[[dvs.Steps]uint32](u, "m1") {
		dm[t] ^= w
	}
	return dm
}

// differences maps message differences to the bit of their vector.
var differences = sync.OnceValue(func() map[[dvs.Steps]uint32]int {
	m := make(map[[dvs.Steps]uint32]int)
	for n, v := range dvs.All() {
		m[v.DM()] = n
	}
	return m
})

// padded returns msg with SHA-1's padding.
func padded(msg []byte) []byte {
	p := append(bytes.Clone(msg), 0x80)
	for len(p)%sha1dc.BlockSize != 56 {
		p = append(p, 0)
	}
	for shift := 56; shift >= 0; shift -= 8 {
		p = append(p, byte(uint64(len(msg))<<3>>shift))
	}
	return p
}

// agree fails the test unless everybody agrees on msg: our one-shot and
// running hash with the reference implementation in each configuration, all of
// them with sha1cd where it has the mode, and with crypto/sha1 on plain
// digests. It returns the verdict in Mitigate mode.
func agree(t testing.TB, what string, msg []byte) verdict {
	t.Helper()
	for _, c := range configs {
		agreeOn(t, what, c, msg)
	}
	return agreeDefault(t, what, msg)
}

// agreeDefault is agree for the package's defaults alone.
func agreeDefault(t testing.TB, what string, msg []byte) verdict {
	t.Helper()
	want := agreeOn(t, what, sha1dc.Config{}, msg)
	var got verdict
	if got.digest, got.collision = sha1dc.Sum(msg); got != want {
		t.Fatalf("%s (%d bytes): Sum %v, upstream %v", what, len(msg), got, want)
	}
	if got.digest, got.collision = sha1cd.Sum(msg); got != want {
		t.Fatalf("%s (%d bytes): sha1cd %v, upstream %v", what, len(msg), got, want)
	}
	return want
}

// agreeOn is agree for one configuration, whose verdict it returns.
func agreeOn(t testing.TB, what string, c sha1dc.Config, msg []byte) verdict {
	t.Helper()
	want := upstreamVerdict(c, msg)
	digest, err := c.Sum(msg)
	if got := (verdict{digest, err != nil}); got != want {
		t.Fatalf("%s (%d bytes), %+v: Config.Sum %v, upstream %v", what, len(msg), c, got, want)
	}
	checkError(t, what, c, msg, err)
	d := c.New()
	d.Write(msg)
	if got := verdictOf(d); got != want {
		t.Fatalf("%s (%d bytes), %+v: New %v, upstream %v", what, len(msg), c, got, want)
	}
	checkError(t, what, c, msg, d.Err())
	if plain := sha1.Sum(msg); (c.Mode == sha1dc.DetectOnly || !want.collision) && plain != want.digest {
		t.Fatalf("%s (%d bytes), %+v: upstream %v, crypto/sha1 %x", what, len(msg), c, want, plain)
	}
	return want
}

// checkError compares what an error says of an attack with crypto/sha1 and the
// reference implementation.
func checkError(t testing.TB, what string, c sha1dc.Config, msg []byte, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var got *sha1dc.CollisionError
	if !errors.As(err, &got) {
		t.Fatalf("%s (%d bytes), %+v: error %v", what, len(msg), c, err)
	}
	c.Mode = sha1dc.Mitigate
	want := sha1dc.CollisionError{Plain: sha1.Sum(msg), Mitigated: upstreamVerdict(c, msg).digest}
	offset, dv, ok := firstHit(c, msg)
	if !ok {
		t.Fatalf("%s (%d bytes), %+v: %v, upstream finds no attack", what, len(msg), c, err)
	}
	v := dvs.All()[dv]
	want.Offset, want.DV = offset, sha1dc.DV{Type: uint8(v.Type), K: uint8(v.K), B: uint8(v.B)}
	if *got != want {
		t.Fatalf("%s (%d bytes), %+v:\n got %v\nwant %v", what, len(msg), c, got, &want)
	}
}

// publicFile returns one of the collision files that travel in sha1cd's
// module.
func publicFile(t testing.TB, name string) []byte {
	t.Helper()
	dir, err := sha1cdDir()
	if err != nil {
		t.Fatalf("locating the module of sha1cd: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "test", "testdata", "files", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var sha1cdDir = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/pjbgf/sha1cd").Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
})

// published holds the shortest known attacks and the reduced-round example.
var published = vectors.All()
