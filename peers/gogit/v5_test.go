package gogit

import (
	"crypto"
	"errors"
	"hash"
	"io"
	"testing"

	git5 "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	githash "github.com/go-git/go-git/v5/plumbing/hash"
	"github.com/go-git/go-git/v5/storage/memory"
	"github.com/pjbgf/sha1cd"
)

func TestV5(t *testing.T) {
	dir, urls := remote(t)
	if err := githash.RegisterHash(crypto.SHA1, counting); err != nil {
		t.Fatal(err)
	}
	defer githash.RegisterHash(crypto.SHA1, sha1cd.New)
	if h := githash.New(githash.CryptoType); !isOurs(h) {
		t.Errorf("hash.New returns a %T", h)
	}
	if h := plumbing.NewHasher(plumbing.BlobObject, 3); !isOurs(h.Hash) {
		t.Errorf("plumbing.NewHasher has a %T", h.Hash)
	}
	for name, url := range urls {
		created.Store(0)
		r, err := git5.PlainClone(t.TempDir(), true, &git5.CloneOptions{URL: url})
		if err != nil {
			t.Fatalf("%s: clone: %v", name, err)
		}
		if created.Load() == 0 {
			t.Errorf("%s: the clone does not use the hash", name)
		}
		commit(t, dir, 100)
		created.Store(0)
		if err := r.Fetch(&git5.FetchOptions{RefSpecs: []config.RefSpec{"+refs/heads/*:refs/heads/*"}}); err != nil {
			t.Fatalf("%s: fetch: %v", name, err)
		}
		if created.Load() == 0 {
			t.Errorf("%s: the fetch does not use the hash", name)
		}
		verify5(t, r, git(t, dir, "rev-parse", "HEAD"))
	}
}

// verify5 hashes all objects of a repository.
func verify5(t *testing.T, r *git5.Repository, head string) {
	ref, err := r.Reference("refs/heads/main", true)
	if err != nil || ref.Hash().String() != head {
		t.Errorf("head %v, error %v, want %s", ref, err, head)
	}
	objects, err := r.Storer.IterEncodedObjects(plumbing.AnyObject)
	if err != nil {
		t.Fatal(err)
	}
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
		if plumbing.ComputeHash(o.Type(), content) != o.Hash() {
			return errors.New("object " + o.Hash().String() + " has another hash")
		}
		return nil
	})
	if err != nil || n < 21*3 {
		t.Errorf("%d objects verified, error %v", n, err)
	}
}

func BenchmarkV5(b *testing.B) {
	benchmark(b, func(h func() hash.Hash) { githash.RegisterHash(crypto.SHA1, h) }, func(pack io.Reader) error {
		p, err := packfile.NewParserWithStorage(packfile.NewScanner(pack), memory.NewStorage())
		if err != nil {
			return err
		}
		_, err = p.Parse()
		return err
	})
}
