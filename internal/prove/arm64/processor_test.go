package arm64

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/prove/memory"
	"github.com/sha1dc/go/internal/prove/processor"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// Where things are in the state that the generated program passes.
const (
	stateVector  = 0
	stateGeneral = 32 * 16
	stateFlags   = stateGeneral + 8*generalRegisters
	stateTaken   = stateFlags + 8 // 2 if the instruction goes to its label, or else 1
	stateMemory  = 1024
	memorySize   = 192
	stateSize    = stateMemory + memorySize
)

// slot returns where a register is in the state, and its size.
func slot(name string) (at, size int) {
	if n, ok := generalRegister(name); ok {
		return stateGeneral + 8*n, 8
	}
	n, _ := vectorRegister(name, "")
	return stateVector + 16*n, 16
}

// processorCommand returns the environment of a program for arm64, and the
// command that runs it. SHA1DC_ARM64 may name an emulator, which must be there;
// where tests must not be skipped, one must be there without that too.
func processorCommand(t *testing.T) (env, command []string) {
	emulated := []string{"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"}
	if text := os.Getenv("SHA1DC_ARM64"); text != "" {
		return emulated, strings.Fields(text)
	}
	if runtime.GOARCH == "arm64" {
		return nil, nil
	}
	if _, err := exec.LookPath("qemu-aarch64"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v (Debian: qemu-user)", err)
		}
		t.Skipf("needs an arm64 processor, or an emulator: %v (Debian: qemu-user)", err)
	}
	return emulated, []string{"qemu-aarch64", "-cpu", "max"}
}

