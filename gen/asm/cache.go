package asm

import "slices"

// Cache keeps values in registers for as long as there are registers and uses to
// come. Values have keys, and are used in steps.
type Cache[Register any] struct {
	free []Register
	keys []int // of the values held
	held map[int]Register
	last map[int]int // step of the last use of a value
}

// NewCache returns a cache in the registers free. uses holds the keys of the
// values that each step uses.
func NewCache[Register any](free []Register, uses [][]int) *Cache[Register] {
	c := &Cache[Register]{free: slices.Clone(free), held: make(map[int]Register), last: make(map[int]int)}
	for step, keys := range uses {
		for _, key := range keys {
			c.last[key] = step
		}
	}
	return c
}

// Take returns a register for an intermediate value, dropping at need the value
// that is used for the longest time.
func (c *Cache[Register]) Take() Register {
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
func (c *Cache[Register]) Return(r Register) { c.free = append(c.free, r) }

// Value returns the register of a value, and whether the caller must fill it.
func (c *Cache[Register]) Value(key int) (r Register, fill bool) {
	if r, ok := c.held[key]; ok {
		return r, false
	}
	r = c.Take()
	c.held[key] = r
	c.keys = append(c.keys, key)
	return r, true
}

// Done gives back the registers of the values that no step after this one uses.
func (c *Cache[Register]) Done(step int) {
	for _, key := range slices.Clone(c.keys) {
		if c.last[key] <= step {
			c.release(key)
		}
	}
}

func (c *Cache[Register]) release(key int) {
	c.free = append(c.free, c.held[key])
	delete(c.held, key)
	c.keys = slices.DeleteFunc(c.keys, func(k int) bool { return k == key })
}
