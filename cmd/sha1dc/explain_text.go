package main

import (
	"fmt"
	"strings"

	"github.com/sha1dc/go/forensics"
	"github.com/sha1dc/go/internal/cli"
)

// textWidth is the width of running text in a report.
const textWidth = 80

// A text is a report that a person reads.
type text struct{ strings.Builder }

func (t *text) printf(format string, args ...any) { fmt.Fprintf(t, format, args...) }

// paragraph writes running text.
func (t *text) paragraph(format string, args ...any) {
	t.WriteString(wrap("  ", "  ", textWidth, fmt.Sprintf(format, args...)))
}

// item writes an item of a list.
func (t *text) item(format string, args ...any) {
	t.WriteString(wrap("  - ", "    ", textWidth, fmt.Sprintf(format, args...)))
}

// textReport returns the report on a file.
func textReport(s *subject) []byte {
	r := s.report
	var t text
	t.printf("%s: %s\n\n", cli.Quote(s.name), verdict(r))
	size := count(r.Size, "byte")
	if s.typ != "" {
		size += ", looks like: " + s.typ
	}
	if s.err != nil {
		size += ", up to where reading failed"
	}
	t.printf("  size       %s\n  SHA-1      %x\n", size, r.Plain)
	if len(r.Attacks) == 0 {
		return []byte(t.String())
	}
	t.printf("  mitigated  %x\n", r.Mitigated)
	for n := range r.Attacks {
		t.attack(r, n)
	}
	if r.Omitted > 0 {
		t.printf("\n")
		t.paragraph("%s not described here.", count(int64(r.Omitted), "more attack"))
	}
	t.advice(s)
	return []byte(t.String())
}

// verdict returns the result in short.
func verdict(r *forensics.Report) string {
	best := "no SHA-1 collision attack"
	for n := range r.Attacks {
		switch a := &r.Attacks[n]; {
		case a.HasOther():
			return collision
		case a.Kind() != forensics.ReducedRound:
			best = "SHA-1 collision attack without another file"
		case n == 0:
			best = "attack on SHA-1 with fewer steps"
		}
	}
	return best
}

// collision is the verdict on a file that has the same SHA-1 as another.
const collision = "SHA-1 COLLISION ATTACK"

// title returns the kind of an attack in words.
func title(a *forensics.Attack) string {
	return map[forensics.Kind]string{
		forensics.IdenticalPrefix: "Identical-prefix attack",
		forensics.ChosenPrefix:    "Chosen-prefix attack",
		forensics.ReducedRound:    "Reduced-round attack",
		forensics.Undetermined:    "Attack of undetermined kind",
	}[a.Kind()]
}

// attack describes attack n of a report.
func (t *text) attack(r *forensics.Report, n int) {
	a := &r.Attacks[n]
	number := ""
	if len(r.Attacks) > 1 {
		number = fmt.Sprintf("%d. ", n+1)
	}
	length := int64(a.Length())
	t.printf("\n%s%s: %s, bytes %s (0x%x to 0x%x)\n\n", number, title(a),
		count(int64(len(a.Blocks)), "block"), span(a.Offset(), length), a.Offset(), a.Offset()+length-1)
	t.paragraph("%s", meaning(r, n))
	if known := a.Known(); known != "" {
		t.paragraph("The blocks are those of %s.", known)
	}
	if padding := length - lengthInFile(a, r.Size); padding > 0 && !a.Padded {
		t.paragraph("The blocks end in %s of SHA-1's padding, which both files share.", count(padding, "byte"))
	}
	t.preceding(a)
	t.blocks(a)
}

// meaning says what an attack means for the two files.
func meaning(r *forensics.Report, n int) string {
	a := &r.Attacks[n]
	option := "--twin=OUT"
	if len(r.Attacks) > 1 {
		option += fmt.Sprintf(" --attack=%d", n+1)
	}
	differ := fmt.Sprintf("differ in %d of these %d bytes", a.DifferingBytes(), a.Length())
	switch {
	case a.Padded:
		return "The flagged block holds the padding that SHA-1 adds to the file, and its twin differs there. It is the padding of no file, so this collides with no other file."
	case a.Kind() == forensics.ReducedRound:
		lo, hi := a.SharedSteps()
		return fmt.Sprintf("With a twin that differs in %d of these %d bytes, the block would collide if SHA-1 had %d to %d steps; it has 80. "+
			"The two files have different SHA-1 digests: the chaining values behind the block differ in %s. "+
			"If the file was cut off or changed behind the block, it may be the first part of a full attack.",
			a.DifferingBytes(), a.Length(), lo, hi, count(int64(a.Flagged().Out.DifferingBits(a.Flagged().TwinOut)), "bit"))
	case a.Complete():
		return fmt.Sprintf("Another file has the same SHA-1, and is known to the last byte: the files %s, and nowhere else. %s writes it.", differ, option)
	case a.Kind() == forensics.ChosenPrefix:
		return fmt.Sprintf("Another file has the same SHA-1 and size. Its first %s differ too and cannot be computed; "+
			"they lead to the chaining value %v, this file's to %v. The rest is known: the files %s. %s writes those.",
			count(a.Offset(), "byte"), a.Blocks[0].TwinIn, a.Blocks[0].In, differ, option)
	case a.End == forensics.WindowStart:
		return fmt.Sprintf("Another file has the same SHA-1. The files %s, and in others in front of them: "+
			"the attack was followed through %s, which is the whole window. Give a larger --window to follow it further.",
			differ, count(int64(r.Options.Window), "block"))
	}
	return fmt.Sprintf("The twins of these blocks, which %s, lead to the same chaining value, but from %v instead of the value "+
		"that SHA-1 starts with. No file has it, so this collides with no other file.", differ, a.Blocks[0].TwinIn)
}

