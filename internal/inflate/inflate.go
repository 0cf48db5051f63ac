// Package inflate decodes DEFLATE streams (RFC 1951) that are in memory, to a
// length that is known, at about twice the speed of decoders that take their
// input byte by byte. It says nothing about what it cannot decode: a general
// decoder does.
package inflate

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// Slack is the capacity beyond the output, and the number of bytes after the
// stream in the input, with which the decoder is fastest. What is written there
// means nothing.
const Slack = most + mostInput

// Decode decodes the stream at the start of src, which must give len(dst)
// bytes, and returns the number of bytes of src that it takes. ok is false if
// the stream is damaged, of another length or not all there, and for rare
// streams that are valid. dst has been written to then. The capacity of dst
// beyond its length is used if it is there.
func (d *Decoder) Decode(dst, src []byte) (n int, ok bool) {
	d.reader = reader{src: src}
	size := len(dst)
	dst = dst[:cap(dst)]
	at := 0
	for final := false; !final; {
		d.refill()
		final = d.take(1) == 1
		switch d.take(2) {
		case 0:
			at, ok = d.stored(dst[:size], at)
		case 1:
			f := fixed()
			at, ok = d.block(&f.literals, &f.distances, dst, at, size)
		case 2:
			if ok = d.codes(); ok {
				at, ok = d.block(&d.literals, &d.distances, dst, at, size)
			}
		default:
			ok = false
		}
		if !ok {
			return 0, false
		}
	}
	n, ok = d.consumed()
	return n, ok && at == size
}

// A Decoder decodes streams one after the other. The zero value is ready to
// use.
type Decoder struct {
	reader
	literals  literalTable
	distances distanceTable
	lengths   [maxLiterals + maxDistances]uint8
}

// A reader reads bits. After the end of its input it reads zeros, and counts
// them.
type reader struct {
	src   []byte
	pos   int
	buf   uint64 // the bits that come next, lowest first
	count uint   // of the bits in buf, those that are accounted for
	past  int    // bytes read after the end
}

// refill makes sure that buf holds at least 56 bits.
func (r *reader) refill() {
	if r.pos+8 <= len(r.src) {
		r.buf |= binary.LittleEndian.Uint64(r.src[r.pos:]) << r.count
		r.pos += int(63-r.count) >> 3
		r.count |= 56
		return
	}
	for r.count <= 56 {
		if r.pos < len(r.src) {
			r.buf |= uint64(r.src[r.pos]) << r.count
			r.pos++
		} else {
			r.past++
		}
		r.count += 8
	}
}

// take returns the next n bits, which are in buf.
func (r *reader) take(n uint) uint {
	v := uint(r.buf & (1<<n - 1))
	r.buf >>= n
	r.count -= n
	return v
}

// consumed returns the number of bytes of which bits have been taken.
func (r *reader) consumed() (int, bool) {
	n := r.pos + r.past - int(r.count>>3)
	return n, n <= len(r.src)
}

// stored copies a block that is not compressed.
func (d *Decoder) stored(dst []byte, at int) (int, bool) {
	n, ok := d.consumed()
	if !ok || n+4 > len(d.src) {
		return 0, false
	}
	size := int(binary.LittleEndian.Uint16(d.src[n:]))
	if size != int(^binary.LittleEndian.Uint16(d.src[n+2:])) || size > len(dst)-at || size > len(d.src)-n-4 {
		return 0, false
	}
	copy(dst[at:], d.src[n+4:n+4+size])
	d.pos, d.buf, d.count, d.past = n+4+size, 0, 0, 0
	return at + size, true
}

// The alphabets (RFC 1951, section 3.2.5), and the longest codes.
const (
	maxLiterals  = 288
	maxDistances = 32
	maxLength    = 15
	endOfBlock   = 256
)

// An entry of a table says what the bits that index it stand for:
//
//	bits 0-7    number of bits to take, with the extra bits
//	bits 8-11   of these, the code itself; for a link, the bits of its index
//	bit 12      it is a link to a second table
//	bit 13      it ends the block
//	bit 15      it is a literal
//	bits 16-31  the literal, the least length or distance, or the second table
//
// The zero entry belongs to no code.
type entry uint32

const (
	link    entry = 1 << 12
	end     entry = 1 << 13
	literal entry = 1 << 15

	// reserved is a symbol that must not be used.
	reserved entry = 1 << 14
)

// Codes up to these lengths need no second table.
const (
	literalBits  = 10
	distanceBits = 8
	lengthBits   = 7
)

// The tables have room for one second table for every two codes.
type (
	literalTable  [1<<literalBits + maxLiterals/2<<(maxLength-literalBits)]entry
	distanceTable [1<<distanceBits + maxDistances/2<<(maxLength-distanceBits)]entry
)

