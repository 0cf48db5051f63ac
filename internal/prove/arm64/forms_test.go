package arm64

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/prove/asm"
)

// form is an instruction as the kernels use it, but for the place of its
// operand in memory.
type form struct {
	i         asm.Instruction
	shape     string // mnemonic and kinds of operands
	base      string // register that points to memory, if any does
	registers []string
	cases     int // how often it is run
}

func (f *form) text() string { return f.i.String() }

// moreForms are instructions that have a meaning and that no kernel uses now.
const moreForms = `TEXT ·more(SB), NOSPLIT, $0-0
	MOVD $-1, R3
	MOVD R1, R2
	MOVW $-2147483648, R3
	MOVW $2147483647, R3
	MOVW $65535, R3
	MOVB R3, 3(R4)
	ADD $4095, R3, R4
	SUB $0, R3, R3
	SUBW R1, R2, R3
	ANDW $255, R2, R3
	CMP $0, R3
	CSEL EQ, R1, R2, R3
	CSEL NE, R1, R1, R2
	MADD R1, R1, R1, R1
	ORR R1>>0, R2, R3
	ORR R1>>1, R2, R2
	ORR R1>>31, R1, R1
	ORR R1>>33, R2, R3
	ORR R1>>63, R2, R3
	AND R1>>7, R2, R3
	LDP.P 32(R1), (R2, R3)
	LDP.P -16(R1), (R2, R3)
	STP.P (R2, R2), -8(R1)
	VMOV V31.D[1], R26
	SHA1C V1.S4, V1, V1
	SHA1SU0 V1.S4, V1.S4, V1.S4
	SHA1SU1 V1.S4, V1.S4
	VBIT V1.B16, V2.B16, V1.B16
	WORD $0x4e231c41
	WORD $0x4e631c41
	WORD $0x4ea31c41
	WORD $0x4ee31c41
	WORD $0x4ee11c41
	WORD $0x4ee31c63
	WORD $0x6e231c41
	WORD $0x6e631c41
	WORD $0x6e611c41
	WORD $0x6ea31c41
	WORD $0x6ebf1fde
	WORD $0x6ee31c41
	RET
`

// notRun are instructions that the test cannot run, which name other places of
// the program.
var notRun = []string{"CALL", "RET", "B"}

// kernelForms returns the distinct instructions of the kernels.
func kernelForms(t *testing.T) []form {
	t.Helper()
	names, err := filepath.Glob("../../../sha1dc/*_arm64.s")
	if err != nil || len(names) < 3 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	found := make(map[string]form)
	read := func(name, text string) {
		f, err := asm.Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range f.Functions {
			for _, i := range fn.Code {
				if slices.Contains(notRun, i.Name) {
					continue
				}
				f, err := newForm(i)
				if err != nil {
					t.Fatalf("%s:%d: %s: %v", name, i.Line, i, err)
				}
				found[f.text()] = f
			}
		}
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		read(name, string(text))
	}
	perShape := make(map[string]int)
	var out []form
	for _, text := range slices.Sorted(maps.Keys(found)) {
		// Of registers and offsets that differ alone, few are enough.
		f := found[text]
		if perShape[f.shape]++; perShape[f.shape] <= 3 {
			out = append(out, f)
		}
	}
	clear(found)
	read("more", moreForms)
	for _, text := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[text])
	}
	count := make(map[string]int)
	for _, f := range out {
		count[f.shape]++
	}
	for n := range out {
		out[n].cases = max(casesOfShape/count[out[n].shape]+1, 200)
	}
	return out
}

// casesOfShape is how often instructions are run that differ in registers and
// constants alone.
const casesOfShape = 1000

// newForm replaces an operand in memory by one that the test can fill.
func newForm(i asm.Instruction) (form, error) {
	f := form{i: i, shape: i.Name}
	if i.Name == "WORD" {
		k, code, err := decode(&i)
		if err != nil {
			return f, err
		}
		f.shape += " " + k.name
		for _, n := range []int{registerD(code), registerN(code), registerM(code)} {
			f.add(fmt.Sprintf("V%d", n))
		}
		return f, nil
	}
	if _, ok := lookup(i.Name); !ok {
		return f, fmt.Errorf("no meaning")
	}
	f.i.Operands = slices.Clone(i.Operands)
	for n := range f.i.Operands {
		o := &f.i.Operands[n]
		f.shape += fmt.Sprintf(" %d", o.Kind)
		switch o.Kind {
		case asm.Register, asm.Shifted:
			f.add(o.Name)
			_, arrangement, _ := strings.Cut(o.Name, ".")
			f.shape += arrangement + o.Index
		case asm.List:
			for _, p := range o.Parts {
				f.add(p.Name)
			}
		case asm.Memory, asm.Argument, asm.Symbol, asm.Address:
			at := f.memory(*o)
			if o.Kind == asm.Address {
				at = asm.Operand{Kind: asm.Address, Text: "$" + at.Text, Parts: []asm.Operand{at}}
			}
			*o = at
		case asm.Label:
			*o = asm.Operand{Kind: asm.Label, Name: "yes", Text: "yes"}
		}
	}
	return f, nil
}

// memory returns an operand in the test's memory.
func (f *form) memory(o asm.Operand) asm.Operand {
	f.base = "R25"
	if o.Kind == asm.Memory && o.Name != "RSP" {
		f.base = o.Name
	}
	f.add(f.base)
	v := o.Value%4 + 64
	if strings.HasSuffix(f.i.Name, ".P") {
		v = o.Value
	}
	return asm.Operand{Kind: asm.Memory, Name: f.base, Value: v, Text: fmt.Sprintf("%d(%s)", v, f.base)}
}

// add adds a register to those that the instruction uses.
func (f *form) add(name string) {
	name, _, _ = strings.Cut(strings.Replace(name, "F", "V", 1), ".")
	_, general := generalRegister(name)
	_, vector := vectorRegister(name, "")
	if (general || vector) && !slices.Contains(f.registers, name) {
		f.registers = append(f.registers, name)
	}
}
