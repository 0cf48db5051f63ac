package corpus

import (
	"fmt"
	"math/rand/v2"
)

// window returns the block of a file that starts at a multiple of 64 bytes
// chosen at random. The file is filled up with zeros.
func window(rng *rand.Rand, file []byte) Block {
	var p [64]byte
	copy(p[:], file[64*rng.IntN((len(file)+63)/64):])
	return words(&p)
}

// tarHeader has a block of the 512 bytes that precede a file in a tar archive,
// but for those that are all zeros.
func tarHeader(rng *rand.Rand) Block {
	name := fmt.Sprintf("%s/%s.%s", name(rng), name(rng), name(rng)[:1])
	h := make([]byte, 0, 320)
	h = append(h, name...)
	h = h[:100]
	h = fmt.Appendf(h, "%07o\x00%07o\x00%07o\x00%011o\x00%011o\x00%06o\x00 0",
		0o644, 1000, 1000, rng.IntN(1<<20), 0o14000000000+rng.IntN(1<<28), 4000+rng.IntN(4000))
	h = append(h, make([]byte, 257-len(h))...)
	h = fmt.Appendf(h, "ustar\x0000%s", name[:4])
	return window(rng, h)
}

// gitTree has a block of a git tree: modes, names and identifiers.
func gitTree(rng *rand.Rand) Block {
	var body []byte
	for range 12 {
		body = fmt.Appendf(body, "100644 %s\x00", name(rng))
		for range 20 {
			body = append(body, byte(rng.Uint32()))
		}
	}
	return window(rng, append(fmt.Appendf(nil, "tree %d\x00", len(body)), body...)[:384])
}

// gitCommit has the first block of a git commit.
func gitCommit(rng *rand.Rand) Block {
	var p [64]byte
	copy(p[:], fmt.Appendf(nil, "commit %d\x00tree %016x%016x%08x\nparent ", 180+rng.IntN(800), rng.Uint64(), rng.Uint64(), rng.Uint32()))
	return words(&p)
}

// crossReferences has a block of the table at the end of a PDF document.
func crossReferences(rng *rand.Rand) Block {
	var table []byte
	at := 0
	for range 32 {
		at += rng.IntN(5000)
		table = fmt.Appendf(table, "%010d 00000 n \n", at)
	}
	return window(rng, table)
}

// name returns a lower-case name.
func name(rng *rand.Rand) string {
	out := make([]byte, 4+rng.IntN(8))
	for n := range out {
		out[n] = letters[rng.IntN(len(letters))]
	}
	return string(out)
}
