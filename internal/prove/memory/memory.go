// Package memory is the memory that code under proof can reach: a few regions
// at chosen addresses. Everything else is out of bounds.
package memory

import (
	"fmt"
	"slices"

	"github.com/sha1dc/go/internal/prove/symbolic"
)

// Memory is a set of regions.
type Memory struct {
	g       *symbolic.Graph
	regions []*region
}

type region struct {
	name     string
	base     uint64
	words    []symbolic.Word // zero: not yet read or written, so anything
	size     int             // bytes, which need not fill the last word
	writable bool
	shared   bool // with a copy
}

// New returns an empty memory.
func New(g *symbolic.Graph) *Memory { return &Memory{g: g} }

// Access says what code may do with a region.
type Access int

// The two kinds of access.
const (
	ReadOnly Access = iota
	ReadWrite
)

// Add adds a region of so many bytes at an address that is a multiple of four.
// Words not given may have any value.
func (m *Memory) Add(name string, base uint64, size int, access Access, words []symbolic.Word) {
	all := make([]symbolic.Word, (size+3)/4)
	copy(all, words)
	m.regions = append(m.regions, &region{name: name, base: base, words: all, size: size, writable: access == ReadWrite})
	slices.SortFunc(m.regions, func(a, b *region) int {
		if a.base < b.base {
			return -1
		}
		return 1
	})
}

// AddBytes adds a region that cannot be written, with the given bytes.
func (m *Memory) AddBytes(name string, base uint64, content []byte) {
	words := make([]symbolic.Word, (len(content)+3)/4)
	for n := range words {
		var v uint32
		for i, b := range content[4*n : min(4*n+4, len(content))] {
			v |= uint32(b) << (8 * i)
		}
		words[n] = m.g.Const(v)
	}
	m.Add(name, base, len(content), ReadOnly, words)
}

// Remove drops the region that starts at base.
func (m *Memory) Remove(base uint64) {
	m.regions = slices.DeleteFunc(m.regions, func(r *region) bool { return r.base == base })
}

// Clone returns a copy, which shares what neither writes.
func (m *Memory) Clone() *Memory {
	for _, r := range m.regions {
		r.shared = true
	}
	return &Memory{g: m.g, regions: slices.Clone(m.regions)}
}

// own returns the region at index n, for writing.
func (m *Memory) own(n int) *region {
	r := m.regions[n]
	if r.shared {
		c := *r
		c.words, c.shared = slices.Clone(r.words), false
		m.regions[n] = &c
		r = &c
	}
	return r
}

func (m *Memory) find(addr uint64, size int) (int, error) {
	for n, r := range m.regions {
		if addr >= r.base && addr+uint64(size) <= r.base+uint64(r.size) && addr+uint64(size) > addr {
			return n, nil
		}
		if addr < r.base+uint64(r.size) && addr+uint64(size) > r.base {
			return 0, fmt.Errorf("%d bytes at offset %d of %s, which has %d", size, int64(addr-r.base), r.name, r.size)
		}
	}
	return 0, fmt.Errorf("%d bytes at address %#x, where nothing may be accessed", size, addr)
}

// Load returns the four bytes at addr.
func (m *Memory) Load(addr uint64) (symbolic.Word, error) {
	if addr%4 != 0 {
		return m.loadUnaligned(addr)
	}
	n, err := m.find(addr, 4)
	if err != nil {
		return 0, err
	}
	at := (addr - m.regions[n].base) / 4
	if w := m.regions[n].words[at]; w != 0 {
		return w, nil
	}
	w := m.g.FreshWord()
	m.own(n).words[at] = w
	return w, nil
}

func (m *Memory) loadUnaligned(addr uint64) (symbolic.Word, error) {
	if _, err := m.find(addr, 4); err != nil {
		return 0, err
	}
	low, err := m.part(addr &^ 3)
	if err != nil {
		return 0, err
	}
	high, err := m.part(addr&^3 + 4)
	if err != nil {
		return 0, err
	}
	n := int(addr%4) * 8
	return m.g.OrWord(m.g.ShiftRight(low, n), m.g.ShiftLeft(high, 32-n)), nil
}

// part returns the aligned word at addr, of which some bytes may lie beyond the
// region's size.
func (m *Memory) part(addr uint64) (symbolic.Word, error) {
	n, err := m.find(addr, 1)
	if err != nil {
		if n, err = m.find(addr+3, 1); err != nil {
			return 0, err
		}
	}
	r := m.regions[n]
	at := (addr - r.base) / 4
	if r.words[at] == 0 {
		r = m.own(n)
		r.words[at] = m.g.FreshWord()
	}
	return r.words[at], nil
}

// LoadByte returns the byte at addr in a word's lowest bits.
func (m *Memory) LoadByte(addr uint64) (symbolic.Word, error) {
	if _, err := m.find(addr, 1); err != nil {
		return 0, err
	}
	w, err := m.part(addr &^ 3)
	if err != nil {
		return 0, err
	}
	return m.g.AndWord(m.g.ShiftRight(w, int(addr%4)*8), m.g.Const(0xff)), nil
}

// Store writes four bytes to addr.
func (m *Memory) Store(addr uint64, w symbolic.Word) error {
	n, err := m.writable(addr, 4)
	if err != nil {
		return err
	}
	if addr%4 != 0 {
		for i := range 4 {
			if err := m.StoreByte(addr+uint64(i), m.g.ShiftRight(w, 8*i)); err != nil {
				return err
			}
		}
		return nil
	}
	r := m.own(n)
	r.words[(addr-r.base)/4] = w
	return nil
}

// StoreByte writes the lowest byte of w to addr.
func (m *Memory) StoreByte(addr uint64, w symbolic.Word) error {
	n, err := m.writable(addr, 1)
	if err != nil {
		return err
	}
	old, err := m.part(addr &^ 3)
	if err != nil {
		return err
	}
	shift := int(addr%4) * 8
	mask := m.g.Const(0xff << shift)
	r := m.own(n)
	r.words[(addr&^3-r.base)/4] = m.g.OrWord(m.g.AndNotWord(mask, old), m.g.AndWord(mask, m.g.ShiftLeft(w, shift)))
	return nil
}

func (m *Memory) writable(addr uint64, size int) (int, error) {
	n, err := m.find(addr, size)
	if err == nil && !m.regions[n].writable {
		err = fmt.Errorf("writes to %s, which is only to be read", m.regions[n].name)
	}
	return n, err
}

// Words calls f for every word that was written or read, for a search after a
// failure.
func (m *Memory) Words(f func(symbolic.Word)) {
	for _, r := range m.regions {
		if !r.writable {
			continue
		}
		for _, w := range r.words {
			if w != 0 {
				f(w)
			}
		}
	}
}
