package prove

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/sha1dc/go/internal/prove/asm"
)

// mutant is a kernel with one thing damaged.
type mutant struct {
	kind, file string
	line       int
	was, now   string
	text       string // of the file
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %q became %q", m.file, m.line, m.kind, strings.TrimSpace(m.was), strings.TrimSpace(m.now))
}

// kinds are the kinds of damage, each with a function that damages a line. They
// return an empty line if it has nothing of the kind.
var kinds = []struct {
	name string
	hurt func(l *line, rng *rand.Rand) string
}{
	{"instruction dropped", dropped},
	{"instruction exchanged", exchanged},
	{"immediate", immediateChanged},
	{"offset", offsetChanged},
	{"register", registerChanged},
	{"bit of a table", tableBit},
	{"word of a table", tableWord},
}

// line is a line of a file, with what was read from it.
type line struct {
	text string
	i    *asm.Instruction // nil if it is none
}

func dropped(l *line, _ *rand.Rand) string {
	if l.i == nil || strings.HasPrefix(l.i.Name, "RET") {
		return ""
	}
	return "\t// dropped"
}

// siblings are instructions with the same operands.
var siblings = [][]string{
	{"VPTESTMD", "VPTESTNMD"}, {"VPTESTMD.BCST", "VPTESTNMD.BCST"}, {"PAND", "POR", "PXOR"}, {"VPAND", "VPOR", "VPXOR", "VPANDN", "VPADDD"},
	{"VPORD", "VPXORD"}, {"PSRLL", "PSLLL"}, {"VPSRLD", "VPSLLD", "VPSRAD"}, {"VPRORD", "VPROLD"}, {"JE", "JNE", "JLT"}, {"JEQ", "JNE"},
	{"ADDL", "SUBL", "XORL"}, {"ADDQ", "SUBQ"}, {"ANDL", "ORL"}, {"INCQ", "DECQ"}, {"SHA1MSG1", "SHA1MSG2", "SHA1NEXTE", "PXOR"},
	{"VPUNPCKLDQ", "VPUNPCKHDQ"}, {"VPUNPCKLQDQ", "VPUNPCKHQDQ"}, {"PADDD", "PSUBL"}, {"CMOVQLT", "CMOVQNE"}, {"MOVOU", "MOVOA"}, {"JLE", "JLT"}, {"IMULQ", "ADDQ"},

	{"VAND", "VORR", "VEOR", "VBIT"}, {"VADD", "VSUB", "VCMTST"}, {"SHA1C", "SHA1P", "SHA1M"}, {"SHA1H", "VMOV"}, {"ADD", "SUB"}, {"ANDW", "SUBW"},
	{"AND", "ORR"}, {"CBZ", "CBNZ"}, {"BEQ", "B"}, {"RBITW", "CLZW", "MVNW"}, {"MOVD", "MOVW"}, {"MOVWU", "MOVBU", "MOVD"},
}

func exchanged(l *line, rng *rand.Rand) string {
	if l.i == nil {
		return ""
	}
	for _, s := range siblings {
		for n, name := range s {
			if name == l.i.Name {
				other := s[(n+1+rng.IntN(len(s)-1))%len(s)]
				return strings.Replace(l.text, name, other, 1)
			}
		}
	}
	return ""
}

// operand returns the line with one operand of a kind replaced.
func (l *line) operand(rng *rand.Rand, kind asm.Kind, replace func(o asm.Operand) string) string {
	if l.i == nil {
		return ""
	}
	var at []int
	for n, o := range l.i.Operands {
		if o.Kind == kind {
			at = append(at, n)
		}
	}
	if len(at) == 0 {
		return ""
	}
	n := at[rng.IntN(len(at))]
	i := *l.i
	i.Operands = append([]asm.Operand(nil), l.i.Operands...)
	i.Operands[n].Text = replace(l.i.Operands[n])
	if i.Operands[n].Text == "" {
		return ""
	}
	return "\t" + i.String()
}

func immediateChanged(l *line, rng *rand.Rand) string {
	bits := 5
	if l.i != nil && l.i.Name == "WORD" {
		bits = 32
	}
	return l.operand(rng, asm.Immediate, func(o asm.Operand) string { return fmt.Sprintf("$%d", o.Value^1<<rng.IntN(bits)) })
}

