package asm

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	textLine  = regexp.MustCompile(`^TEXT\s+(·[A-Za-z0-9_]+)\(SB\)(?:,\s*([A-Z|]+))?,\s*\$(\d+)-(\d+)$`)
	dataLine  = regexp.MustCompile(`^DATA\s+([A-Za-z0-9_·]+(?:<>)?)\+(\d+)\(SB\)/(\d+),\s*\$(\S+)$`)
	globlLine = regexp.MustCompile(`^GLOBL\s+([A-Za-z0-9_·]+(?:<>)?)\(SB\),\s*([A-Z|]+),\s*\$(\d+)$`)
	labelLine = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*):$`)
	mnemonic  = regexp.MustCompile(`^[A-Z][A-Z0-9]*(?:\.[A-Z0-9]+)*$`)

	symbolOperand   = regexp.MustCompile(`^([A-Za-z0-9_·]+(?:<>)?)(?:\+(\d+))?\(SB\)$`)
	argumentOperand = regexp.MustCompile(`^([a-z_][A-Za-z0-9_]*)\+(\d+)\(FP\)$`)
	memoryOperand   = regexp.MustCompile(`^([+-]?\d+)?\(([A-Z][A-Z0-9]*)\)(?:\(([A-Z][A-Z0-9]*)\*([1248])\))?$`)
	registerOperand = regexp.MustCompile(`^[A-Z][A-Z0-9]*(?:\.[A-Z][A-Z0-9]*(?:\[\d+\])?)?$`)
	shiftedOperand  = regexp.MustCompile(`^([A-Z][A-Z0-9]*)(<<|>>|->|@>)(\d+)$`)
	labelOperand    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// maxData bounds the size of a symbol, against a typing error that asks for all
// memory.
const maxData = 1 << 20

// Parse reads a file. Errors are of type *Error.
func Parse(name, text string) (*File, error) {
	p := &parser{file: &File{Name: name, Data: make(map[string]*Data)}, pending: make(map[string][]datum)}
	for n, line := range strings.Split(text, "\n") {
		p.line = n + 1
		if err := p.statement(strings.TrimSpace(line)); err != nil {
			return nil, &Error{name, p.line, err}
		}
	}
	if err := p.finish(); err != nil {
		return nil, &Error{name, p.line, err}
	}
	return p.file, nil
}

// datum is a DATA statement.
type datum struct {
	line, offset, width int
	value               uint64
}

type parser struct {
	file    *File
	line    int
	fn      *Function
	pending map[string][]datum // by symbol, whose size follows
	started bool               // a statement was read, behind which Go ignores a build line
}

func (p *parser) statement(s string) error {
	if rest, ok := strings.CutPrefix(s, "//go:build "); ok {
		if p.file.Build != "" || p.started {
			return fmt.Errorf("a build line in the wrong place")
		}
		p.file.Build = rest
		return nil
	}
	if at := strings.Index(s, "//"); at >= 0 {
		s = strings.TrimSpace(s[:at])
	}
	if s == "" {
		return nil
	}
	p.started = true
	switch {
	case s == `#include "textflag.h"`:
		return nil
	case strings.HasPrefix(s, "#"):
		return fmt.Errorf("%q: the preprocessor is not supported", s)
	case strings.ContainsAny(s, `;\"/*`) && !strings.HasPrefix(s, "DATA") && !strings.Contains(s, "("):
		return fmt.Errorf("%q: one statement a line, without comments between", s)
	case strings.Contains(s, ";") || strings.Contains(s, "/*"):
		return fmt.Errorf("%q: one statement a line, without comments between", s)
	case strings.HasPrefix(s, "TEXT"):
		return p.text(s)
	case strings.HasPrefix(s, "DATA"):
		return p.data(s)
	case strings.HasPrefix(s, "GLOBL"):
		return p.globl(s)
	}
	if p.fn == nil {
		return fmt.Errorf("%q: outside a function", s)
	}
	if m := labelLine.FindStringSubmatch(s); m != nil {
		if _, ok := p.fn.Labels[m[1]]; ok {
			return fmt.Errorf("label %s stands twice in %s", m[1], p.fn.Name)
		}
		// The assembler jumps to where a register points, if a label is called so.
		if registerOperand.MatchString(m[1]) || m[1] == "g" {
			return fmt.Errorf("label %s may be the name of a register", m[1])
		}
		p.fn.Labels[m[1]] = len(p.fn.Code)
		return nil
	}
	return p.instruction(s)
}

