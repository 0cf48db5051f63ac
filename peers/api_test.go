package peers

import (
	"go/constant"
	"go/importer"
	"go/token"
	"go/types"
	"hash"
	"testing"

	"github.com/pjbgf/sha1cd"

	"github.com/sha1dc/go/sha1dc"
)

// Everything that sha1cd exports exists here under the same name and with the
// same type, so that a program can switch by its import path.
func TestSameInterface(t *testing.T) {
	imp := importer.ForCompiler(token.NewFileSet(), "source", nil)
	load := func(path string) *types.Package {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatalf("type-checking %s: %v", path, err)
		}
		return pkg
	}
	theirs, ours := load("github.com/pjbgf/sha1cd"), load("github.com/sha1dc/go/sha1dc")
	seen := 0
	for _, name := range theirs.Scope().Names() {
		want := theirs.Scope().Lookup(name)
		if !want.Exported() {
			continue
		}
		seen++
		got := ours.Scope().Lookup(name)
		if got == nil {
			t.Errorf("no %s", name)
			continue
		}
		if !alike(got, want) {
			t.Errorf("got %v, in sha1cd %v", got, want)
		}
	}
	if seen < 5 {
		t.Errorf("sha1cd exports %d names, at least New, Sum, Size, BlockSize and CollisionResistantHash are expected", seen)
	}
}

// alike reports whether a user of a and b sees the same. A type of their own
// package would not be alike, but the functions of sha1cd mention none.
func alike(a, b types.Object) bool {
	switch a := a.(type) {
	case *types.Const:
		b, ok := b.(*types.Const)
		return ok && types.Identical(a.Type(), b.Type()) && constant.Compare(a.Val(), token.EQL, b.Val())
	case *types.TypeName:
		b, ok := b.(*types.TypeName)
		return ok && types.Identical(a.Type().Underlying(), b.Type().Underlying())
	case *types.Func:
		b, ok := b.(*types.Func)
		return ok && types.Identical(a.Type(), b.Type())
	}
	return false
}

// The same seen by the compiler, and what no type shows: values of both
// packages stand in for each other.
func TestInterchangeable(t *testing.T) {
	for _, api := range []struct {
		name string
		new  func() hash.Hash
		sum  func([]byte) ([sha1cd.Size]byte, bool)
	}{
		{"sha1cd", sha1cd.New, sha1cd.Sum},
		{"sha1dc", sha1dc.New, sha1dc.Sum},
	} {
		for _, f := range published {
			h, ok := api.new().(sha1cd.CollisionResistantHash)
			if !ok {
				t.Fatalf("%s: New does not return a CollisionResistantHash", api.name)
			}
			var other sha1dc.CollisionResistantHash = h
			other.Write(f.Data)
			sum, collision := other.CollisionResistantSum([]byte("x"))
			if string(sum) != "x"+string(f.Mitigated[:]) || collision != f.Attacked() {
				t.Errorf("%s, %s: %x, %v", api.name, f.Name, sum, collision)
			}
			if digest, collision := api.sum(f.Data); digest != f.Mitigated || collision != f.Attacked() {
				t.Errorf("%s, %s: Sum %x, %v", api.name, f.Name, digest, collision)
			}
			h.Reset()
			h.Write([]byte("abc"))
			if v := verdictOf(h); v != upstreamVerdict(sha1dc.Config{}, []byte("abc")) {
				t.Errorf("%s: %v after Reset", api.name, v)
			}
			if h.Size() != sha1cd.Size || h.BlockSize() != sha1cd.BlockSize {
				t.Errorf("%s: Size %d, BlockSize %d", api.name, h.Size(), h.BlockSize())
			}
		}
	}
}
