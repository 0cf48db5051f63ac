package main

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unicode"

	"github.com/sha1dc/go/forensics"
	"github.com/sha1dc/go/sha1dc"
)

const (
	drawnAttacks = 4  // more are not drawn
	drawnBlocks  = 10 // of an attack with more, half as many are drawn at either end

	gutter    = 118. // width of the labels on the left
	endWidth  = 92.  // of the columns in front of and behind the blocks
	gapWidth  = 64.  // of the column for blocks that are not drawn
	laneH     = 30.  // height of a file's row
	laneGap   = 8.
	chartH    = 84.
	columnMax = 300. // width of a block's column
)

// drawing returns the picture of a file's attacks.
func drawing(s *subject) []byte {
	var p picture
	r := s.report
	name := shorten(s.name, 60)
	p.text(pictureEdge, 32, "h", name)
	p.text(pictureWidth-pictureEdge, 32, "b e", verdict(r))
	p.text(pictureEdge, 52, "s", fmt.Sprintf("%s, SHA-1 %x", count(r.Size, "byte"), r.Plain))
	y := p.overview(r, 84)
	for n := range r.Attacks[:min(len(r.Attacks), drawnAttacks)] {
		heading := ""
		if len(r.Attacks) > 1 {
			heading = fmt.Sprintf("%d. ", n+1)
		}
		a := &r.Attacks[n]
		heading += fmt.Sprintf("%s: %s, bytes %s", title(a), count(int64(len(a.Blocks)), "block"), span(a.Offset(), int64(a.Length())))
		y = p.attack(heading, a, r.Size, y+34)
	}
	if more := len(r.Attacks) + r.Omitted - drawnAttacks; more > 0 {
		y += 30
		p.text(pictureEdge, y, "s", count(int64(more), "more attack")+" not drawn")
	}
	p.height = y + pictureEdge
	return p.bytes("Attacks on "+name, fmt.Sprintf("%s: where blocks of the file differ from those of the other file, in which bits, "+
		"and how the difference of the chaining values opens and closes.", verdict(r)))
}

// shorten returns a name of up to n columns, with signs for what has none.
func shorten(name string, n int) string {
	runes := []rune(strings.ToValidUTF8(name, "\ufffd"))
	for i, r := range runes {
		if !unicode.IsPrint(r) {
			runes[i] = '\ufffd'
		}
	}
	if width(runes) <= n {
		return string(runes)
	}
	head, tail := len(runes)/2, len(runes)/2
	for width(runes[:head])+1+width(runes[tail:]) > n {
		if width(runes[:head]) > width(runes[tail:]) {
			head--
		} else {
			tail++
		}
	}
	return string(runes[:head]) + "…" + string(runes[tail:])
}

// width returns the number of columns that a text takes at most. Signs of scripts
// behind the European ones in Unicode can be as wide as two.
func width(runes []rune) int {
	sum := 0
	for _, r := range runes {
		sum++
		if r >= 0x0500 && r != '\ufffd' {
			sum++
		}
	}
	return sum
}

// overview draws the whole file with the places of all attacks, and returns
// where it ends.
func (p *picture) overview(r *forensics.Report, y float64) float64 {
	const left, width, height = pictureEdge, pictureWidth - 2*pictureEdge, 16.
	p.box(left+.5, y+.5, width-1, height-1, fmt.Sprintf(`rx="3" fill="%s" stroke="%s"`, wash, faint))
	last := -100.
	for n := range r.Attacks {
		a := &r.Attacks[n]
		scale := width / float64(max(r.Size, 1))
		w := max(3, float64(a.Length())*scale)
		x := left + min(float64(a.Offset())*scale, width-w)
		p.box(x, y, w, height, fmt.Sprintf(`fill="%s"`, there))
		if center := min(max(x+w/2, left+4), left+width-4); len(r.Attacks) > 1 && n < drawnAttacks && math.Abs(center-last) > 14 {
			p.text(center, y-5, "s c b", fmt.Sprint(n+1))
			last = center
		}
	}
	p.text(left, y+height+15, "s", "byte 0")
	p.text(left+width, y+height+15, "s e", fmt.Sprint(r.Size))
	return y + height + 15
}

// A column is a stretch of both files on a common scale.
type column struct {
	x, w    float64
	block   *forensics.Block // nil for the gap
	omitted int              // blocks in the gap
}

