package checksum

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"iter"
)

// MaxLine is the length in bytes from which on a line is not looked at but
// counts as improperly formatted. No system has file names that long.
const MaxLine = 128 << 10

// Entry is the content of a properly formatted line.
type Entry struct {
	Sum  [Size]byte
	Name string
}

// Line is a line of a check file that is neither empty nor a comment.
type Line struct {
	Number int // counted from 1, empty lines and comments included
	Entry
	OK bool // properly formatted; if not, Entry is empty
}

// Parser parses check files. The zero value is ready to use. It remembers
// whether lines have one or two characters between digest and name, as files
// must not mix the two forms: otherwise a name that starts with a blank could
// pass for another.
type Parser struct {
	form form
}

// form is the separator between digest and name.
type form uint8

const (
	undecided form = iota
	standard       // a blank and ' ' or '*'
	reversed       // one blank, as "md5 -r" of the BSDs prints
)

const blanks = " \t"

// Lines returns the lines of r, which Parse parses one by one. A read error
// ends the sequence and comes with an empty Line.
func (p *Parser) Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		br := bufio.NewReaderSize(r, 64<<10)
		var buf []byte
		for number := 1; ; number++ {
			text, long, err := readLine(br, buf[:0])
			buf = text
			if text = trimEnd(text); len(text) > 0 && text[0] != '#' {
				line := Line{Number: number}
				if !long {
					line.Entry, line.OK = p.Parse(text)
				}
				if !yield(line, nil) {
					return
				}
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					yield(Line{}, err)
				}
				return
			}
		}
	}
}

// readLine appends the next line with its newline to buf, and reports whether
// it was cut at MaxLine.
func readLine(br *bufio.Reader, buf []byte) (line []byte, long bool, err error) {
	for {
		var part []byte
		part, err = br.ReadSlice('\n')
		if room := MaxLine - len(buf); len(part) > room {
			part, long = part[:room], true
		}
		buf = append(buf, part...)
		if err != bufio.ErrBufferFull {
			return buf, long, err
		}
	}
}

// trimEnd cuts one newline and then one carriage return.
func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// Parse parses a line without its terminator and reports whether it is
// properly formatted. The forms, each after optional blanks and an optional
// backslash that says that the name is escaped, are
//
//	digest, blank, ' ' or '*', name
//	digest, blank, name
//	SHA1 (name) = digest
//	SHA1(name)= digest
func (p *Parser) Parse(line []byte) (e Entry, ok bool) {
	line = bytes.TrimLeft(line, blanks)
	line, escaped := bytes.CutPrefix(line, []byte(`\`))
	if rest, ok := bytes.CutPrefix(line, []byte(tag)); ok {
		return parseTagged(rest, escaped)
	}
	if len(line) < hexSize+2 || !isBlank(line[hexSize]) || !decode(&e.Sum, line) {
		return Entry{}, false
	}
	name := line[hexSize+1:]
	switch marked := len(name) > 1 && (name[0] == ' ' || name[0] == '*'); {
	case !marked && p.form == standard:
		return Entry{}, false
	case !marked:
		p.form = reversed
	case p.form != reversed:
		p.form = standard
		name = name[1:]
	}
	return e.named(name, escaped)
}

// parseTagged parses what follows the tag of a line in the BSD form.
func parseTagged(s []byte, escaped bool) (e Entry, ok bool) {
	s, ok = bytes.CutPrefix(bytes.TrimPrefix(s, []byte(" ")), []byte("("))
	end := bytes.LastIndexByte(s, ')')
	if !ok || end < 0 {
		return Entry{}, false
	}
	name, s := s[:end], s[end+1:]
	s, ok = bytes.CutPrefix(bytes.TrimLeft(s, blanks), []byte("="))
	s = bytes.TrimLeft(s, blanks)
	if !ok || !decode(&e.Sum, s) || len(s) > hexSize && s[hexSize] != 0 {
		return Entry{}, false
	}
	return e.named(name, escaped)
}

// named returns e with its name. A plain name ends at a NUL, as it would for
// the system; an escaped one must not have any.
func (e Entry) named(name []byte, escaped bool) (Entry, bool) {
	nul := bytes.IndexByte(name, 0)
	if !escaped {
		if nul >= 0 {
			name = name[:nul]
		}
		e.Name = string(name)
		return e, true
	}
	plain, ok := unescape(name)
	if !ok || nul >= 0 {
		return Entry{}, false
	}
	e.Name = string(plain)
	return e, true
}

// unescape undoes the escaping of a name. Nothing but a backslash, n or r may
// follow a backslash.
func unescape(name []byte) (plain []byte, ok bool) {
	plain = make([]byte, 0, len(name))
	for {
		before, after, found := bytes.Cut(name, []byte(`\`))
		plain = append(plain, before...)
		if !found {
			return plain, true
		}
		if len(after) == 0 {
			return nil, false
		}
		switch after[0] {
		case '\\':
			plain = append(plain, '\\')
		case 'n':
			plain = append(plain, '\n')
		case 'r':
			plain = append(plain, '\r')
		default:
			return nil, false
		}
		name = after[1:]
	}
}

// decode sets sum to the hexadecimal digest, in either case, that s starts
// with, and reports whether there is one.
func decode(sum *[Size]byte, s []byte) bool {
	if len(s) < hexSize {
		return false
	}
	_, err := hex.Decode(sum[:], s[:hexSize])
	return err == nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
