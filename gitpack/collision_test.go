package gitpack

import (
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/vectors"
	"github.com/sha1dc/go/sha1dc"
)

// TestPublishedCollisions makes sure that the published collisions are attacks
// for the hasher, but not as git objects: the header shifts their blocks.
func TestPublishedCollisions(t *testing.T) {
	h := newDetecting()
	c := startPack()
	found := 0
	for _, v := range vectors.All() {
		c.whole(Blob, v.Data)
		var r [1]HashResult
		h.SumMany(r[:], [][]byte{v.Data})
		h.Reset()
		h.Write(v.Data)
		plain, err := detectOnly.Sum(v.Data)
		if r[0].ID != plain || h.Result().ID != plain {
			t.Errorf("%s: ids %v and %v, want %x", v.Name, r[0].ID, h.Result().ID, plain)
		}
		if (r[0].Attack != nil) != (err != nil) || (h.Result().Attack != nil) != (err != nil) {
			t.Errorf("%s: attacks %v and %v, want %v", v.Name, r[0].Attack, h.Result().Attack, err)
		}
		if err != nil {
			found++
		}
	}
	if found < 4 {
		t.Errorf("only %d attacks", found)
	}
	if _, err := receive(t, c.pack(), Options{}); err != nil {
		t.Error(err)
	}
}

func TestErrorTexts(t *testing.T) {
	id := ID{0xab}
	for _, c := range []struct {
		err  error
		want []string
	}{
		{&PackError{Reason: ErrDeltaCopy, Offset: 77, Object: id}, []string{"copies from outside", "offset 77 of the pack", "ab00"}},
		{&PackError{Reason: ErrVersion, Offset: 4, Detail: ErrLimit}, []string{"version", "offset 4", "limit"}},
		{&IndexError{Reason: ErrIndexCRC, Offset: 99, Object: id, Detail: ErrLimit}, []string{"CRC-32", "offset 99 of the index", "ab00", "limit"}},
		{&LimitError{Limit: "ObjectSize", Max: 5, Offset: 12}, []string{"limit exceeded", "offset 12", "ObjectSize is 5"}},
		{&CollisionError{Object: id, Type: Tree, Offset: 12, BlockOffset: 64, DV: sha1dc.DV{Type: 1, K: 43}}, []string{"collision", "tree ab00", "offset 12", "byte 64", "I(43,0)"}},
	} {
		for _, w := range c.want {
			if !strings.Contains(c.err.Error(), w) {
				t.Errorf("%q lacks %q", c.err, w)
			}
		}
	}
	for n, want := range map[ObjectType]string{Commit: "commit", Tag: "tag", 0: "type 0", 5: "type 5", OfsDelta: "ofs-delta", 200: "type 200"} {
		if n.String() != want {
			t.Errorf("%d is %q", uint8(n), n)
		}
	}
}
