package amd64

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
	"github.com/sha1dc/go/internal/prove/processor"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// form is an instruction as the kernels use it, but for the place of its
// operand in memory.
type form struct {
	text      string
	shape     string // mnemonic and kinds of operands
	i         asm.Instruction
	base      string // register that points to memory, if any does
	index     string // register added to it
	registers []string
}

// moreImmediates are values for instructions with an immediate of 8 bits that
// the kernels may come to use, those out of range among them.
var moreImmediates = []int{0, 1, 7, 15, 16, 17, 31, 32, 33, 64, 127, 128, 200, 255}

// moreForms are instructions that have a meaning and that no kernel uses now.
const moreForms = `TEXT ·more(SB), NOSPLIT, $0-0
	PCMPEQL 16(R12), X14
	PCMPEQL X3, X14
	PAND 16(R12), X14
	PAND X3, X14
	MOVD X15, AX
	SHRQ $2, DI
	IMULQ R10, DI
	XCHGQ R11, R14
	CMOVQLT CX, R10
	RET
`

// kernelForms returns the distinct instructions of the kernels, with further
// immediates.
func kernelForms(t *testing.T) []form {
	names, err := filepath.Glob("../../../sha1dc/*_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]form)
	for _, name := range append(names, "more") {
		text := []byte(moreForms)
		if name != "more" {
			if text, err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		f, err := asm.Parse(name, string(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range f.Functions {
			for _, i := range fn.Code {
				switch i.Name {
				case "CALL", "RET", "JMP", "CPUID", "XGETBV":
					continue
				}
				if _, ok := lookup(i.Name); !ok {
					t.Fatalf("%s:%d: %s has no meaning", name, i.Line, i.Name)
				}
				for _, v := range variants(i) {
					f := newForm(v)
					if old, ok := found[f.text]; !ok || old.text > f.text {
						found[f.text] = f
					}
				}
			}
		}
	}
	// Of registers, offsets and constants that differ alone, few are enough.
	var out []form
	perShape := make(map[string]int)
	for _, text := range slices.Sorted(maps.Keys(found)) {
		f := found[text]
		key := f.shape
		limit := 2
		if hasImmediate8(f.i) {
			key += fmt.Sprint(f.i.Operands[0].Value)
			limit = 1
		}
		if perShape[key]++; perShape[key] <= limit {
			out = append(out, f)
		}
	}
	return out
}

// hasImmediate8 reports whether the instruction is governed by an immediate of
// 8 bits.
func hasImmediate8(i asm.Instruction) bool {
	return len(i.Operands) > 1 && i.Operands[0].Kind == asm.Immediate && slices.Contains([]string{
		"PSLLL", "VPSLLD", "PSRLL", "VPSRLD", "VPSRAD", "VPROLD", "VPRORD", "PSHUFD", "VPSHUFD", "PSRLDQ", "VPSRLDQ", "VPSLLDQ",
		"VPALIGNR", "VPTERNLOGD", "RORXL", "ROLL", "SHLQ", "SHRQ", "SHA1RNDS4", "PINSRD", "PEXTRD", "VINSERTI128", "VINSERTI32X4", "VEXTRACTI128", "VEXTRACTI32X4", "VEXTRACTI64X4",
	}, i.Name)
}

// variants returns i with other immediates too.
func variants(i asm.Instruction) []asm.Instruction {
	out := []asm.Instruction{i}
	if !hasImmediate8(i) {
		return out
	}
	more := moreImmediates
	switch i.Name {
	case "VPTERNLOGD":
		more = nil
		for n := range 32 {
			more = append(more, 8*n+n%8)
		}
	case "SHA1RNDS4":
		more = []int{0, 1, 2, 3}
	case "PINSRD", "PEXTRD", "VINSERTI32X4", "VEXTRACTI32X4":
		more = []int{0, 1, 2, 3}
	case "VINSERTI128", "VEXTRACTI128", "VEXTRACTI64X4":
		more = []int{0, 1}
	case "RORXL", "ROLL", "SHLQ", "SHRQ":
		more = []int{0, 1, 2, 5, 27, 31}
	}
	for _, n := range more {
		if n > 127 && (strings.HasPrefix(i.Name, "PSLL") || strings.HasPrefix(i.Name, "PSRL")) {
			n -= 256 // the assembler takes a signed byte here
		}
		v := i
		v.Operands = slices.Clone(i.Operands)
		v.Operands[0] = asm.Operand{Kind: asm.Immediate, Value: int64(n), Text: fmt.Sprintf("$%d", n)}
		out = append(out, v)
	}
	return out
}

// newForm replaces an operand in memory by one that the test can fill.
func newForm(i asm.Instruction) form {
	f := form{i: i}
	f.i.Operands = slices.Clone(i.Operands)
	uses := func(name string) bool {
		return slices.ContainsFunc(i.Operands, func(o asm.Operand) bool { return o.Name == name || o.Index == name })
	}
	f.shape = i.Name
	add := func(name string) {
		if name != "" && !slices.Contains(f.registers, name) {
			f.registers = append(f.registers, name)
		}
	}
	for n := range f.i.Operands {
		o := &f.i.Operands[n]
		switch {
		case strings.HasPrefix(i.Name, "LEA"):
			if o.Kind == asm.Symbol || o.Name == "SP" {
				*o = asm.Operand{Kind: asm.Memory, Name: "R13", Value: o.Value, Text: fmt.Sprintf("%d(R13)", o.Value)}
			}
			add(o.Name)
			add(o.Index)
			f.shape += fmt.Sprintf(" %d/%v", o.Kind, o.Index != "")
			continue
		case isMemory(*o):
			f.base = "R13"
			if uses("R13") && o.Name != "R13" {
				f.base = "R12"
			}
			text := fmt.Sprintf("64(%s)", f.base)
			if o.Index != "" {
				f.index = o.Index
				text += fmt.Sprintf("(%s*%d)", o.Index, o.Scale)
			}
			*o = asm.Operand{Kind: asm.Memory, Name: f.base, Value: 64, Index: o.Index, Scale: o.Scale, Text: text}
			add(f.base)
			add(o.Index)
			f.shape += fmt.Sprintf(" m%v", o.Index != "")
		case o.Kind == asm.Register:
			add(o.Name)
			c, _ := register(o.Name)
			f.shape += fmt.Sprintf(" r%d", c)
		case o.Kind == asm.Label:
			*o = asm.Operand{Kind: asm.Label, Name: "yes", Text: "yes"}
			add("R8")
		default:
			f.shape += " i"
		}
	}
	if i.Name == "VZEROUPPER" {
		for n := range 32 {
			f.registers = append(f.registers, fmt.Sprintf("X%d", n))
		}
	}
	f.text = f.i.String()
	return f
}

// Where the registers are in the state that the generated program passes.
const (
	stateVector = 0
	stateMask   = 32 * 64
	stateGP     = stateMask + 8*8
	stateFlags  = stateGP + 16*8
	stateMemory = stateFlags + 8
	memorySize  = 192
	stateSize   = stateMemory + memorySize
)

// slot returns where a register is in the state, and its size.
func slot(name string) (at, size int) {
	switch c, n := register(name); c {
	case general:
		return stateGP + 8*n, 8
	case lowByte:
		return stateGP, 8
	case maskRegister:
		return stateMask + 8*n, 8
	default:
		return stateVector + 64*n, 64
	}
}

// TestMeanings runs every instruction of the kernels on the processor, on at
// least a thousand random operands of every kind of operands, and compares what
// it leaves in its registers, the flags and memory. The processor's other
// registers must stay as they are.
func TestMeanings(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("needs an amd64 processor")
	}
	forms := kernelForms(t)
	count := make(map[string]int)
	for _, f := range forms {
		count[f.shape]++
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module meanings\n\ngo 1.25\n")
	write("run_amd64.s", stubs(forms))
	write("main.go", program(forms, count))
	exe := filepath.Join(dir, "meanings")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(exe)
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaint strings.Builder
	run.Stderr = &complaint
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReaderSize(out, 1<<20)
	cases, failed := 0, 0
	for _, f := range forms {
		n := casesOf(count[f.shape])
		g := symbolic.New()
		for range n {
			before, after := make([]byte, stateSize), make([]byte, stateSize)
			if !readState(t, r, &f, before) || !readState(t, r, &f, after) {
				run.Wait()
				if strings.HasPrefix(complaint.String(), "unsupported") {
					skip(t)
				}
				t.Fatalf("%s: the program ended early: %s", f.text, complaint.String())
			}
			if cases%257 == 0 {
				g = symbolic.New() // constants are kept for ever
			}
			cases++
			if err := compareState(g, &f, before, after); err != nil {
				t.Errorf("%s: %v", f.text, err)
				if failed++; failed > 10 {
					t.FailNow()
				}
				break
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if err := run.Wait(); err != nil {
		t.Fatalf("%v: %s", err, complaint.String())
	}
	tested := make(map[string]bool)
	for _, f := range forms {
		tested[f.i.Name] = true
	}
	for _, name := range Names() {
		if !tested[name] && name != "JMP" && name != "CALL" && name != "RET" {
			t.Errorf("%s has a meaning that nothing tests: add it to moreForms", name)
		}
	}
	t.Logf("%d instructions, %d forms, %d cases", len(tested), len(forms), cases)
}

// skip skips the test where the processor lacks instructions, unless it must
// have them.
func skip(t *testing.T) {
	if strings.Contains(os.Getenv("SHA1DC_BACKENDS"), "shani-avx512") {
		t.Fatal("the processor must have AVX-512 and the SHA extensions, and lacks them")
	}
	t.Skip("needs a processor with AVX-512 and the SHA extensions")
}

// casesOf returns how often a form is run, of a shape with so many forms.
func casesOf(forms int) int { return max(1000/forms+1, 20) }

// readState reads the parts of a state that a form uses.
func readState(t *testing.T, r io.Reader, f *form, state []byte) bool {
	for _, name := range f.registers {
		at, size := slot(name)
		if _, err := io.ReadFull(r, state[at:at+size]); err != nil {
			return false
		}
	}
	end := stateMemory
	if f.base != "" {
		end = stateSize
	}
	_, err := io.ReadFull(r, state[stateFlags:end])
	return err == nil
}

// memoryAddress is where the model has its memory; the program reports
// registers that point to its own relative to that.
const memoryAddress = 0x100000

var flagBits = map[string]uint{"CF": 0, "ZF": 6, "SF": 7, "OF": 11}

// compareState executes f from the state before, and compares.
func compareState(g *symbolic.Graph, f *form, before, after []byte) error {
	m := memory.New(g)
	if f.base != "" {
		words := make([]symbolic.Word, memorySize/4)
		for n := range words {
			words[n] = g.Const(binary.LittleEndian.Uint32(before[stateMemory+4*n:]))
		}
		m.Add("memory", memoryAddress, memorySize, memory.ReadWrite, words)
	}
	c := &CPU{State: processor.State{G: g, Memory: m}}
	word := func(at int) symbolic.Word { return g.Const(binary.LittleEndian.Uint32(before[at:])) }
	for _, name := range f.registers {
		at, _ := slot(name)
		switch cl, n := register(name); cl {
		case general, lowByte:
			c.general[n] = [2]symbolic.Word{word(at), word(at + 4)}
		case maskRegister:
			c.mask[n] = [2]symbolic.Word{word(at), word(at + 4)}
		default:
			for i := range 16 {
				c.vector[n][i] = word(at + 4*i)
			}
		}
	}
	fl := binary.LittleEndian.Uint64(before[stateFlags:])
	set := func(name string) symbolic.Bit { return g.ConstantBit(fl>>flagBits[name]&1 != 0) }
	c.flags = flags{
		zero: []symbolic.Word{g.Const(uint32(^fl >> flagBits["ZF"] & 1))}, sign: g.Const(uint32(fl>>flagBits["SF"]&1) << 31),
		carry: set("CF"), overflow: set("OF"),
	}
	action, err := c.Step(&f.i)
	if err != nil {
		if f.i.Name == "BSFL" {
			return nil // of zero
		}
		return err
	}
	if action.Kind == processor.Jump {
		v := uint64(1)
		if action.Taken == g.True {
			v = 2
		}
		c.general[8] = c.constant(v)
	}
	var errs []error
	check := func(what string, got symbolic.Word, at int) {
		want := binary.LittleEndian.Uint32(after[at:])
		if v, ok := g.Value(got); !ok || v != want {
			errs = append(errs, fmt.Errorf("%s is %08x (%v), the processor has %08x", what, v, ok, want))
		}
	}
	for _, name := range f.registers {
		at, _ := slot(name)
		switch cl, n := register(name); cl {
		case general, lowByte:
			check(name, c.general[n][0], at)
			check(name+" above", c.general[n][1], at+4)
		case maskRegister:
			check(name, c.mask[n][0], at)
			check(name+" above", c.mask[n][1], at+4)
		default:
			for i := range 16 {
				check(fmt.Sprintf("word %d of %s", i, name), c.vector[n][i], at+4*i)
			}
		}
	}
	for n := 0; f.base != "" && n < memorySize/4; n++ {
		w, err := m.Load(memoryAddress + uint64(4*n))
		errs = append(errs, err)
		check(fmt.Sprintf("memory %d", 4*n), w, stateMemory+4*n)
	}
	e := &execution{CPU: c, i: &f.i}
	fl = binary.LittleEndian.Uint64(after[stateFlags:])
	flag := func(name string, b symbolic.Bit) {
		if b != g.ConstantBit(fl>>flagBits[name]&1 != 0) {
			errs = append(errs, fmt.Errorf("%s differs", name))
		}
	}
	if c.flags.zero != nil {
		flag("ZF", isZero(e))
	}
	if c.flags.sign != 0 {
		flag("SF", g.Bits(c.flags.sign)[31])
	}
	if c.flags.carry != 0 {
		flag("CF", c.flags.carry)
	}
	if c.flags.overflow != 0 {
		flag("OF", c.flags.overflow)
	}
	if err := errors.Join(errs...); err != nil {
		var in []string
		for _, name := range f.registers {
			at, size := slot(name)
			in = append(in, fmt.Sprintf("%s=%x", name, before[at:at+size]))
		}
		return fmt.Errorf("%w; from %s", err, strings.Join(in, " "))
	}
	return nil
}

// stubs returns a function for each form that loads all registers from a
// state, executes it, and stores them. The registers of the stack are left.
func stubs(forms []form) string {
	var b strings.Builder
	b.WriteString("// Code generated by a test. DO NOT EDIT.\n\n#include \"textflag.h\"\n\n")
	var load, store []string
	for n := range 32 {
		load = append(load, fmt.Sprintf("VMOVDQU64 %d(R15), Z%d", stateVector+64*n, n))
		store = append(store, fmt.Sprintf("VMOVDQU64 Z%d, %d(R15)", n, stateVector+64*n))
	}
	for n := 1; n < 8; n++ {
		load = append(load, fmt.Sprintf("KMOVQ %d(R15), K%d", stateMask+8*n, n))
		store = append(store, fmt.Sprintf("KMOVQ K%d, %d(R15)", n, stateMask+8*n))
	}
	load = append(load, fmt.Sprintf("MOVQ %d(R15), AX", stateFlags), "PUSHQ AX", "POPFQ")
	var general []string
	for name := range generalNames {
		if name != "SP" && name != "BP" && name != "R15" {
			general = append(general, name)
		}
	}
	slices.Sort(general)
	for _, name := range general {
		at, _ := slot(name)
		load = append(load, fmt.Sprintf("MOVQ %d(R15), %s", at, name))
		store = append(store, fmt.Sprintf("MOVQ %s, %d(R15)", name, at))
	}
	at, _ := slot("R15")
	load = append(load, fmt.Sprintf("MOVQ %d(R15), R15", at))
	store = append(store, "PUSHFQ", "POPQ AX", fmt.Sprintf("MOVQ AX, %d(R15)", stateFlags), "MOVQ 8(SP), AX", fmt.Sprintf("MOVQ AX, %d(R15)", at), "VZEROUPPER")
	fmt.Fprintf(&b, "#define LOAD %s\n\n#define STORE %s\n\n", strings.Join(load, "; \\\n\t"), strings.Join(store, "; \\\n\t"))
	for n, f := range forms {
		fmt.Fprintf(&b, "TEXT ·form%d(SB), NOSPLIT, $16-8\n\tMOVQ state+0(FP), R15\n\tLOAD\n\t%s\n", n, f.text)
		if strings.HasPrefix(f.i.Name, "J") {
			b.WriteString("\tMOVQ $1, R8\n\tJMP end\nyes:\n\tMOVQ $2, R8\nend:\n")
		}
		b.WriteString("\tMOVQ R15, 8(SP)\n\tMOVQ state+0(FP), R15\n\tSTORE\n\tRET\n\n")
	}
	b.WriteString("TEXT ·cpuid(SB), NOSPLIT, $0-24\n\tMOVL leaf+0(FP), AX\n\tMOVL sub+4(FP), CX\n\tCPUID\n\tMOVL AX, eax+8(FP)\n\tMOVL BX, ebx+12(FP)\n\tMOVL CX, ecx+16(FP)\n\tMOVL DX, edx+20(FP)\n\tRET\n")
	return b.String()
}

// program returns the main file of the generated program.
func program(forms []form, count map[string]int) string {
	var declare, table strings.Builder
	for n, f := range forms {
		fmt.Fprintf(&declare, "func form%d(state *state)\n", n)
		var used []string
		for _, name := range f.registers {
			at, size := slot(name)
			used = append(used, fmt.Sprintf("{%d, %d}", at, size))
		}
		base, index := -1, -1
		if f.base != "" {
			base, _ = slot(f.base)
		}
		if f.index != "" {
			index, _ = slot(f.index)
		}
		fmt.Fprintf(&table, "{form%d, %d, %d, %d, []part{%s}},\n", n, casesOf(count[f.shape]), base, index, strings.Join(used, ", "))
	}
	text := programText
	for name, v := range map[string]int{
		"STATESIZE": stateSize, "STATEFLAGS": stateFlags, "STATEMEMORY": stateMemory, "STATEGP": stateGP,
		"MEMORYSIZE": memorySize, "MEMORYADDRESS": memoryAddress, "STATEMASK": stateMask,
	} {
		text = strings.ReplaceAll(text, name, strconv.Itoa(v))
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "DECLARE", declare.String()), "TABLE", table.String())
}

const programText = `// Code generated by a test. DO NOT EDIT.

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"unsafe"
)

type state [STATESIZE]byte

type part struct{ at, size int }

type form struct {
	run         func(*state)
	cases       int
	base, index int
	parts       []part
}

DECLARE
func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

var forms = []form{
TABLE}

// memory stands in the state, whose address must be a multiple of 64 there.
var room [2*STATESIZE + 64]byte

func main() {
	_, b, _, _ := cpuid(7, 0)
	const avx512f, avx512dq, sha, avx512bw, avx512vl = 1 << 16, 1 << 17, 1 << 29, 1 << 30, 1 << 31
	if need := uint32(avx512f | avx512dq | sha | avx512bw | avx512vl); b&need != need {
		fmt.Fprintln(os.Stderr, "unsupported")
		os.Exit(1)
	}
	skip := -(uintptr(unsafe.Pointer(&room[0])) + STATEMEMORY) & 63
	s := (*state)(room[skip:])
	address := uint64(uintptr(unsafe.Pointer(&s[STATEMEMORY])))
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	rng := rand.New(rand.NewPCG(1, 2))
	pool := []uint32{0, 0xffffffff, 1, 1 << 31, 0x7fffffff}
	word := func() uint32 {
		switch rng.IntN(8) {
		case 0:
			return pool[rng.IntN(len(pool))]
		case 1:
			return 1 << rng.IntN(32)
		case 2:
			return rng.Uint32() & rng.Uint32() & rng.Uint32()
		case 3:
			return uint32(rng.IntN(64))
		}
		return rng.Uint32()
	}
	for n, f := range forms {
		for range f.cases {
			var recent uint32
			for at := 0; at < len(s); at += 4 {
				if rng.IntN(4) > 0 {
					recent = word()
				}
				binary.LittleEndian.PutUint32(s[at:], recent)
			}
			// Memory's own words often equal a register's.
			for at := range MEMORYSIZE {
				if rng.IntN(3) == 0 {
					s[STATEMEMORY+at] = s[at%64]
				}
			}
			binary.LittleEndian.PutUint64(s[STATEFLAGS:], uint64(rng.Uint32())&0x8d5|2)
			if f.index >= 0 {
				binary.LittleEndian.PutUint64(s[f.index:], uint64(rng.IntN(16)))
			}
			if f.base >= 0 {
				binary.LittleEndian.PutUint64(s[f.base:], address)
			}
			before := *s
			f.run(s)
			after := *s
			same := before
			for _, p := range f.parts {
				copy(same[p.at:p.at+p.size], after[p.at:p.at+p.size])
			}
			copy(same[STATEFLAGS:STATEFLAGS+8], after[STATEFLAGS:])
			end := STATEMEMORY
			if f.base >= 0 {
				end = STATESIZE
				copy(same[STATEMEMORY:], after[STATEMEMORY:])
			}
			if same != after {
				fmt.Fprintf(os.Stderr, "form %d changes a register that is none of its operands\n", n)
				os.Exit(1)
			}
			for _, v := range []*state{&before, &after} {
				if f.base >= 0 {
					at := v[f.base:]
					if binary.LittleEndian.Uint64(at) == address {
						binary.LittleEndian.PutUint64(at, MEMORYADDRESS)
					}
				}
				for _, p := range f.parts {
					out.Write(v[p.at : p.at+p.size])
				}
				out.Write(v[STATEFLAGS:end])
			}
		}
	}
}
`
