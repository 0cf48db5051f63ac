package gogit

import (
	"crypto"
	"errors"
	"hash"
	"io"
	"reflect"
	"testing"

	git6 "github.com/go-git/go-git/v6"
	"github.com/go-git/go-git/v6/config"
	"github.com/go-git/go-git/v6/plumbing"
	format "github.com/go-git/go-git/v6/plumbing/format/config"
	"github.com/go-git/go-git/v6/plumbing/format/packfile"
	githash "github.com/go-git/go-git/v6/plumbing/hash"
	"github.com/go-git/go-git/v6/storage/memory"
	"github.com/pjbgf/sha1cd"

	"github.com/sha1dc/go/sha1dc"
)

func TestV6(t *testing.T) {
	dir, urls := remote(t)
	if err := githash.RegisterHash(crypto.SHA1, counting); err != nil {
		t.Fatal(err)
	}
	defer githash.RegisterHash(crypto.SHA1, sha1cd.New)
	if h := githash.New(crypto.SHA1); !isOurs(h) {
		t.Errorf("hash.New returns a %T", h)
	}
	if h, err := githash.FromObjectFormat(format.SHA1); err != nil || !isOurs(h) {
		t.Errorf("hash.FromObjectFormat returns a %T, error %v", h, err)
	}
	if h := plumbing.NewHasher(format.SHA1, plumbing.BlobObject, 3); !isOurs(h.Hash) {
		t.Errorf("plumbing.NewHasher has a %T", h.Hash)
	}
	// The hash of an ObjectHasher shows only in its type.
	if got := reflect.ValueOf(plumbing.FromObjectFormat(format.SHA1)).Elem().FieldByName("hasher").Elem().Type(); got != reflect.TypeFor[*sha1dc.Digest]() {
		t.Errorf("plumbing.FromObjectFormat has a %v", got)
	}
	for name, url := range urls {
		created.Store(0)
		r, err := git6.PlainClone(t.TempDir(), &git6.CloneOptions{URL: url, Bare: true})
		if err != nil {
			t.Fatalf("%s: clone: %v", name, err)
		}
		if created.Load() == 0 {
			t.Errorf("%s: the clone does not use the hash", name)
		}
		commit(t, dir, 100)
		created.Store(0)
		if err := r.Fetch(&git6.FetchOptions{RefSpecs: []config.RefSpec{"+refs/heads/*:refs/heads/*"}}); err != nil {
			t.Fatalf("%s: fetch: %v", name, err)
		}
		if created.Load() == 0 {
			t.Errorf("%s: the fetch does not use the hash", name)
		}
		verify6(t, r, git(t, dir, "rev-parse", "HEAD"))
	}
}

// verify6 hashes all objects of a repository.
func verify6(t *testing.T, r *git6.Repository, head string) {
	ref, err := r.Reference("refs/heads/main", true)
	if err != nil || ref.Hash().String() != head {
		t.Errorf("head %v, error %v, want %s", ref, err, head)
	}
	objects, err := r.Storer.IterEncodedObjects(plumbing.AnyObject)
	if err != nil {
		t.Fatal(err)
	}
	hasher := plumbing.FromObjectFormat(format.SHA1)
	n := 0
	err = objects.ForEach(func(o plumbing.EncodedObject) error {
		n++
		in, err := o.Reader()
		if err != nil {
			return err
		}
		defer in.Close()
		content, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		if id, err := hasher.Compute(o.Type(), content); err != nil || id.Compare(o.Hash().Bytes()) != 0 {
			return errors.New("object " + o.Hash().String() + " has another hash")
		}
		return nil
	})
	if err != nil || n < 21*3 {
		t.Errorf("%d objects verified, error %v", n, err)
	}
}

func BenchmarkV6(b *testing.B) {
	benchmark(b, func(h func() hash.Hash) { githash.RegisterHash(crypto.SHA1, h) }, func(pack io.Reader) error {
		_, err := packfile.NewParser(pack, packfile.WithStorage(memory.NewStorage())).Parse()
		return err
	})
}