func (p *parser) text(s string) error {
	m := textLine.FindStringSubmatch(s)
	if m == nil {
		return fmt.Errorf("%q: want TEXT ·name(SB), FLAGS, $frame-arguments", s)
	}
	if _, ok := p.file.Function(m[1]); ok {
		return fmt.Errorf("%s is defined twice", m[1])
	}
	frame, err1 := decimal(m[3])
	args, err2 := decimal(m[4])
	if err := errors.Join(err1, err2); err != nil || frame > maxData || args > maxData {
		return fmt.Errorf("%q: sizes out of range", s)
	}
	p.fn = &Function{
		Name: m[1], Line: p.line, Flags: m[2], Frame: frame, Args: args,
		Labels: make(map[string]int), FileName: p.file.Name, Data: p.file.Data,
	}
	p.file.Functions = append(p.file.Functions, p.fn)
	return nil
}

func (p *parser) data(s string) error {
	m := dataLine.FindStringSubmatch(s)
	if m == nil {
		return fmt.Errorf("%q: want DATA name+offset(SB)/width, $value", s)
	}
	offset, err := decimal(m[2])
	if err != nil {
		return fmt.Errorf("offset %s: %w", m[2], err)
	}
	width, err := decimal(m[3])
	if err != nil || width != 1 && width != 2 && width != 4 && width != 8 {
		return fmt.Errorf("width %s, want 1, 2, 4 or 8", m[3])
	}
	v, err := integer(m[4])
	if err != nil {
		return err
	}
	if width < 8 && (v >= 1<<(8*width) || v < -(1<<(8*width-1))) {
		return fmt.Errorf("%s does not fit in %d bytes", m[4], width)
	}
	p.pending[m[1]] = append(p.pending[m[1]], datum{p.line, offset, width, uint64(v)})
	return nil
}

func (p *parser) globl(s string) error {
	m := globlLine.FindStringSubmatch(s)
	if m == nil {
		return fmt.Errorf("%q: want GLOBL name(SB), FLAGS, $size", s)
	}
	name := m[1]
	if _, ok := p.file.Data[name]; ok {
		return fmt.Errorf("%s is defined twice", name)
	}
	size, err := decimal(m[3])
	if err != nil || size > maxData {
		return fmt.Errorf("size %s out of range", m[3])
	}
	d := &Data{Name: name, Line: p.line, Flags: m[2], Content: make([]byte, size)}
	given := make([]bool, size)
	for _, v := range p.pending[name] {
		for n := range v.width {
			at := v.offset + n
			if at >= size {
				return fmt.Errorf("%s has %d bytes, the DATA of line %d goes beyond", name, size, v.line)
			}
			if given[at] {
				return fmt.Errorf("%s: byte %d is given twice, again in line %d", name, at, v.line)
			}
			given[at] = true
			d.Content[at] = byte(v.value >> (8 * n))
		}
	}
	delete(p.pending, name)
	p.file.Data[name] = d
	return nil
}

func (p *parser) finish() error {
	for name, data := range p.pending {
		return fmt.Errorf("DATA of %s in line %d without a GLOBL after it", name, data[0].line)
	}
	for _, fn := range p.file.Functions {
		if len(fn.Code) == 0 {
			return fmt.Errorf("%s has no code", fn.Name)
		}
		for _, i := range fn.Code {
			for _, o := range i.Operands {
				if _, ok := fn.Labels[o.Name]; o.Kind == Label && !ok {
					p.line = i.Line
					return fmt.Errorf("%s: no label %s in %s", i.Name, o.Name, fn.Name)
				}
			}
		}
	}
	return nil
}

