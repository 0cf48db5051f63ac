package arm64

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/prove/asm"
	"github.com/sha1dc/go/internal/prove/memory"
	"github.com/sha1dc/go/internal/prove/processor"
	"github.com/sha1dc/go/internal/prove/symbolic"
)

// step executes one instruction, with R1 pointing to memory that is only to be
// read and R2 to memory that may be written.
func step(t *testing.T, g *symbolic.Graph, text string) error {
	t.Helper()
	f, err := asm.Parse("x.s", "TEXT ·f(SB), NOSPLIT, $16-8\nyes:\n\t"+text+"\n")
	if err != nil {
		return err
	}
	m := memory.New(g)
	m.AddBytes("data", 0x1000, make([]byte, 64))
	m.Add("room", 0x2000, 64, memory.ReadWrite, nil)
	c := &CPU{State: processor.State{G: g, Memory: m, Address: func(*asm.Function, string) (uint64, bool) { return 0x1000, true }}}
	fp := c.Place(0x3010)
	m.Add("arguments", fp, 8, memory.ReadWrite, nil)
	c.Enter(f.Functions[0], fp)
	for n, at := range map[int]uint32{1: 0x1000, 2: 0x2000} {
		c.general[n] = pair{g.Const(at), g.Const(0)}
	}
	_, err = c.Step(&f.Functions[0].Code[0])
	return err
}

// TestRefusals names what must not be executed.
func TestRefusals(t *testing.T) {
	g := symbolic.New()
	for text, want := range map[string]string{
		"FMOVQ 48(R1), F3":            "",
		"FMOVQ 52(R1), F3":            "reads 4 bytes at address 0x1040",
		"FMOVQ F3, 0(R1)":             "only to be read",
		"FMOVQ F3, 48(R2)":            "",
		"FSTPQ (F3, F4), 48(R2)":      "4 bytes at address 0x2040",
		"MOVD 0(R3), R4":              "R3 depends on more",
		"MOVD R18, R4":                "R18 is no general register of a function's own",
		"MOVD R4, R18":                "R18 is no",
		"MOVD R16, R4":                "R16 is no",
		"MOVD R27, R4":                "R27 is no",
		"MOVD 0(R28), R4":             "R28 is no",
		"ADD $1, R29, R4":             "R29 is no",
		"ADD $1, R1, R30":             "R30 is no",
		"MOVD R4, RSP":                "RSP is no",
		"MOVD R4, 8(RSP)":             "",
		"MOVD R4, 16(RSP)":            "",
		"MOVD R4, 0(RSP)":             "nothing may be accessed", // the return address
		"MOVD R4, 24(RSP)":            "nothing may be accessed", // behind the locals
		"MOVD R4, x+0(FP)":            "",
		"MOVD R4, x+8(FP)":            "nothing may be accessed",
		"MOVD $8(RSP), R4":            "",
		"MOVD $x<>+0(SB), R4":         "",
		"ADD R3, R1, R4":              "R3 depends on more",
		"ADD $4096, R1, R4":           "does not fit in 12 bits",
		"CLZW R3, R4":                 "R3 depends on more",
		"CSEL LO, R1, R2, R3":         "flags that are undefined",
		"BEQ yes":                     "flags that are undefined",
		"LDP.P 16(R1), (R1, R3)":      "LDP.P of R1 is undefined",
		"LDP.P 16(R1), (R3, R3)":      "twice is undefined",
		"STP.P (R1, R2), 16(R2)":      "STP.P of R2 is undefined",
		"FLDPQ 0(R1), (F3, F3)":       "twice is undefined",
		"VEOR V1.S4, V2.S4, V3.S4":    "V1.S4 is no vector register as VEOR takes it",
		"VADD V1.S4, V2.S4":           "2 operands, want 3",
		"ORR R1<<2, R2, R3":           "has no meaning here",
		"ORR R1>>64, R2, R3":          "has no meaning here",
		"VBSL V1.B16, V2.B16, V3.B16": "VBSL has no meaning",
		"MOVW $4294967296, R3":        "does not fit in 32 bits",
		"WORD $0x4ee01c00":            "",
		"WORD $0x0ee01c00":            "has no meaning", // of 64 bits
		"WORD $0x4ee01800":            "has no meaning",
		"WORD $0x14ee01c00":           "a number of 32 bits",
		"CALL R3":                     "is no function",
	} {
		err := step(t, g, text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestAnything executes instructions with operands of all kinds: nothing but an
// error may come of it.
func TestAnything(t *testing.T) {
	operands := []string{"R3", "R18", "RSP", "V1", "V1.B16", "V1.S4", "V1.D[1]", "V32.S4", "F2", "F99", "LO", "EQ", "$1", "$-1", "$99999999999", "R3>>32", "R3<<1",
		"8(R1)", "8(R2)", "8(RSP)", "8(R1)(R2*4)", "-8(R9)", "x+0(FP)", "x<>+0(SB)", "$x<>+0(SB)", "$8(RSP)", "(R3, R4)", "(R3, V1)", "(F1, F2)", "(R1, R2, R3)", "yes"}
	g := symbolic.New()
	rng := rand.New(rand.NewPCG(1, 2))
	failed := 0
	for _, name := range append(Names(), "WORD") {
		for range 300 {
			var ops []string
			for range 1 + rng.IntN(4) {
				ops = append(ops, operands[rng.IntN(len(operands))])
			}
			if step(t, g, fmt.Sprintf("%s %s", name, strings.Join(ops, ", "))) != nil {
				failed++
			}
		}
	}
	if failed < 1000 {
		t.Errorf("%d errors", failed)
	}
}

// TestCallKeepsRegisters enters a function and another from it: registers keep
// their values, and the frames are where Go has them.
func TestCallKeepsRegisters(t *testing.T) {
	g := symbolic.New()
	f, err := asm.Parse("x.s", "TEXT ·f(SB), $40-8\n\tCALL ·g(SB)\n\tRET\nTEXT ·g(SB), NOSPLIT, $0-16\n\tRET\nTEXT ·h(SB), $32-8\n\tRET\n")
	if err != nil {
		t.Fatal(err)
	}
	c := &CPU{State: processor.State{G: g, Memory: memory.New(g)}}
	fp := c.Place(0x5038)
	if fp != 0x5038 {
		t.Errorf("arguments at %#x", fp)
	}
	c.Enter(f.Functions[0], fp)
	// Go's assembler adds to the locals the return address and, up to a multiple of
	// sixteen, at least eight bytes.
	if c.Frame.SP != 0x5030-64 {
		t.Errorf("the stack pointer is %#x", c.Frame.SP)
	}
	seven := pair{g.Const(7), g.Const(0)}
	c.general[5] = seven
	caller := c.Frame
	c.Call(f.Functions[1])
	if c.Frame.SP != caller.SP || c.Frame.FP != caller.SP+8 {
		t.Errorf("a leaf has %+v, its caller %+v", c.Frame, caller)
	}
	c.Resume(caller)
	if c.general[5] != seven || c.Frame != caller {
		t.Error("a register is lost in a call")
	}
	c.Enter(f.Functions[2], fp)
	if c.Frame.SP != 0x5030-48 {
		t.Errorf("the stack pointer is %#x", c.Frame.SP)
	}
	if c.general[5] == seven {
		t.Error("a register is known when a function is entered")
	}
}
