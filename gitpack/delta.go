package gitpack

import "encoding/binary"

// shortestDelta is the length below which git takes no delta.
const shortestDelta = 4

// A delta makes an object from its base (gitformat-pack, "Deltified
// representation").
type delta struct {
	base, result uint64 // sizes
	ops          []byte // instructions
}

// parseDelta reads the sizes at the start of a delta.
func parseDelta(p []byte) (d delta, err error) {
	if len(p) < shortestDelta {
		return d, ErrDeltaHeader
	}
	var n, m int
	if d.base, n = binary.Uvarint(p); n <= 0 {
		return d, ErrDeltaHeader
	}
	if d.result, m = binary.Uvarint(p[n:]); m <= 0 {
		return d, ErrDeltaHeader
	}
	d.ops = p[n+m:]
	return d, nil
}

// copyOp decodes the arguments of a copy instruction, whose first byte is op.
// ok is false if they are not all there.
func copyOp(op byte, p []byte) (from, size uint64, rest []byte, ok bool) {
	for n := range 4 {
		if op>>n&1 != 0 {
			if len(p) == 0 {
				return 0, 0, nil, false
			}
			from |= uint64(p[0]) << (8 * n)
			p = p[1:]
		}
	}
	for n := range 3 {
		if op>>(4+n)&1 != 0 {
			if len(p) == 0 {
				return 0, 0, nil, false
			}
			size |= uint64(p[0]) << (8 * n)
			p = p[1:]
		}
	}
	if size == 0 {
		size = 0x10000
	}
	return from, size, p, true
}

// check returns what is wrong with the delta for a base of some size. What it
// accepts can be applied, so nothing need be allocated before.
func (d delta) check(baseSize uint64) error {
	if d.base != baseSize {
		return ErrDeltaBaseSize
	}
	left, p := d.result, d.ops
	for len(p) > 0 {
		op := p[0]
		p = p[1:]
		size := uint64(op)
		switch {
		case op == 0:
			return ErrDeltaOpcode
		case op&0x80 != 0:
			var from uint64
			var ok bool
			if from, size, p, ok = copyOp(op, p); !ok {
				return ErrDeltaEnd
			}
			if from+size > baseSize {
				return ErrDeltaCopy
			}
		case len(p) < int(size):
			return ErrDeltaEnd
		default:
			p = p[size:]
		}
		if size > left {
			return ErrDeltaResult
		}
		left -= size
	}
	if left != 0 {
		return ErrDeltaResult
	}
	return nil
}

// apply makes the object of a checked delta in dst, which has its size.
func (d delta) apply(dst, base []byte) {
	p := d.ops
	for len(p) > 0 {
		op := p[0]
		p = p[1:]
		if op&0x80 == 0 {
			copy(dst, p[:op])
			p, dst = p[op:], dst[op:]
			continue
		}
		from, size, rest, _ := copyOp(op, p)
		copy(dst, base[from:from+size])
		p, dst = rest, dst[size:]
	}
}