func (p *parser) instruction(s string) error {
	name, rest, _ := strings.Cut(strings.ReplaceAll(s, "\t", " "), " ")
	if !mnemonic.MatchString(name) {
		return fmt.Errorf("%q is no instruction", s)
	}
	i := Instruction{Line: p.line, Name: name}
	if rest = strings.TrimSpace(rest); rest != "" {
		for _, text := range split(rest) {
			o, err := operand(strings.TrimSpace(text), name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			i.Operands = append(i.Operands, o)
		}
	}
	p.fn.Code = append(p.fn.Code, i)
	return nil
}

// split splits operands at the commas that are outside of lists.
func split(s string) (out []string) {
	depth, from := 0, 0
	for at, c := range s {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, s[from:at])
			from = at + 1
		}
	}
	return append(out, s[from:])
}

// operand reads an operand. A name alone is a label if it is that of a jump or
// has lower case in it, which no register has.
func operand(s, mnemonic string) (Operand, error) {
	o := Operand{Text: s}
	var err error
	if rest, ok := strings.CutPrefix(s, "$"); ok {
		if strings.HasSuffix(rest, ")") {
			part, err := operand(rest, mnemonic)
			o.Kind, o.Parts = Address, []Operand{part}
			if err == nil && part.Kind != Memory && part.Kind != Symbol {
				err = fmt.Errorf("%q is the address of nothing", s)
			}
			return o, err
		}
		o.Kind = Immediate
		o.Value, err = integer(rest)
		return o, err
	}
	if labelOperand.MatchString(s) && (strings.HasPrefix(mnemonic, "J") || s != strings.ToUpper(s)) {
		o.Kind, o.Name = Label, s
		return o, nil
	}
	if inner, ok := strings.CutPrefix(s, "("); ok && strings.Contains(s, ",") {
		return list(o, strings.TrimSuffix(inner, ")"))
	}
	if m := shiftedOperand.FindStringSubmatch(s); m != nil {
		o.Kind, o.Name, o.Index = Shifted, m[1], m[2]
		o.Value, err = offset(m[3])
		return o, err
	}
	if m := symbolOperand.FindStringSubmatch(s); m != nil {
		o.Kind, o.Name = Symbol, m[1]
		o.Value, err = offset(m[2])
		return o, err
	}
	if m := argumentOperand.FindStringSubmatch(s); m != nil {
		o.Kind, o.Name = Argument, m[1]
		o.Value, err = offset(m[2])
		return o, err
	}
	if m := memoryOperand.FindStringSubmatch(s); m != nil {
		o.Kind, o.Name, o.Index = Memory, m[2], m[3]
		if m[4] != "" {
			o.Scale = int(m[4][0] - '0')
		}
		o.Value, err = offset(m[1])
		return o, err
	}
	if registerOperand.MatchString(s) {
		o.Kind, o.Name = Register, s
		return o, nil
	}
	return o, fmt.Errorf("operand %q is not understood", s)
}

// list reads the registers of a list into o.
func list(o Operand, inner string) (Operand, error) {
	o.Kind = List
	for _, text := range split(inner) {
		part, err := operand(strings.TrimSpace(text), "")
		if err == nil && part.Kind != Register {
			err = fmt.Errorf("%q is no register of a list", text)
		}
		if err != nil {
			return o, err
		}
		o.Parts = append(o.Parts, part)
	}
	return o, nil
}

func offset(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	v, err := decimal(strings.TrimLeft(s, "+-"))
	if s[0] == '-' {
		v = -v
	}
	return int64(v), err
}

// decimal reads a number of up to 31 bits. The assembler takes one that starts
// with a zero for octal.
func decimal(s string) (int, error) {
	if len(s) > 1 && s[0] == '0' {
		return 0, fmt.Errorf("%q is octal, write it in decimal", s)
	}
	v, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of 31 bits", s)
	}
	return int(v), nil
}

// integer reads a number of up to 64 bits.
func integer(s string) (int64, error) {
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return v, nil
	}
	v, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of 64 bits", s)
	}
	return int64(v), nil
}
