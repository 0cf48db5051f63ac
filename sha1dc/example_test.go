package sha1dc_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"

	"github.com/sha1dc/go/internal/vectors"
	"github.com/sha1dc/go/sha1dc"
)

// shattered returns the head of one of the two SHAttered files.
func shattered() []byte { return vectors.All()[0].Data }

func ExampleSum() {
	digest, collision := sha1dc.Sum([]byte("abc"))
	fmt.Printf("%x %v\n", digest, collision)

	digest, collision = sha1dc.Sum(shattered())
	fmt.Printf("%x %v\n", digest, collision)
	// Output:
	// a9993e364706816aba3e25717850c26c9cd0d89d false
	// 7117b3cb9225aaf0d8ef1a40e493957b0bf8693d true
}

func ExampleConfig_Sum() {
	c := sha1dc.Config{Mode: sha1dc.DetectOnly}
	digest, err := c.Sum(shattered())
	fmt.Printf("%x\n", digest)
	var attack *sha1dc.CollisionError
	if errors.As(err, &attack) {
		fmt.Printf("attack with %v in the block at byte %d\n", attack.DV, attack.Offset)
	}
	// Output:
	// f92d74e3874587aaf443d1db961d4e26dde13e9c
	// attack with II(52,0) in the block at byte 256
}

func ExampleSumMany() {
	for _, r := range sha1dc.SumMany(nil, [][]byte{[]byte("abc"), shattered()}) {
		fmt.Printf("%x %v\n", r.Digest, r.Err != nil)
	}
	// Output:
	// a9993e364706816aba3e25717850c26c9cd0d89d false
	// 7117b3cb9225aaf0d8ef1a40e493957b0bf8693d true
}

// Objects as git names them: the hash is of a header and the content.
func ExampleBatch_SumPieces() {
	var objects [][][]byte
	for _, content := range []string{"", "hello\n"} {
		header := fmt.Sprintf("blob %d\x00", len(content))
		objects = append(objects, [][]byte{[]byte(header), []byte(content)})
	}
	b := sha1dc.Config{Mode: sha1dc.DetectOnly}.NewBatch()
	for _, r := range b.SumPieces(nil, objects) {
		fmt.Printf("%x\n", r.Digest)
	}
	// Output:
	// e69de29bb2d1d6434b8b29ae775ad8c2e48c5391
	// ce013625030ba8dba906f756967f9e9ca394464a
}

func ExampleSumSeq() {
	words := func(yield func(string, [][]byte) bool) {
		for _, w := range []string{"a", "b", "c"} {
			if !yield(w, [][]byte{[]byte(w)}) {
				return
			}
		}
	}
	ctx := context.Background()
	for word, r := range sha1dc.SumSeq(ctx, sha1dc.Config{}, words) {
		fmt.Printf("%s %x\n", word, r.Digest[:4])
	}
	if err := ctx.Err(); err != nil {
		fmt.Println("results are missing:", err)
	}
	// Output:
	// a 86f7e437
	// b e9d71f5e
	// c 84a51684
}

func ExampleSumChan() {
	in, out := make(chan sha1dc.Message[string], 64), make(chan sha1dc.Summed[string], 64)
	go func() {
		defer close(in)
		for _, w := range []string{"a", "b", "c"} {
			in <- sha1dc.Message[string]{Key: w, Pieces: [][]byte{[]byte(w)}}
		}
	}()
	go func() {
		defer close(out)
		if err := sha1dc.SumChan(context.Background(), sha1dc.Config{}, in, out); err != nil {
			fmt.Println("results are missing:", err)
		}
	}()
	for r := range out {
		fmt.Printf("%s %x\n", r.Key, r.Digest[:4])
	}
	// Output:
	// a 86f7e437
	// b e9d71f5e
	// c 84a51684
}

func ExampleNew() {
	h := sha1dc.New()
	io.Copy(h, strings.NewReader("abc"))
	fmt.Println(hex.EncodeToString(h.Sum(nil)))
	// Output: a9993e364706816aba3e25717850c26c9cd0d89d
}

// A service can refuse to start on a processor, or an emulation of one, that
// does not run the package as it should.
func ExampleSelfTest() {
	if err := sha1dc.SelfTest(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("pure Go among the backends:", slices.Contains(sha1dc.Backends(), "generic"))
	// Output: pure Go among the backends: true
}

// One pass gives both digests of an attacked message: the one that others know
// it by, and one that tells it from its twin.
func ExampleDigest_Err() {
	d := sha1dc.Config{}.New()
	io.Copy(d, strings.NewReader(string(shattered())))
	var attack *sha1dc.CollisionError
	if errors.As(d.Err(), &attack) {
		fmt.Printf("SHA-1     %x\nmitigated %x\n", attack.Plain, attack.Mitigated)
	}
	// Output:
	// SHA-1     f92d74e3874587aaf443d1db961d4e26dde13e9c
	// mitigated 7117b3cb9225aaf0d8ef1a40e493957b0bf8693d
}

func ExampleCollisionResistantHash() {
	var h sha1dc.CollisionResistantHash = sha1dc.Config{}.New()
	h.Write(shattered())
	digest, collision := h.CollisionResistantSum(nil)
	fmt.Printf("%x %v\n", digest, collision)
	// Output: 7117b3cb9225aaf0d8ef1a40e493957b0bf8693d true
}
