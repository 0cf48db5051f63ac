package asm

import "testing"

func TestCache(t *testing.T) {
	c := NewCache([]string{"a", "b", "c"}, [][]int{{1, 2}, {1, 3}, {2}, {1}})
	fill := func(key int, register string, want bool) {
		t.Helper()
		if r, fill := c.Value(key); r != register || fill != want {
			t.Errorf("value %d: %s, to be filled %v, want %s, %v", key, r, fill, register, want)
		}
	}
	fill(1, "a", true)
	fill(2, "b", true)
	c.Done(0)
	fill(1, "a", false)
	fill(3, "c", true)
	// There is no free register: value 1 is used for the longest time.
	if r := c.Take(); r != "a" {
		t.Errorf("%s taken, want a", r)
	}
	if _, ok := c.Held(1); ok {
		t.Error("value 1 held without a register")
	}
	c.Return("a")
	c.Done(1)
	if _, ok := c.Held(3); ok {
		t.Error("value 3 held behind its last use")
	}
	fill(2, "b", false)
	fill(1, "a", true)
	if r := c.Take(); r != "c" {
		t.Errorf("%s taken, want c", r)
	}
}