// columns returns the columns for the blocks of an attack. The ends of the
// files take endWidth on either side.
func layout(a *forensics.Attack) []column {
	drawn, gap := len(a.Blocks), 0.
	if drawn > drawnBlocks {
		drawn, gap = drawnBlocks, gapWidth
	}
	const room = pictureWidth - 2*pictureEdge - gutter - 2*endWidth
	w := min(columnMax, (room-gap)/float64(drawn))
	x := pictureEdge + gutter + endWidth
	var out []column
	for n := range a.Blocks {
		omitted := len(a.Blocks) - drawn
		switch {
		case n < (drawn+1)/2 || n >= (drawn+1)/2+omitted:
			out = append(out, column{x: x, w: w, block: &a.Blocks[n]})
			x += w
		case n == (drawn+1)/2:
			out = append(out, column{x: x, w: gap, omitted: omitted})
			x += gap
		}
	}
	return out
}

// attack draws one attack below y, and returns where it ends.
func (p *picture) attack(heading string, a *forensics.Attack, size int64, y float64) float64 {
	p.path(fmt.Sprintf(`stroke="%s"`, faint), pictureEdge, y-14, pictureWidth-pictureEdge, y-14)
	y += 12
	p.text(pictureEdge, y, "h", heading)
	columns := layout(a)
	y = p.lanes(a, columns, size, y+34)
	y = p.states(a, columns, y+28)
	return p.grids(columns, y+34)
}

// lanes draws both files side by side.
func (p *picture) lanes(a *forensics.Attack, columns []column, size int64, y float64) float64 {
	first, last := columns[0], columns[len(columns)-1]
	left, right := first.x-endWidth, last.x+last.w
	other := y + laneH + laneGap
	bottom := other + laneH
	p.text(pictureEdge, y+19, "b", "this file")
	p.text(pictureEdge, other+19, "b", "other file")

	// Offsets count from the attack if the numbers are too long for columns.
	place := func(offset int64) string { return fmt.Sprint(offset) }
	if 6.6*float64(len(place(a.Flagged().Offset))) > first.w-4 {
		place = func(offset int64) string { return fmt.Sprintf("+%d", offset-a.Offset()) }
	}

	common := fmt.Sprintf(`rx="3" fill="%s" stroke="%s"`, wash, faint)
	switch {
	case a.Offset() == 0:
	case a.End == forensics.Met:
		p.box(left+.5, y+.5, endWidth-3, bottom-y-1, common)
		p.text(left+endWidth/2-1, (y+bottom)/2+4, "s c", "the same")
	default:
		p.box(left+.5, y+.5, endWidth-3, laneH-1, common)
		p.box(left+.5, other+.5, endWidth-3, laneH-1, fmt.Sprintf(`rx="3" fill="url(#unknown)" stroke="%s"`, there))
		p.box(left+18, other+8, endWidth-38, 15, `rx="3" fill="#fff"`)
		p.text(left+endWidth/2-1, other+19, "s c", "unknown")
	}
	for _, c := range columns {
		if c.block == nil {
			p.text(c.x+c.w/2, (y+bottom)/2+1, "s c", fmt.Sprintf("%d more", c.omitted))
			continue
		}
		p.text(c.x+1, y-7, "s", place(c.block.Offset))
		for lane, colour := range []string{here, there} {
			p.box(c.x+1, y+float64(lane)*(laneH+laneGap), c.w-2, laneH, fmt.Sprintf(`rx="3" fill="%s" fill-opacity=".22" stroke="%[1]s"`, colour))
		}
		if c.block == a.Flagged() {
			p.text(c.x+c.w/2, y+19, "s c", "flagged")
		}
	}
	p.text(right+1, y-7, "s", place(a.Offset()+int64(a.Length())))
	follows := "end"
	if size > a.Offset()+int64(a.Length()) {
		follows = "the same"
		p.box(right+2.5, y+.5, endWidth-3, bottom-y-1, common)
	}
	p.text(right+endWidth/2+1, (y+bottom)/2+4, "s c", follows)
	return bottom
}