func offsetChanged(l *line, rng *rand.Rand) string {
	by := int64(4 - 8*rng.IntN(2))
	if rng.IntN(4) == 0 {
		by *= 4
	}
	if out := l.operand(rng, asm.Memory, func(o asm.Operand) string {
		rest := o.Text[strings.Index(o.Text, "("):]
		return fmt.Sprintf("%d%s", o.Value+by, rest)
	}); out != "" {
		return out
	}
	return l.operand(rng, asm.Symbol, func(o asm.Operand) string {
		if o.Value+by < 0 || !strings.HasSuffix(o.Name, "<>") {
			return ""
		}
		return fmt.Sprintf("%s+%d(SB)", o.Name, o.Value+by)
	})
}

func registerChanged(l *line, rng *rand.Rand) string {
	if out := l.operand(rng, asm.Register, func(o asm.Operand) string { return otherRegister(o.Name, rng) }); out != "" {
		return out
	}
	return l.operand(rng, asm.List, func(o asm.Operand) string {
		n := rng.IntN(len(o.Parts))
		return strings.Replace(o.Text, o.Parts[n].Name, otherRegister(o.Parts[n].Name, rng), 1)
	})
}

// otherRegister returns the name of another register of the same kind.
func otherRegister(name string, rng *rand.Rand) string {
	var n int
	if _, err := fmt.Sscanf(name[1:], "%d", &n); err != nil {
		names := []string{"AX", "BX", "CX", "DX", "SI", "DI"}
		for i, known := range names {
			if known == name {
				return names[(i+1+rng.IntN(len(names)-1))%len(names)]
			}
		}
		return ""
	}
	low, high := 0, 15
	switch {
	case name[0] == 'K':
		low, high = 1, 7
	case name[0] == 'R' && n < 8:
		high = 7
	case name[0] == 'R' && n < 16:
		low = 8
	case name[0] == 'R':
		low, high = 19, 26
	case n > 15:
		low, high = 16, 31
	}
	_, arrangement, arranged := strings.Cut(name, ".")
	if arranged {
		arrangement = "." + arrangement
	}
	return fmt.Sprintf("%c%d%s", name[0], low+(n-low+1+rng.IntN(high-low))%(high-low+1), arrangement)
}

func tableBit(l *line, rng *rand.Rand) string {
	at := strings.Index(l.text, ", $0x")
	if !strings.HasPrefix(l.text, "DATA ") || at < 0 {
		return ""
	}
	var v uint64
	digits := l.text[at+5:]
	if _, err := fmt.Sscanf(digits, "%x", &v); err != nil {
		return ""
	}
	return fmt.Sprintf("%s, $%#0*x", l.text[:at], len(digits)+2, v^1<<rng.IntN(4*len(digits)))
}

func tableWord(l *line, rng *rand.Rand) string {
	at := strings.Index(l.text, ", $0x")
	if !strings.HasPrefix(l.text, "DATA ") || at < 0 {
		return ""
	}
	n := len(l.text) - at - 5
	return fmt.Sprintf("%s, $%#0*x", l.text[:at], n+2, rng.Uint64()>>(64-4*n))
}

// mutants returns so many mutants of a kernel and the function that it calls,
// in its second file if it has one, of every kind about as many. They are the
// same for the same seed. Functions that the proof does not reach are left
// alone.
func mutants(s *Sources, files []string, o *outcome, count int, seed uint64) ([]mutant, error) {
	rng := rand.New(rand.NewPCG(seed, 11))
	var out []mutant
	texts, lines := make([][]string, len(files)), make([][]line, len(files))
	for f, name := range files {
		text, err := s.File(name)
		if err != nil {
			return nil, err
		}
		texts[f] = strings.Split(text, "\n")
		lines[f] = make([]line, len(texts[f]))
		for n, t := range texts[f] {
			lines[f][n].text = t
		}
		for _, fn := range o.program.functions {
			for n := range fn.Code {
				if i := &fn.Code[n]; fn.FileName == name && o.executed[&fn.Code[0]] {
					lines[f][i.Line-1].i = i
				}
			}
		}
	}
	seen := make(map[string]bool)
	for tries := 0; len(out) < count && tries < 1000*count; tries++ {
		kind := kinds[len(out)%len(kinds)]
		f := 0
		if rng.IntN(5) == 0 {
			f = len(files) - 1
		}
		n := rng.IntN(len(lines[f]))
		now := kind.hurt(&lines[f][n], rng)
		if was := texts[f][n]; now != "" && now != was && !seen[fmt.Sprint(f, n, now)] {
			seen[fmt.Sprint(f, n, now)] = true
			texts[f][n] = now
			out = append(out, mutant{kind.name, files[f], n + 1, was, now, strings.Join(texts[f], "\n")})
			texts[f][n] = was
		}
	}
	return out, nil
}
