package prove

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
)

// Program is code under proof: the functions of some files and the bytes of the
// symbols that they do not define themselves.
type Program struct {
	functions map[string]*asm.Function
	external  map[string][]byte
	places    map[string]map[string]uint64 // of symbols, by file; "" for external ones
	size      uint64
}

// dataBase is where data starts, up to what a Layout adds.
const dataBase = 0x1000000

// NewProgram returns the program of the given files, no two of which may define
// the same function.
func NewProgram(files []*asm.File, external map[string][]byte) (*Program, error) {
	p := &Program{functions: make(map[string]*asm.Function), external: external, places: make(map[string]map[string]uint64)}
	at := uint64(0)
	place := func(size int) uint64 {
		was := at
		at += (uint64(size) + 63 + 64) &^ 63 // a gap, where nothing may be read
		return was
	}
	for _, f := range files {
		for _, fn := range f.Functions {
			if p.functions[fn.Name] != nil {
				return nil, fmt.Errorf("%s: %s is defined in %s too", f.Name, fn.Name, p.functions[fn.Name].FileName)
			}
			p.functions[fn.Name] = fn
		}
		p.places[f.Name] = make(map[string]uint64)
		for _, name := range slices.Sorted(maps.Keys(f.Data)) {
			p.places[f.Name][name] = place(len(f.Data[name].Content))
		}
	}
	p.places[""] = make(map[string]uint64)
	for _, name := range slices.Sorted(maps.Keys(external)) {
		p.places[""][name] = place(len(external[name])) + 4
	}
	p.size = at
	return p, nil
}

// load adds the program's data to memory, so many bytes behind dataBase.
func (p *Program) load(m *memory.Memory, shift uint64) {
	added := make(map[uint64]bool)
	for _, fn := range p.functions {
		for name, d := range fn.Data {
			at := dataBase + shift + p.places[fn.FileName][name]
			if !added[at] {
				added[at] = true
				m.AddBytes(name, at, d.Content)
			}
		}
	}
	for name, content := range p.external {
		m.AddBytes(name, dataBase+shift+p.places[""][name], content)
	}
}

// address returns where a symbol that fn names stands.
func (p *Program) address(fn *asm.Function, symbol string, shift uint64) (uint64, bool) {
	at, ok := p.places[fn.FileName][symbol]
	if !ok {
		at, ok = p.places[""][symbol]
	}
	return dataBase + shift + at, ok
}

// Instructions returns the number of instructions of a function.
func (p *Program) Instructions(name string) int {
	if fn := p.functions[name]; fn != nil {
		return len(fn.Code)
	}
	return 0
}