// symbols are the entries of the alphabets without the code.
var literalSymbols, distanceSymbols, lengthSymbols = func() (l [maxLiterals]entry, d [maxDistances]entry, c [19]entry) {
	for n := range endOfBlock {
		l[n] = literal | entry(n)<<16
	}
	l[endOfBlock] = end
	base := 3
	for n := range 28 {
		extra := max(0, n/4-1)
		l[endOfBlock+1+n] = entry(base)<<16 | entry(extra)
		base += 1 << extra
	}
	l[285] = longestMatch << 16
	l[286], l[287] = reserved, reserved
	base = 1
	for n := range 30 {
		extra := max(0, n/2-1)
		d[n] = entry(base)<<16 | entry(extra)
		base += 1 << extra
	}
	d[30], d[31] = reserved, reserved
	for n := range c {
		c[n] = entry(n) << 16
	}
	return
}()

// build makes the table of a canonical code from the lengths of its codes, with
// codes of up to first bits in the first table. It reports false for a code
// that is not complete, but for a single code of one bit.
func build(table []entry, first int, lengths []uint8, symbols []entry) bool {
	var count, next [maxLength + 2]int
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	longest, code := 0, 0
	for n := 1; n <= maxLength; n++ {
		code = (code + count[n-1]) << 1
		next[n] = code
		if count[n] > 0 {
			longest = n
		}
	}
	clear(table[:1<<first])
	if next[maxLength]+count[maxLength] != 1<<maxLength && (longest != 1 || count[1] != 1) {
		return false
	}
	free := 1 << first
	for s, length := range lengths {
		if length == 0 {
			continue
		}
		n := int(length)
		code := int(bits.Reverse16(uint16(next[n])) >> (16 - n))
		next[n]++
		e := symbols[s]
		if e == reserved {
			e = 0
		} else {
			taken := n
			if n > first {
				taken -= first // the second table takes the rest
			}
			e += entry(taken)<<8 | entry(taken)
		}
		if n <= first {
			for ; code < 1<<first; code += 1 << n {
				table[code] = e
			}
			continue
		}
		// The second table: all have the size that the longest code asks for.
		at := &table[code&(1<<first-1)]
		wide := longest - first
		if *at == 0 {
			*at = link | entry(free)<<16 | entry(wide)<<8 | entry(first)
			clear(table[free : free+1<<wide])
			free += 1 << wide
		}
		second := table[*at>>16:][:1<<wide]
		for i := code >> first; i < 1<<wide; i += 1 << (n - first) {
			second[i] = e
		}
	}
	return true
}

// fixedTables are those of the fixed codes.
type fixedTables struct {
	literals  literalTable
	distances distanceTable
}

var fixed = sync.OnceValue(func() *fixedTables {
	f := &fixedTables{}
	var l [maxLiterals]uint8
	for n := range l {
		switch {
		case n < 144:
			l[n] = 8
		case n < 256:
			l[n] = 9
		case n < 280:
			l[n] = 7
		default:
			l[n] = 8
		}
	}
	build(f.literals[:], literalBits, l[:], literalSymbols[:])
	var d [maxDistances]uint8
	for n := range d {
		d[n] = 5
	}
	build(f.distances[:], distanceBits, d[:], distanceSymbols[:])
	return f
})

// lengthOrder is the order in which lengths of the codes for code lengths come.
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// codes reads the codes of a block (RFC 1951, section 3.2.7).
func (d *Decoder) codes() bool {
	literals := int(d.take(5)) + 257
	distances := int(d.take(5)) + 1
	count := int(d.take(4)) + 4
	var lengths [19]uint8
	for _, n := range lengthOrder[:count] {
		d.refill()
		lengths[n] = uint8(d.take(3))
	}
	var table [1 << lengthBits]entry
	if literals > 286 || distances > 30 || !build(table[:], lengthBits, lengths[:], lengthSymbols[:]) {
		return false
	}
	all := d.lengths[:literals+distances]
	for n := 0; n < len(all); {
		d.refill()
		e := table[d.buf&(1<<lengthBits-1)]
		if e == 0 {
			return false
		}
		d.take(uint(e & 0xff))
		symbol := uint8(e >> 16)
		if symbol < 16 {
			all[n] = symbol
			n++
			continue
		}
		value, repeat := uint8(0), 0
		switch symbol {
		case 16:
			if n == 0 {
				return false
			}
			value, repeat = all[n-1], 3+int(d.take(2))
		case 17:
			repeat = 3 + int(d.take(3))
		default:
			repeat = 11 + int(d.take(7))
		}
		if repeat > len(all)-n {
			return false
		}
		for range repeat {
			all[n] = value
			n++
		}
	}
	return all[endOfBlock] != 0 &&
		build(d.literals[:], literalBits, all[:literals], literalSymbols[:]) &&
		build(d.distances[:], distanceBits, all[literals:], distanceSymbols[:])
}

const (
	longestMatch = 258

	// copied is the number of bytes that matches are copied in, and written too
	// many at most.
	copied = 8

	// most is the most bytes that a step of the fast loop writes: three literals
	// and a match. It reads at most two words.
	most      = 3 + longestMatch + copied
	mostInput = 16
)

