// Package checksum reads and writes checksum lines as sha1sum of GNU coreutils
// 9.1 does. File names are bytes; nothing is assumed about their encoding.
package checksum

import (
	"encoding/hex"
	"strings"
)

// Size is the length of a digest in bytes.
const Size = 20

// hexSize is the length of a digest in hexadecimal digits.
const hexSize = 2 * Size

// tag starts a line of the BSD form.
const tag = "SHA1"

// Format chooses the form of the lines that are written. The zero value is
// sha1sum's default.
type Format struct {
	Tag    bool // the BSD form, "SHA1 (name) = digest"
	Binary bool // mark the name with '*'; no meaning in the BSD form
	Zero   bool // end lines with NUL and leave names as they are
}

// Append appends the line for a file, its terminator included, to dst.
func (f Format) Append(dst []byte, sum [Size]byte, name string) []byte {
	escaped := !f.Zero && needsEscape(name)
	if escaped {
		dst = append(dst, '\\')
		name = escaper.Replace(name)
	}
	if f.Tag {
		dst = append(dst, tag+" ("...)
		dst = append(dst, name...)
		dst = append(dst, ") = "...)
		dst = hex.AppendEncode(dst, sum[:])
	} else {
		dst = hex.AppendEncode(dst, sum[:])
		if f.Binary {
			dst = append(dst, " *"...)
		} else {
			dst = append(dst, "  "...)
		}
		dst = append(dst, name...)
	}
	if f.Zero {
		return append(dst, 0)
	}
	return append(dst, '\n')
}

var escaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

// needsEscape reports whether name holds a byte that a line cannot: newline,
// carriage return or backslash.
func needsEscape(name string) bool { return strings.ContainsAny(name, "\\\n\r") }

// Report returns name as verification shows it: with a newline in it, escaped
// and with a leading backslash; else as it is, since unlike a checksum line it
// is not for parsing.
func Report(name string) string {
	if !strings.Contains(name, "\n") {
		return name
	}
	return `\` + escaper.Replace(name)
}
