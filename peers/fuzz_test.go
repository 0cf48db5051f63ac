package peers

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/sha1dc/go/internal/craft"
	"github.com/sha1dc/go/internal/dvs"
)

// FuzzDigest hashes data whole and in pieces that seed chooses, in the
// configuration with index config.
func FuzzDigest(f *testing.F) {
	add := func(data []byte) {
		for c := range configs {
			f.Add(data, uint64(len(data)), byte(c))
		}
	}
	for _, p := range published {
		add(p.Data)
		add(append(bytes.Clone(p.Data), p.Data...))
	}
	for _, n := range []int{0, 55, 56, 63, 64, 65, 119, 120, 128, 1000} {
		add(make([]byte, n))
		add(randomBytes(newRand(30), n))
	}
	rng := newRand(31)
	for dv := range dvs.Count {
		add(craft.Bytes(craft.Passing(table, dv, rng)))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, config byte) {
		agreeDefault(t, "input", data)
		checkSplits(t, configs[int(config)%len(configs)], data, newRand(seed))
	})
}

// FuzzMask reads words as big-endian bytes: up to 16 are expanded, more are
// filtered as they stand.
func FuzzMask(f *testing.F) {
	for _, p := range published {
		for msg := p.Data; len(msg) >= 64; msg = msg[64:] {
			f.Add(bytes.Clone(msg[:64]))
		}
	}
	rng := newRand(32)
	for dv := range dvs.Count {
		block := craft.Passing(table, dv, rng)
		f.Add(craft.Bytes(block))
		var words []byte
		for _, w := range dvs.Expand(block) {
			words = binary.BigEndian.AppendUint32(words, w)
		}
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var text [4 * dvs.Steps]byte
		n := copy(text[:], data)
		var w [dvs.Steps]uint32
		for i := range w {
			w[i] = binary.BigEndian.Uint32(text[4*i:])
		}
		if n <= 64 {
			w = dvs.Expand([16]uint32(w[:16]))
		}
		agreeOnMask(t, "input", &w)
	})
}

// FuzzCrafted builds a message by a recipe, a byte a part: what a fuzzer would
// not find are blocks that pass the filter.
func FuzzCrafted(f *testing.F) {
	for dv := range dvs.Count {
		f.Add([]byte{byte(dv), byte(dv) | 1<<5, byte(dv) | 2<<5}, uint64(dv), byte(dv))
	}
	for n := range published {
		f.Add([]byte{byte(n) | 7<<5, 3 << 5, 0}, uint64(n), byte(n))
	}
	f.Fuzz(func(t *testing.T, recipe []byte, seed uint64, config byte) {
		rng := newRand(seed)
		var msg []byte
		for _, part := range recipe[:min(len(recipe), 100)] {
			n := int(part % 32)
			switch part / 32 {
			case 0, 1:
				msg = append(msg, craft.Bytes(craft.Passing(table, n, rng))...)
			case 2:
				edges := craft.Conditions(table, n)
				msg = append(msg, craft.Bytes(craft.NearMiss(table, n, rng.IntN(len(edges)), rng))...)
			case 3:
				msg = append(msg, craft.Bytes(crowded(rng))...)
			case 4:
				msg = append(msg, randomBytes(rng, n)...)
			case 5:
				msg = append(msg, randomBytes(rng, 64*n)...)
			default:
				msg = append(msg, published[n%len(published)].Data...)
			}
		}
		agreeDefault(t, "message", msg)
		checkSplits(t, configs[int(config)%len(configs)], msg, rng)
	})
}

// FuzzState goes on from any saved state.
func FuzzState(f *testing.F) {
	for _, length := range bigLengths {
		f.Add(bytes.Repeat([]byte{1}, 84), length, []byte("tail"), byte(0))
		f.Add(bytes.Repeat([]byte{2}, 84), length+57, make([]byte, 130), byte(length%8))
	}
	f.Fuzz(func(t *testing.T, state []byte, length uint64, tail []byte, config byte) {
		m := midway{length: length}
		var words [20]byte
		n := copy(words[:], state)
		copy(m.x[:], state[n:])
		for i := range m.h {
			m.h[i] = binary.BigEndian.Uint32(words[4*i:])
		}
		agreeFrom(t, m, configs[int(config)%len(configs)], tail)
	})
}