// TestMeanings runs every instruction of the kernels on the processor, or an
// emulated one, on at least a thousand random operands of every kind of
// operands, and compares what it leaves
// in its registers, the flags and memory. The processor's other registers must
// stay as they are.
func TestMeanings(t *testing.T) {
	env, command := processorCommand(t)
	forms := kernelForms(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module meanings\n\ngo 1.25\n", "run_arm64.s": stubs(forms), "main.go": program(forms)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	exe := filepath.Join(dir, "meanings")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Dir = dir
	build.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off"), env...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command = append(command, exe)
	run := exec.Command(command[0], command[1:]...)
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
	failed := 0
	for _, f := range forms {
		g := symbolic.New() // constants are kept for ever
		wrong := error(nil)
		for range f.cases {
			before, after := make([]byte, stateSize), make([]byte, stateSize)
			if !readState(r, &f, before) || !readState(r, &f, after) {
				run.Wait()
				if strings.HasPrefix(complaint.String(), "unsupported") && len(command) == 1 && os.Getenv("CI") == "" {
					t.Skip("needs a processor with the SHA-1 instructions")
				}
				t.Fatalf("%s: the program ended early: %s", f.text(), complaint.String())
			}
			if wrong == nil {
				wrong = compareState(g, &f, before, after)
			}
		}
		if wrong != nil {
			t.Errorf("%s: %v", f.text(), wrong)
			if failed++; failed > 10 {
				t.FailNow()
			}
		}
	}
	if err := run.Wait(); err != nil {
		t.Fatalf("%v: %s", err, complaint.String())
	}
	everyMeaning(t, forms)
	t.Logf("%d forms", len(forms))
}

// everyMeaning demands that each instruction with a meaning is among the forms.
func everyMeaning(t *testing.T, forms []form) {
	tested := make(map[string]bool)
	for _, f := range forms {
		tested[f.i.Name], tested[f.shape] = true, true
	}
	for _, name := range Names() {
		if !tested[name] && !slices.Contains(notRun, name) {
			t.Errorf("%s has a meaning that nothing tests: add it to moreForms", name)
		}
	}
	for _, k := range encodings {
		if !tested["WORD "+k.name] {
			t.Errorf("%s has a meaning as a word that nothing tests: add it to moreForms", k.name)
		}
	}
}

// readState reads the parts of a state that a form uses.
func readState(r io.Reader, f *form, state []byte) bool {
	for _, name := range f.registers {
		at, size := slot(name)
		if _, err := io.ReadFull(r, state[at:at+size]); err != nil {
			return false
		}
	}
	end := stateTaken + 8
	if _, err := io.ReadFull(r, state[stateFlags:end]); err != nil {
		return false
	}
	if f.base == "" {
		return true
	}
	_, err := io.ReadFull(r, state[stateMemory:])
	return err == nil
}

// memoryAddress is where the model has its memory; the program reports
// registers that point to its own relative to that.
const memoryAddress = 0x100000

// flagsOf returns the flags in the order of their bits, from bit 28 on.
func flagsOf(f *flags) []*symbolic.Bit {
	return []*symbolic.Bit{&f.overflow, &f.carry, &f.zero, &f.negative}
}

// compareState executes f from the state before, and compares.
func compareState(g *symbolic.Graph, f *form, before, after []byte) error {
	m := memory.New(g)
	word := func(at int) symbolic.Word { return g.Const(binary.LittleEndian.Uint32(before[at:])) }
	words := make([]symbolic.Word, memorySize/4)
	for n := range words {
		words[n] = word(stateMemory + 4*n)
	}
	m.Add("memory", memoryAddress, memorySize, memory.ReadWrite, words)
	c := &CPU{State: processor.State{G: g, Memory: m}}
	for n := range c.general {
		c.general[n] = pair{word(stateGeneral + 8*n), word(stateGeneral + 8*n + 4)}
	}
	for n := range c.vectors {
		for i := range c.vectors[n] {
			c.vectors[n][i] = word(stateVector + 16*n + 4*i)
		}
	}
	for n, b := range flagsOf(&c.flags) {
		*b = g.ConstantBit(before[stateFlags+3]>>(4+n)&1 != 0)
	}
	action, err := c.Step(&f.i)
	if err != nil {
		return err
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
		if n, ok := generalRegister(name); ok {
			check(name, c.general[n][0], at)
			check(name+" above", c.general[n][1], at+4)
			continue
		}
		n, _ := vectorRegister(name, "")
		for i, w := range c.vectors[n] {
			check(fmt.Sprintf("word %d of %s", i, name), w, at+4*i)
		}
	}
	for n := 0; f.base != "" && n < memorySize/4; n++ {
		w, err := m.Load(memoryAddress + uint64(4*n))
		errs = append(errs, err)
		check(fmt.Sprintf("memory %d", 4*n), w, stateMemory+4*n)
	}
	for n, b := range flagsOf(&c.flags) {
		if *b != g.ConstantBit(after[stateFlags+3]>>(4+n)&1 != 0) {
			errs = append(errs, fmt.Errorf("flag %c differs", "VCZN"[n]))
		}
	}
	if taken := action.Kind == processor.Jump && action.Taken == g.True; taken != (after[stateTaken] == 2) {
		errs = append(errs, fmt.Errorf("goes to its label: %v, the processor does otherwise", taken))
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
// state, executes it, and stores them. Registers that are not a function's own
// are left, but for R27.
func stubs(forms []form) string {
	var load, store []string
	load = append(load, fmt.Sprintf("MOVD %d(R27), R0", stateFlags), "MSR R0, NZCV")
	for n := range 32 {
		load = append(load, fmt.Sprintf("FMOVQ %d(R27), F%d", stateVector+16*n, n))
		store = append(store, fmt.Sprintf("FMOVQ F%d, %d(R27)", n, stateVector+16*n))
	}
	for n := range generalRegisters {
		if _, ok := generalRegister(fmt.Sprintf("R%d", n)); ok {
			load = append(load, fmt.Sprintf("MOVD %d(R27), R%d", stateGeneral+8*n, n))
			store = append(store, fmt.Sprintf("MOVD R%d, %d(R27)", n, stateGeneral+8*n))
		}
	}
	store = append(store, "MRS NZCV, R0", fmt.Sprintf("MOVD R0, %d(R27)", stateFlags), "MOVD 8(RSP), R0", fmt.Sprintf("MOVD R0, %d(R27)", stateTaken))
	var b strings.Builder
	b.WriteString("// Code generated by a test. DO NOT EDIT.\n\n#include \"textflag.h\"\n\n")
	fmt.Fprintf(&b, "#define LOAD %s\n\n#define STORE %s\n\n", strings.Join(load, "; \\\n\t"), strings.Join(store, "; \\\n\t"))
	for n, f := range forms {
		fmt.Fprintf(&b, "TEXT ·form%d(SB), NOSPLIT, $16-8\n\tMOVD state+0(FP), R27\n\tLOAD\n\t%s\n\tMOVD $1, R27\n\tB end\nyes:\n\tMOVD $2, R27\nend:\n", n, f.text())
		b.WriteString("\tMOVD R27, 8(RSP)\n\tMOVD state+0(FP), R27\n\tSTORE\n\tRET\n\n")
	}
	return b.String()
}

// program returns the main file of the generated program.
func program(forms []form) string {
	var declare, table strings.Builder
	for n, f := range forms {
		fmt.Fprintf(&declare, "func form%d(state *state)\n", n)
		base, parts := -1, ""
		if f.base != "" {
			base, _ = slot(f.base)
		}
		for _, name := range f.registers {
			at, size := slot(name)
			parts += fmt.Sprintf("{%d, %d}, ", at, size)
		}
		fmt.Fprintf(&table, "{form%d, %q, %d, %d, []part{%s}},\n", n, f.text(), f.cases, base, parts)
	}
	text := programText
	for name, v := range map[string]int{
		"STATESIZE": stateSize, "STATEFLAGS": stateFlags, "STATETAKEN": stateTaken, "STATEMEMORY": stateMemory,
		"MEMORYSIZE": memorySize, "MEMORYADDRESS": memoryAddress,
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
	"runtime"
	"unsafe"
)

type state [STATESIZE]byte

type part struct{ at, size int }

type form struct {
	run   func(*state)
	text  string
	cases int
	base  int
	parts []part
}

DECLARE
var forms = []form{
TABLE}

// sha1 reports whether the processor has the SHA-1 instructions, which only
// Linux is asked about.
func sha1() bool {
	const hwcap, bit = 16, 1 << 5
	auxv, err := os.ReadFile("/proc/self/auxv")
	if runtime.GOOS != "linux" || err != nil {
		return true
	}
	for ; len(auxv) >= 16; auxv = auxv[16:] {
		if binary.LittleEndian.Uint64(auxv) == hwcap {
			return binary.LittleEndian.Uint64(auxv[8:])&bit != 0
		}
	}
	return true
}

func main() {
	if !sha1() {
		fmt.Fprintln(os.Stderr, "unsupported: no SHA-1 instructions")
		os.Exit(1)
	}
	var s state
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
	for _, f := range forms {
		for range f.cases {
			var recent uint32
			for at := 0; at < len(s); at += 4 {
				if rng.IntN(4) > 0 {
					recent = word()
				}
				binary.LittleEndian.PutUint32(s[at:], recent)
			}
			// Some registers are zero, some equal to others.
			for _, p := range f.parts {
				switch rng.IntN(12) {
				case 0:
					clear(s[p.at : p.at+p.size])
				case 1:
					q := f.parts[rng.IntN(len(f.parts))]
					copy(s[p.at:p.at+p.size], s[q.at:q.at+q.size])
				}
			}
			binary.LittleEndian.PutUint64(s[STATEFLAGS:], uint64(rng.IntN(16)<<28))
			if f.base >= 0 {
				binary.LittleEndian.PutUint64(s[f.base:], address)
			}
			before := s
			f.run(&s)
			after := s
			same := before
			for _, p := range f.parts {
				copy(same[p.at:p.at+p.size], after[p.at:p.at+p.size])
			}
			copy(same[STATEFLAGS:STATETAKEN+8], after[STATEFLAGS:])
			if f.base >= 0 {
				copy(same[STATEMEMORY:], after[STATEMEMORY:])
			}
			if same != after {
				fmt.Fprintf(os.Stderr, "%s changes a register that is none of its operands\n", f.text)
				os.Exit(1)
			}
			for _, v := range []*state{&before, &after} {
				for _, p := range f.parts {
					at := v[p.at:]
					if r := binary.LittleEndian.Uint64(at); f.base >= 0 && p.size == 8 && r-address+MEMORYSIZE < 2*MEMORYSIZE {
						binary.LittleEndian.PutUint64(at, r-address+MEMORYADDRESS)
					}
					out.Write(v[p.at : p.at+p.size])
				}
				out.Write(v[STATEFLAGS:STATETAKEN+8])
				if f.base >= 0 {
					out.Write(v[STATEMEMORY:])
				}
			}
		}
	}
}
`
