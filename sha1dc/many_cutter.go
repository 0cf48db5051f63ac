package sha1dc

// longestRun is the most bytes that are taken from a message at once, so that
// who waits for a long one can change his mind.
const longestRun = 1 << 20

// runBuffer has room for what of a message cannot be hashed where it is.
type runBuffer [joined + padding]byte

// cutter cuts a message into runs of whole blocks. A run is part of a piece, or
// a copy of blocks that reach over the ends of pieces; the last one has the
// padding.
type cutter struct {
	pieces [][]byte // not yet begun
	piece  []byte   // what is left of the one begun
	length uint64   // of the message
	left   uint64   // bytes not yet in a run
	offset uint64   // of the last run cut
	size   int      // of the last run cut
	padded bool     // it has the padding
}

// start begins a message.
func (c *cutter) start(pieces [][]byte) {
	n := length(pieces)
	*c = cutter{pieces: pieces, length: n, left: n}
	if len(pieces) > 0 {
		c.piece, c.pieces = pieces[0], pieces[1:]
	}
}

// next returns the next run, or nil after the last. A run is valid until buf is
// used again.
func (c *cutter) next(buf *runBuffer) []byte {
	if c.padded {
		return nil
	}
	c.offset = c.length - c.left
	var run []byte
	if c.left > joined {
		run = c.whole(buf)
		c.left -= uint64(len(run))
	} else {
		n := int(c.left)
		run = buf[:(n+padding+BlockSize-1)&^(BlockSize-1)]
		c.copy(run[:n])
		clear(run[n:])
		pad(run, run[:n], c.length)
		c.left, c.padded = 0, true
	}
	c.size = len(run)
	return run
}

// whole returns the next run of a message of which more than joined bytes are
// left.
func (c *cutter) whole(buf *runBuffer) []byte {
	for len(c.piece) == 0 {
		c.piece, c.pieces = c.pieces[0], c.pieces[1:]
	}
	if n := min(len(c.piece)&^(BlockSize-1), longestRun); n > 0 {
		run := c.piece[:n]
		c.piece = c.piece[n:]
		return run
	}
	// Go on to the end of a block in a piece that has more of them.
	n := BlockSize
	c.copy(buf[:n])
	for len(c.piece) < BlockSize && n+BlockSize <= joined {
		c.copy(buf[n : n+BlockSize])
		n += BlockSize
	}
	return buf[:n]
}

// copy fills p from the pieces.
func (c *cutter) copy(p []byte) {
	for {
		n := copy(p, c.piece)
		c.piece = c.piece[n:]
		if p = p[n:]; len(p) == 0 {
			return
		}
		c.piece, c.pieces = c.pieces[0], c.pieces[1:]
	}
}

// finish adds run, which is what is left of the last run cut, and all that
// come after it to s. It ends early if stop is closed.
func (c *cutter) finish(s *state, cfg Config, run []byte, stop <-chan struct{}) {
	var buf runBuffer
	for {
		s.blocks(cfg, run, c.offset+uint64(c.size-len(run)))
		if run = c.next(&buf); run == nil || stopped(stop) {
			return
		}
	}
}
