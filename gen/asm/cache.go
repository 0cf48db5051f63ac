package asm

import "slices"

// Cache keeps values in registers for as long as there are registers and uses to
// come. Values have keys, and are used in steps.
type Cache[Key comparable, Register any] struct {
	free []Register
	keys []Key // of the values held
	held map[Key]Register
	last map[Key]int // step of the last use of a value
}

// NewCache returns a cache in the registers free. uses holds the keys of the
// values that each step uses.
func NewCache[Key comparable, Register any](free []Register, uses [][]Key) *Cache[Key, Register] {
	c := &Cache[Key, Register]{free: slices.Clone(free), held: make(map[Key]Register), last: make(map[Key]int)}
	for step, keys := range uses {
		for _, key := range keys {
			c.last[key] = step
		}
	}
	return c
}

// Take returns a register for an intermediate value, dropping at need the value
// that is used for the longest time.
func (c *Cache[Key, Register]) Take() Register {
	if len(c.free) == 0 {
		victim := c.keys[0]
		for _, key := range c.keys[1:] {
			if c.last[key] > c.last[victim] {
				victim = key
			}
		}
		c.release(victim)
	}
	r := c.free[0]
	c.free = c.free[1:]
	return r
}

// Return gives back a register that Take returned.
func (c *Cache[Key, Register]) Return(r Register) { c.free = append(c.free, r) }

// Held returns the register of a value if it has one.
func (c *Cache[Key, Register]) Held(key Key) (r Register, ok bool) {
	r, ok = c.held[key]
	return r, ok
}

// Value returns the register of a value, and whether the caller must fill it.
func (c *Cache[Key, Register]) Value(key Key) (r Register, fill bool) {
	if r, ok := c.held[key]; ok {
		return r, false
	}
	r = c.Take()
	c.held[key] = r
	c.keys = append(c.keys, key)
	return r, true
}

// Done gives back the registers of the values that no step after this one uses.
func (c *Cache[Key, Register]) Done(step int) {
	for _, key := range slices.Clone(c.keys) {
		if c.last[key] <= step {
			c.release(key)
		}
	}
}

func (c *Cache[Key, Register]) release(key Key) {
	c.free = append(c.free, c.held[key])
	delete(c.held, key)
	c.keys = slices.DeleteFunc(c.keys, func(k Key) bool { return k == key })
}