// block decodes a block to dst from at on. No more than size bytes of dst are
// output; the rest may be written to.
func (d *Decoder) block(literals *literalTable, distances *distanceTable, dst []byte, at, size int) (int, bool) {
	at, state := d.fast(literals, distances, dst, at)
	for state == more {
		if at > size {
			return 0, false
		}
		at, state = d.step(literals, distances, dst[:size], at)
	}
	return at, state == done && at <= size
}

// What became of a block.
type blockState int

const (
	more   blockState = iota // it goes on
	done                     // its end was read
	broken                   // it is damaged
)

// fast decodes a block as far as neither the end of the input nor that of dst
// is near.
func (d *Decoder) fast(literals *literalTable, distances *distanceTable, dst []byte, at int) (int, blockState) {
	src, pos, buf, count := d.src, d.pos, d.buf, d.count
	state := more
	for pos+mostInput <= len(src) && at+most <= len(dst) {
		buf |= binary.LittleEndian.Uint64(src[pos:]) << (count & 63)
		pos += int(63-count) >> 3
		count |= 56

		e := literals[buf&(1<<literalBits-1)]
		if e&literal != 0 {
			// Three literals of the first table are at most 30 bits.
			out := dst[at : at+3 : at+3]
			buf >>= e & 63
			count -= uint(e & 63)
			out[0] = byte(e >> 16)
			e = literals[buf&(1<<literalBits-1)]
			if e&literal == 0 {
				at++
			} else {
				buf >>= e & 63
				count -= uint(e & 63)
				out[1] = byte(e >> 16)
				e = literals[buf&(1<<literalBits-1)]
				if e&literal == 0 {
					at += 2
				} else {
					buf >>= e & 63
					count -= uint(e & 63)
					out[2] = byte(e >> 16)
					at += 3
					continue
				}
			}
			buf |= binary.LittleEndian.Uint64(src[pos:]) << (count & 63)
			pos += int(63-count) >> 3
			count |= 56
		}
		if e&link != 0 {
			buf >>= literalBits
			count -= literalBits
			e = literals[int(e>>16)+int(buf&(1<<(e>>8&15)-1))]
		}
		extra := buf & (1<<(e&63) - 1) >> (e >> 8 & 15)
		buf >>= e & 63
		count -= uint(e & 63)
		if e&(literal|end) != 0 || e == 0 {
			if e&literal == 0 {
				state = broken
				if e != 0 {
					state = done
				}
				break
			}
			dst[at] = byte(e >> 16)
			at++
			continue
		}
		length := int(e>>16) + int(extra)

		// A length takes at most 20 bits, a distance 28.
		e = distances[buf&(1<<distanceBits-1)]
		if e&link != 0 {
			buf >>= distanceBits
			count -= distanceBits
			e = distances[int(e>>16)+int(buf&(1<<(e>>8&15)-1))]
		}
		distance := int(e>>16) + int(buf&(1<<(e&63)-1)>>(e>>8&15))
		buf >>= e & 63
		count -= uint(e & 63)
		if e == 0 || distance > at {
			state = broken
			break
		}
		match(dst[at-distance:at+longestMatch+copied], distance, length)
		at += length
	}
	d.pos, d.buf, d.count = pos, buf, count
	return at, state
}

// step decodes a literal, a match or the end of the block, as fast does.
func (d *Decoder) step(literals *literalTable, distances *distanceTable, dst []byte, at int) (int, blockState) {
	d.refill()
	e, extra := d.symbol(literals[:], literalBits)
	switch {
	case e == 0 || d.past > 8:
		return 0, broken
	case e&end != 0:
		return at, done
	case at >= len(dst):
		return 0, broken
	case e&literal != 0:
		dst[at] = byte(e >> 16)
		return at + 1, more
	}
	length := int(e>>16) + extra
	e, extra = d.symbol(distances[:], distanceBits)
	distance := int(e>>16) + extra
	if e == 0 || distance > at || length > len(dst)-at {
		return 0, broken
	}
	for n := range length {
		dst[at+n] = dst[at+n-distance]
	}
	return at + length, more
}

// symbol reads a symbol and its extra bits.
func (d *Decoder) symbol(table []entry, first uint) (e entry, extra int) {
	e = table[d.buf&(1<<first-1)]
	if e&link != 0 {
		d.take(first)
		e = table[int(e>>16)+int(d.buf&(1<<(e>>8&15)-1))]
	}
	code := uint(e >> 8 & 15)
	d.take(code)
	return e, int(d.take(uint(e&63) - code))
}

// match copies length bytes within p to distance from its start. It may write
// some bytes more.
func match(p []byte, distance, length int) {
	q := p[distance:]
	switch {
	case distance >= copied:
		for n := 0; n < length; n += copied {
			binary.LittleEndian.PutUint64(q[n:], binary.LittleEndian.Uint64(p[n:]))
		}
	case distance == 1:
		v := uint64(p[0]) * 0x0101010101010101
		for n := 0; n < length; n += copied {
			binary.LittleEndian.PutUint64(q[n:], v)
		}
	default:
		for n := range length {
			q[n] = p[n]
		}
	}
}