// preceding shows what stands in front of an attack.
func (t *text) preceding(a *forensics.Attack) {
	if len(a.Preceding) == 0 {
		return
	}
	t.printf("\n  In front of it:\n\n")
	for n := 0; n < len(a.Preceding); n += rowBytes {
		row := a.Preceding[n:min(n+rowBytes, len(a.Preceding))]
		t.printf("  %08x   %s  |%s|\n", a.Offset()-int64(len(a.Preceding))+int64(n), hexRow(row), printable(row))
	}
}

const (
	rowBytes = 16

	// shownBlocks is the largest number of blocks that are shown. Of more, half as
	// many are shown at either end.
	shownBlocks = 12
)

// blocks shows the blocks of an attack beside their twins.
func (t *text) blocks(a *forensics.Attack) {
	width := len(place(a.Flagged().Offset))
	row := func(place, vector, bits, values string) {
		t.printf("  %-*s  %-8s  %-14s  %s\n", width, place, vector, bits, values)
	}
	t.printf("\n")
	row("Block", "vector", "differing bits", "chaining values differ in")
	shown(a, func(b *forensics.Block) {
		flag := ""
		if b == a.Flagged() {
			flag = ", flagged"
		}
		row(place(b.Offset), b.DV.String(), fmt.Sprint(b.DifferingBits()),
			fmt.Sprintf("%s before, %d after%s", count(int64(b.In.DifferingBits(b.TwinIn)), "bit"), b.Out.DifferingBits(b.TwinOut), flag))
	}, t.omitted)
	t.printf("\n  This file (-) and the other (+):\n")
	shown(a, func(b *forensics.Block) { t.WriteByte('\n'); t.pair(b) }, func(n int) { t.WriteByte('\n'); t.omitted(n) })
}

// place returns an offset in both notations.
func place(offset int64) string { return fmt.Sprintf("%d (0x%x)", offset, offset) }

// shown calls show for the blocks to show, and omit for those between.
func shown(a *forensics.Attack, show func(*forensics.Block), omit func(int)) {
	omitted := 0
	if len(a.Blocks) > shownBlocks {
		omitted = len(a.Blocks) - shownBlocks
	}
	for n := range a.Blocks {
		switch {
		case omitted == 0 || n < shownBlocks/2 || n >= shownBlocks/2+omitted:
			show(&a.Blocks[n])
		case n == shownBlocks/2:
			omit(omitted)
		}
	}
}

func (t *text) omitted(n int) { t.printf("  ... %s; --json has all\n", count(int64(n), "more block")) }

// pair shows both blocks of a pair with marks under the bytes that differ.
func (t *text) pair(b *forensics.Block) {
	for n := 0; n < len(b.Data); n += rowBytes {
		one, other := b.Data[n:n+rowBytes], b.Twin[n:n+rowBytes]
		offset := fmt.Sprintf("%08x", b.Offset+int64(n))
		indent := len(offset)
		t.printf("  %s - %s  |%s|\n", offset, hexRow(one), printable(one))
		marks := make([]string, rowBytes)
		for i := range marks {
			marks[i] = "  "
			if one[i] != other[i] {
				marks[i] = "^^"
			}
		}
		t.printf("  %*s + %s  |%s|\n", indent, "", hexRow(other), printable(other))
		if line := strings.TrimRight(columns(marks), " "); line != "" {
			t.printf("  %*s   %s\n", indent, "", line)
		}
	}
}

// columns joins the columns of a row, with a gap in the middle.
func columns(cells []string) string {
	half := min(rowBytes/2, len(cells))
	return strings.Join(cells[:half], " ") + "  " + strings.Join(cells[half:], " ")
}

// hexRow returns bytes in hexadecimal.
func hexRow(row []byte) string {
	cells := make([]string, len(row))
	for n, c := range row {
		cells[n] = fmt.Sprintf("%02x", c)
	}
	return columns(cells)
}

// printable returns bytes as ASCII, with a dot for what has no sign.
func printable(row []byte) string {
	out := make([]byte, len(row))
	for n, c := range row {
		out[n] = c
		if c < ' ' || c > '~' {
			out[n] = '.'
		}
	}
	return string(out)
}

// advice says what to do now.
func (t *text) advice(s *subject) {
	t.printf("\nWhat to do now\n\n")
	if verdict(s.report) != collision {
		t.item("No other file is known to have the same SHA-1, but only work on a collision leaves such blocks. Ask where the file comes from.")
		return
	}
	t.item("Trust nothing that vouches for this file by its SHA-1 alone: a signature, checksum or object name fits the other file as well.")
	t.item("Ask where the file comes from. Whoever made the blocks had both files in mind, unless they are those of a publication, which anybody can reuse.")
	program := "sha1dcsum"
	if s.report.Options.ReducedRounds {
		program += " --reduced-round"
	}
	t.item("Look for the other file wherever this one's SHA-1 is known. SHA-256 tells the two apart, and so does the mitigated digest, which %s prints.", program)
}
