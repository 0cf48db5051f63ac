package asm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseKernels(t *testing.T) {
	names, err := filepath.Glob("../../../sha1dc/*.s")
	if err != nil || len(names) < 12 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(name, string(text))
		if err != nil {
			t.Fatal(err)
		}
		code := 0
		for _, fn := range f.Functions {
			code += len(fn.Code)
		}
		lines := 0
		for _, l := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(l, "\t") {
				lines++
			}
		}
		if code != lines || f.Build != "gc && !purego && !noasm" {
			t.Errorf("%s: %d instructions read, the file has %d; built with %q", name, code, lines, f.Build)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const head = "TEXT ·f(SB), NOSPLIT, $0-8\n"
	for text, want := range map[string]string{
		"\tRET":                                  "x.s:1: \"RET\": outside a function",
		head + "\tMOVQ AX; RET":                  "one statement a line",
		head + "\tMOVQ AX, /* x */ BX":           "one statement a line",
		"#define X 1":                            "the preprocessor is not supported",
		"TEXT ·f(SB), NOSPLIT, $-8-8":            "want TEXT",
		head + "a:\na:\n":                        "stands twice",
		head + "\tJMP nowhere":                   "x.s:2: JMP: no label nowhere",
		head + head + "\tRET":                    "defined twice",
		head:                                     "has no code",
		head + "\tmov AX, BX":                    "is no instruction",
		head + "\tMOVQ 8(AX)(BX*3), CX":          "is not understood",
		head + "\tMOVQ $0x1ffffffffffffffff, AX": "no number of 64 bits",
		"DATA x<>+0(SB)/3, $1":                   "width 3",
		"DATA x<>+0(SB)/1, $256":                 "does not fit",
		"DATA x<>+0(SB)/8, $1":                   "without a GLOBL",
		"DATA x<>+4(SB)/8, $1\nGLOBL x<>(SB), RODATA, $8":                       "goes beyond",
		"DATA x<>+0(SB)/8, $1\nDATA x<>+7(SB)/1, $1\nGLOBL x<>(SB), RODATA, $8": "given twice",
		"GLOBL x<>(SB), RODATA, $99999999":                                      "out of range",
		head + "\tRET\n//go:build gc":                                           "wrong place",
		// What follows means something else to the assembler, or nothing.
		"#include \"textflag.h\"\n\n//go:build gc": "wrong place",
		head + "AX:\n\tJMP AX":                     "x.s:2: label AX may be the name of a register",
		head + "\tMOVL 010(AX), BX":                "x.s:2: MOVL: \"010\" is octal",
		head + "\tMOVL -08(AX)(BX*4), BX":          "is octal",
		head + "\tMOVL x+010(FP), BX":              "is octal",
		head + "\tMOVL x<>+010(SB), BX":            "is octal",
		"TEXT ·f(SB), NOSPLIT, $010-8":             "sizes out of range",
		"DATA x<>+010(SB)/8, $1":                   "is octal",
		"DATA x<>+0(SB)/08, $1":                    "width 08",
		"GLOBL x<>(SB), RODATA, $010":              "size 010 out of range",
		head + "\tMOVL 2147483648(AX), BX":         "no number of 31 bits",
		head + "\tMOVD $R1(FP), R2":                "is not understood",
		head + "\tMOVD $n+8(FP), R2":               "is the address of nothing",
		head + "\tFLDPQ (R1), (F0, 16(R1))":        "is no register of a list",
		head + "\tADD R1~>2, R2":                   "is not understood",
		head + "\tCBZ R1, nowhere":                 "no label nowhere",
	} {
		_, err := Parse("x.s", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestParseOperands(t *testing.T) {
	const text = "TEXT ·f(SB), NOSPLIT, $0-8\nend:\n\tX $x<>+16(SB), $8(RSP), (F0, F1), V1.D[1], R1>>32, V2.S4, end, -16(R2)\nDATA x<>+0(SB)/8, $1\nGLOBL x<>(SB), RODATA, $8\n"
	f, err := Parse("x.s", text)
	if err != nil {
		t.Fatal(err)
	}
	i := f.Functions[0].Code[0]
	var kinds []Kind
	for _, o := range i.Operands {
		kinds = append(kinds, o.Kind)
	}
	if want := []Kind{Address, Address, List, Register, Shifted, Register, Label, Memory}; !slices.Equal(kinds, want) {
		t.Fatalf("kinds %v, want %v", kinds, want)
	}
	o := i.Operands
	if p := o[0].Parts[0]; p.Kind != Symbol || p.Name != "x<>" || p.Value != 16 {
		t.Errorf("%+v", p)
	}
	if p := o[1].Parts[0]; p.Kind != Memory || p.Name != "RSP" || p.Value != 8 {
		t.Errorf("%+v", p)
	}
	if p := o[2].Parts; len(p) != 2 || p[0].Name != "F0" || p[1].Name != "F1" {
		t.Errorf("%+v", p)
	}
	if o[3].Name != "V1.D[1]" || o[4].Name != "R1" || o[4].Index != ">>" || o[4].Value != 32 || o[7].Value != -16 {
		t.Errorf("%+v", o)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("DATA x<>+0(SB)/8, $1\nGLOBL x<>(SB), RODATA, $8\nTEXT ·f(SB), NOSPLIT, $0-8\na:\n\tVPORD.BCST x<>+4(SB), Z1, K1, Z1\n\tJMP a\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Parse("x.s", text); err != nil && !strings.HasPrefix(err.Error(), "x.s:") {
			t.Errorf("error without a place: %v", err)
		}
	})
}
