package cli

import (
	"fmt"
	"strings"
)

// Quote returns name for a message, as coreutils does in the C locale: as it
// is if it is a plain word, else in shell quotes that show every byte.
func Quote(name string) string {
	if isWord(name) {
		return name
	}
	return QuoteAlways(name)
}

// QuoteAlways returns name in shell quotes.
func QuoteAlways(name string) string {
	apostrophe := strings.Contains(name, "'")
	if apostrophe && fitsDoubleQuotes(name) {
		return `"` + name + `"`
	}
	var b strings.Builder
	b.WriteByte('\'')
	// escaped says that the current quote is $'...'. Coreutils 9.1 starts anew
	// after it met an apostrophe, but keeps what it was at the end: a fault that
	// does no more than misplace quotes, and part of its output.
	escaped := apostrophe && !isPrintable(name[len(name)-1])
	for i := range len(name) {
		switch c := name[i]; {
		case !isPrintable(c):
			if !escaped {
				b.WriteString("'$'")
				escaped = true
			}
			b.WriteString(escapeByte(c))
		case c == '\'':
			b.WriteString(`'\''`)
			escaped = false
		default:
			if escaped {
				b.WriteString("''")
				escaped = false
			}
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// isWord reports whether name needs no quotes. A colon needs them because it
// ends names in messages.
func isWord(name string) bool {
	if name == "" || name == "{" || name == "}" || name[0] == '#' || name[0] == '~' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isAlnum(c) && strings.IndexByte("%+,-./@]_{}#~", c) < 0 {
			return false
		}
	}
	return true
}

// fitsDoubleQuotes reports whether name has only bytes that coreutils puts
// into double quotes, to spare an apostrophe its escape.
func fitsDoubleQuotes(name string) bool {
	if name[0] == '#' || name[0] == '~' {
		name = name[1:]
	}
	for i := range len(name) {
		if c := name[i]; !isAlnum(c) && strings.IndexByte("%+,-./:@]_ '", c) < 0 {
			return false
		}
	}
	return true
}

func isPrintable(c byte) bool { return ' ' <= c && c <= '~' }

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// escapeByte returns the escape of an unprintable byte inside of $'...'.
func escapeByte(c byte) string {
	const first, letters = '\a', "abtnvfr"
	if c >= first && c <= '\r' {
		return `\` + letters[c-first:c-first+1]
	}
	return fmt.Sprintf(`\%03o`, c)
}
