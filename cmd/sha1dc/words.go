package main

import (
	"fmt"
	"strings"
)

// count returns a number of things in words, as "1 byte" or "2 bytes".
func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// span returns the first and last of n bytes in words.
func span(offset, n int64) string { return fmt.Sprintf("%d to %d", offset, offset+n-1) }

// wrap breaks text into lines of up to width columns, each behind an indent;
// first stands in the place of the first one's.
func wrap(first, indent string, width int, text string) string {
	var b strings.Builder
	b.WriteString(first)
	column := len(first)
	for n, word := range strings.Fields(text) {
		switch {
		case n == 0:
		case column+1+len(word) > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
	return strings.ReplaceAll(b.String(), unbrokenSpace, " ")
}

// unbrokenSpace stands for a space in a word. No quoted name has it.
const unbrokenSpace = "\x00"

// unbroken makes one word for wrap of a name with spaces, each of which counts.
func unbroken(name string) string { return strings.ReplaceAll(name, " ", unbrokenSpace) }
