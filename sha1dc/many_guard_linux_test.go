package sha1dc

import (
	"os"
	"testing"
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
