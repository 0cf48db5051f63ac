package sha1dc

import (
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
)

// Messages and pieces begin where memory begins and end where it ends. Reading
// one byte too much, or writing, ends the test program.
func TestManyGuardPages(t *testing.T) {
	data := random(max(os.Getpagesize(), 4096), 116)
	p := guarded(t, data)
	stride := 3 // every length modulo 64
	if testing.Short() {
		stride = 29
	}
	forSuited(t, func(t *testing.T) {
		b := Config{}.NewBatch()
		for n := 0; n <= 1100; n += stride {
			var msgs [][]byte
			for range 17 {
				msgs = append(msgs, p[:n], p[len(p)-n:])
			}
			expectMany(t, Config{}, msgs, b.Sum(nil, msgs)) // as groups
			for i := range msgs {
				if i%3 == 0 {
					msgs[i] = p[len(p)-(n*7+i*64)%len(p):]
				}
			}
			expectMany(t, Config{}, msgs, b.Sum(nil, msgs))
			var pieces [][][]byte
			for _, m := range msgs {
				pieces = append(pieces, [][]byte{m[:n%(len(m)+1)], m[n%(len(m)+1):], p[:0], p[len(p):]})
			}
			expectMany(t, Config{}, msgs, b.SumPieces(nil, pieces))
		}
	})
}

// A fault while attacked messages are hashed alone, from which the caller
// recovers, must leave nothing behind in the Batch.
func TestBatchAfterFault(t *testing.T) {
	const readable = 8 * BlockSize
	table := dvs.Published()
	rng := rand.New(rand.NewPCG(117, 118))
	setDM(t, 0, [steps]uint32{})
	data := make([]byte, max(os.Getpagesize(), 4096))
	for n := 0; n < len(data); n += BlockSize {
		copy(data[n:], craft.Bytes(craft.Passing(table, 0, rng)))
	}
	p := guarded(t, data)
	attacked := p[len(p)-readable:]
	faulty := unsafe.Slice(&attacked[0], 2*readable)
	others := lengths(rng, random(1<<14, 119), rng.Perm(20)...)
	forSuited(t, func(t *testing.T) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		b := Config{}.NewBatch()
		for count := 17; count < 80; count++ {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("no fault")
					}
				}()
				b.Sum(nil, append(slices.Repeat([][]byte{attacked}, count), faulty))
			}()
			expectMany(t, Config{}, others, b.Sum(nil, others))
		}
	})
}