// states draws in how many bits the working states differ, step by step.
func (p *picture) states(a *forensics.Attack, columns []column, y float64) float64 {
	bottom := y + chartH
	most := 1
	for _, c := range columns {
		if c.block != nil {
			for _, n := range c.block.StateDifferences() {
				most = max(most, n)
			}
		}
	}
	height := func(n int) float64 { return bottom - chartH*float64(n)/float64(most) }
	p.text(pictureEdge, y+12, "b", "states differ")
	p.text(pictureEdge, y+28, "s", "bits of 160, in")
	p.text(pictureEdge, y+42, "s", "each of the 80")
	p.text(pictureEdge, y+56, "s", "steps of a block")

	first, last := columns[0], columns[len(columns)-1]
	left, right := first.x-endWidth, last.x+last.w+endWidth
	p.text(left-6, y+9, "s e", fmt.Sprint(most))
	p.text(left-6, bottom, "s e", "0")
	p.path(fmt.Sprintf(`stroke="%s"`, faint), left, y+.5, right, y+.5)
	p.path(fmt.Sprintf(`stroke="%s"`, soft), left, bottom+.5, right, bottom+.5)
	for _, c := range columns {
		if c.block == nil {
			p.text(c.x+c.w/2, bottom-6, "s c", "…")
			continue
		}
		points := []float64{c.x, bottom}
		for n, d := range c.block.StateDifferences() {
			points = append(points, c.x+c.w*float64(n)/forensics.Steps, height(d))
		}
		points = append(points, c.x+c.w, bottom)
		p.path(fmt.Sprintf(`fill="%s" fill-opacity=".16" stroke="%[1]s" stroke-linejoin="round"`, there), points...)
	}
	for n, c := range columns {
		if c.block == nil {
			continue
		}
		p.boundary(c.x, bottom, c.block.In.DifferingBits(c.block.TwinIn))
		if n == len(columns)-1 || columns[n+1].block == nil {
			p.boundary(c.x+c.w, bottom, c.block.Out.DifferingBits(c.block.TwinOut))
		}
	}
	if a.Kind() == forensics.ReducedRound {
		p.text(right-endWidth/2, bottom-7, "s c", "stays open")
	}
	p.text(pictureEdge, bottom+19, "s", "chaining values")
	return bottom + 20
}

// boundary draws in how many bits the chaining values differ between two
// blocks.
func (p *picture) boundary(x, y float64, differing int) {
	fill, label := there, count(int64(differing), "bit")
	if differing == 0 {
		fill, label = "#fff", "equal"
	}
	p.path(fmt.Sprintf(`stroke="%s" stroke-dasharray="2 3"`, soft), x, y-chartH, x, y)
	p.add(`<circle cx="%s" cy="%s" r="4" fill="%s" stroke="%s"/>`, coordinate(x), coordinate(y), fill, there)
	p.text(x, y+19, "s c", label)
}

// grids draws the bits of the message words in which each pair differs.
func (p *picture) grids(columns []column, y float64) float64 {
	const words, wordBits = sha1dc.BlockSize / 4, 32
	cell := (columns[0].w - 8) / wordBits
	row := min(max(cell, 4.5), 6.2)
	height := row * words
	p.text(pictureEdge, y+12, "b", "bits differ")
	p.text(pictureEdge, y+28, "s", "16 words down,")
	p.text(pictureEdge, y+42, "s", "bits 31 to 0 across")
	for _, c := range columns {
		if c.block == nil {
			p.text(c.x+c.w/2, y+height/2+4, "s c", "…")
			continue
		}
		x := c.x + 4
		p.box(x-.5, y-.5, cell*wordBits+1, height+1, fmt.Sprintf(`fill="%s" stroke="%s"`, wash, faint))
		var d strings.Builder
		for n := range words {
			var diff uint32
			for i := range 4 {
				diff = diff<<8 | uint32(c.block.Data[4*n+i]^c.block.Twin[4*n+i])
			}
			for ; diff != 0; diff &= diff - 1 {
				bit := bits.TrailingZeros32(diff)
				fmt.Fprintf(&d, "M%s %sh%sv%sh-%[3]sz", coordinate(x+cell*float64(wordBits-1-bit)), coordinate(y+row*float64(n)), coordinate(cell), coordinate(row))
			}
		}
		p.add(`<path d="%s" fill="%s"/>`, d.String(), ink)
		p.text(c.x+c.w/2, y+height+16, "s c", c.block.DV.String())
		p.text(c.x+c.w/2, y+height+31, "s c", count(int64(c.block.DifferingBits()), "bit"))
	}
	return y + height + 32
}
