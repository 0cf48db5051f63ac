package prove

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
)

// Program is code under proof: the functions of some files, and the message
// differences that are handed to them.
type Program struct {
	functions   map[string]*asm.Function
	differences []byte
	places      map[string]map[string]uint64 // of symbols, by file
}

// dataBase is where data starts, up to what a scenario adds, and differenceBase
// where the message differences are. Like all addresses of the proof, they need
// more than 32 bits, and the data goes across a multiple of 1<<32, so that
// arithmetic on half of an address shows.
const (
	dataBase       = 0x11_ffff_ff00
	differenceBase = 0x13_ffff_fa04
)

// NewProgram returns the program of the given files, no two of which may define
// the same function.
func NewProgram(files []*asm.File, differences []byte) (*Program, error) {
	p := &Program{functions: make(map[string]*asm.Function), differences: differences, places: make(map[string]map[string]uint64)}
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
			// Of functions that another may replace, for instance, nothing is proved.
			if fn.Flags != "" && fn.Flags != "NOSPLIT" {
				return nil, fmt.Errorf("%s:%d: %s has the flags %s, want none or NOSPLIT", f.Name, fn.Line, fn.Name, fn.Flags)
			}
			p.functions[fn.Name] = fn
		}
		for _, d := range f.Data {
			if !slices.Contains(strings.Split(d.Flags, "|"), "RODATA") || !strings.HasSuffix(d.Name, "<>") {
				return nil, fmt.Errorf("%s:%d: %s may be written or replaced from elsewhere, want RODATA and a name with <>", f.Name, d.Line, d.Name)
			}
		}
		p.places[f.Name] = make(map[string]uint64)
		for _, name := range slices.Sorted(maps.Keys(f.Data)) {
			p.places[f.Name][name] = place(len(f.Data[name].Content))
		}
	}
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
	m.AddBytes("the message differences", differenceBase, p.differences)
}

// address returns where a symbol that fn names stands.
func (p *Program) address(fn *asm.Function, symbol string, shift uint64) (uint64, bool) {
	at, ok := p.places[fn.FileName][symbol]
	return dataBase + shift + at, ok
}
