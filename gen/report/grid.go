package report

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// gainColours are a sequential scale that colour-blind readers can tell apart
// (ColorBrewer YlGnBu), by new independent conditions. A lane with none repeats
// what the groups before it say.
var gainColours = []string{"#e6e9ec", "#edf8b1", "#c7e9b4", "#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#253494", "#081d58"}

// firstWhite is the first colour of the scale that needs white text.
const firstWhite = 6

func gainColour(gain int) string { return gainColours[min(gain, len(gainColours)-1)] }

// onGain returns the class suffix and colour of what is drawn on gainColour.
func onGain(gain int) (suffix, colour string) {
	if gain >= firstWhite {
		return " w", "#ffffff"
	}
	return "", ink
}

// The vectors in a cell: K from left to right, class and b from top to bottom.
var vectorRows = []struct {
	kind dvs.Type
	b    int
}{{dvs.TypeI, 0}, {dvs.TypeI, 2}, {dvs.TypeII, 0}, {dvs.TypeII, 2}}

const (
	firstK = 43
	lastK  = 56
	countK = lastK - firstK + 1
)

// vectorDots returns the path of one mark for each vector of m, in cells of
// pitch by height from (x, y).
func vectorDots(x, y, pitch, height float64, m dvs.Mask) string {
	var d strings.Builder
	for _, v := range m.DVs() {
		for row, r := range vectorRows {
			if v.Type == r.kind && v.B == r.b {
				// Conversions keep compilers for some processors from fusing the
				// product and the sum, which rounds otherwise.
				dx, dy := float64(pitch*float64(v.K-firstK)), float64(height*float64(row))
				fmt.Fprintf(&d, "M%s %sh%sv%sh-%sz", xy(x+dx), xy(y+dy),
					xy(pitch-.5), xy(height-.5), xy(pitch-.5))
			}
		}
	}
	return d.String()
}

// laneGains returns the new independent conditions of every lane of p, in
// order.
func laneGains(p *plan.Plan) [][]int {
	var spans [dvs.Count]dvs.Span
	gains := make([][]int, len(p.Groups))
	for n, g := range p.Groups {
		gains[n] = make([]int, len(g.Lanes))
		for at, l := range g.Lanes {
			for dv := range dvs.Count {
				if l.DVs.Has(dv) {
					if independent, _ := spans[dv].Add(l.Edge); independent {
						gains[n][at]++
					}
				}
			}
		}
	}
	return gains
}

// gridLayout is where the parts of a plan's picture stand.
type gridLayout struct {
	blocks        int // columns of groups
	block         float64
	number, label float64 // widths
	cell          float64
	bar           float64
	row           float64 // height of a row, its gap included
}

func layoutOf(p *plan.Plan) gridLayout {
	l := gridLayout{row: 34, number: 24, label: 152}
	for _, s := range p.Shapes {
		if s == plan.Variable {
			l.row = 44
		}
	}
	switch lanes := p.Machine.Lanes; {
	case lanes == 1:
		l.blocks, l.number, l.label, l.row = 6, 0, 0, 38
		l.block = (inner + 6) / 6.
		l.cell = l.block - 6
	case lanes <= 4:
		l.blocks = 2
		l.block = (inner + 24) / 2.
		l.cell = 176 / float64(lanes)
	default:
		l.blocks, l.block, l.bar = 1, inner, 46
		l.cell = 604 / float64(lanes)
	}
	return l
}

// planGrid returns the picture of a plan: a row for each group, a cell for each
// lane.
func planGrid(p *plan.Plan) []byte {
	var pic picture
	l := layoutOf(p)
	gains, sums, curve := laneGains(p), p.Gains(), p.Curve()
	w, h := l.cell-2, l.row-4
	if p.Machine.Lanes == 1 {
		w = l.cell
	}
	pic.printf(`<defs><rect id="cell" width="%s" height="%s" rx="3"/>`+
		`<rect id="idle" width="%s" height="%s" rx="3" fill="none" stroke="%s" stroke-dasharray="2 2"/></defs>`+"\n",
		xy(w), xy(h), xy(w-1), xy(h-1), faint)
	pic.text(margin, 30, "h", p.Name)
	pic.text(margin, 48, "s", p.Machine.About)
	top := gridLegend(&pic, p, 64) + 12

	rows := (len(p.Groups) + l.blocks - 1) / l.blocks
	if p.Machine.Lanes > 1 {
		for b := range min(l.blocks, len(p.Groups)) {
			gridHead(&pic, margin+l.block*float64(b), top+14, l, p)
		}
		top += 22
	}
	for n := range p.Groups {
		// Many lanes and few read down the columns; cards read along the rows.
		column, row := n/rows, n%rows
		if p.Machine.Lanes == 1 {
			column, row = n%l.blocks, n/l.blocks
		}
		x, y := margin+l.block*float64(column), top+l.row*float64(row)
		gridRow(&pic, x, y, l, n, &p.Groups[n], gains[n], curve[n+1], slices.Max(sums))
	}
	pic.size = top + l.row*float64(rows) + margin - 2
	return pic.bytes("Filter plan "+p.Name, fmt.Sprintf(
		"%d groups of %d lanes. Each cell is a condition; its colour says how many independent conditions it adds, the marks in it which disturbance vectors it dismisses.",
		len(p.Groups), p.Machine.Lanes))
}

func gridHead(pic *picture, x, y float64, l gridLayout, p *plan.Plan) {
	pic.text(x+l.number, y, "s", "group")
	left := x + l.number + l.label
	if p.Machine.Lanes >= 8 {
		for n := range p.Machine.Lanes {
			pic.text(left+l.cell*(float64(n)+.5), y, "s c", fmt.Sprint(n))
		}
	} else {
		pic.text(left, y, "s", "lanes")
	}
	right := left + l.cell*float64(p.Machine.Lanes) + 8
	pic.text(right, y, "s", "adds")
	pic.text(right+max(l.bar, 26)+46, y, "s e", "leaves")
}

func gridRow(pic *picture, x, y float64, l gridLayout, n int, g *plan.Group, gains []int, left plan.Survivors, most int) {
	h := l.row - 4
	middle := y + h/2 + 4
	sum := 0
	for _, gain := range gains {
		sum += gain
	}
	if len(g.Lanes) == 1 {
		gridCell(pic, x, y, l.cell, h, g, g.Lanes[0], gains[0], fmt.Sprint(n+1))
		return
	}
	pic.text(x+l.number-6, middle, "s e", fmt.Sprint(n+1))
	pic.text(x+l.number, middle, "m", groupForm(g))
	at := x + l.number + l.label
	for lane := range g.Lanes {
		gridCell(pic, at+l.cell*float64(lane), y, l.cell-2, h, g, g.Lanes[lane], gains[lane], "")
	}
	at += l.cell*float64(len(g.Lanes)) + 8
	if l.bar > 0 {
		pic.rect(at+22, y+h/2-5, max(1, (l.bar-24)*float64(sum)/float64(most)), 10, `fill="#7fcdbb"`)
	}
	pic.text(at+18, middle, "m e", fmt.Sprint(sum))
	pic.text(at+max(l.bar, 26)+46, middle, "m e", rate(left))
}

func gridCell(pic *picture, x, y, w, h float64, g *plan.Group, lane plan.Lane, gain int, number string) {
	if !lane.Used() {
		pic.printf(`<use href="#idle" x="%s" y="%s"/>`+"\n", xy(x+.5), xy(y+.5))
		return
	}
	suffix, colour := onGain(gain)
	pic.printf("<g><title>%s</title>\n", html.EscapeString(fmt.Sprintf("%v, adds %d: %v", lane.Edge, gain, lane.DVs)))
	pic.printf(`<use href="#cell" x="%s" y="%s" fill="%s"/>`+"\n", xy(x), xy(y), gainColour(gain))
	switch {
	case number != "":
		pic.text(x+5, y+12, "n"+suffix, number)
		pic.text(x+w-5, y+12, "m e"+suffix, fmt.Sprintf("%d.%d^%d.%d=%d", lane.I, lane.A, lane.J, lane.B, lane.C))
	case lane.I == lane.J:
		pic.text(x+w/2, y+11, "m c"+suffix, fmt.Sprint(lane.I))
	default:
		pic.text(x+w/2, y+11, "m c"+suffix, fmt.Sprintf("%d^%d", lane.I, lane.J))
	}
	if g.Shape == plan.Variable {
		pic.text(x+w/2, y+20.5, "n c"+suffix, fmt.Sprintf("%d^%d=%d", lane.A, lane.B, lane.C))
	}
	pitch := (w - 6) / countK
	row := 3.5
	if number != "" {
		row = 4
	}
	pic.printf(`<path d="%s" fill="%s"/></g>`+"\n", vectorDots(x+3.2, y+h-3-row*4, pitch, row, lane.DVs), colour)
}

// gridLegend explains the colours and the marks, and returns where it ends.
func gridLegend(pic *picture, p *plan.Plan, y float64) float64 {
	const height = 84
	pic.rect(margin, y, inner, height, fmt.Sprintf(`rx="6" fill="%s"`, wash))
	x := margin + 14.
	pic.text(x, y+20, "b", "Colour: independent conditions that a lane adds")
	for n := range gainColours {
		cx := x + 30*float64(n)
		pic.rect(cx, y+30, 28, 16, fmt.Sprintf(`rx="3" fill="%s"`, gainColour(n)))
		label := fmt.Sprint(n)
		if n == len(gainColours)-1 {
			label += "+"
		}
		suffix, _ := onGain(n)
		pic.text(cx+14, y+42, "m c"+suffix, label)
	}
	pic.rect(x+.5, y+56.5, 27, 15, fmt.Sprintf(`rx="3" fill="none" stroke="%s" stroke-dasharray="2 2"`, "#8c959f"))
	pic.text(x+36, y+68, "s", "idle lane")
	what := "40^43: word 40 against word 43"
	if p.Machine.Lanes == 1 {
		what = "40.4^43.29=0: bit 4 of W[40] xor bit 29 of W[43]"
	}
	pic.text(x+100, y+68, "s", what)

	kx := float64(width - margin - 14 - 14*countK)
	pic.text(kx-262, y+20, "b", "Marks: vectors that it dismisses")
	pic.text(kx-262, y+42, "s", "K from left to right,")
	pic.text(kx-262, y+58, "s", "class and b from top to bottom")
	for k := firstK; k <= lastK; k += 3 {
		pic.text(kx+14*(float64(k-firstK)+.5), y+20, "s c", fmt.Sprint(k))
	}
	for row, r := range vectorRows {
		pic.text(kx-8, y+36+13*float64(row), "m e", fmt.Sprintf("%v(K,%d)", r.kind, r.b))
	}
	pic.printf(`<path d="%s" fill="#41b6c4"/>`+"\n", vectorDots(kx, y+26, 14, 13, dvs.AllMask))
	return y + height
}

// groupForm returns what the lanes of a group have in common.
func groupForm(g *plan.Group) string {
	first, second := "W[i]", "W[i]"
	if g.Gap != 0 {
		second = fmt.Sprintf("W[i+%d]", g.Gap)
	}
	if g.Shape == plan.Variable {
		return fmt.Sprintf("%s ^ %s", first, second)
	}
	return fmt.Sprintf("%s.%d ^ %s.%d = %d", first, g.A, second, g.B, g.C)
}

// rate writes survivors a block with three significant digits.
func rate(s plan.Survivors) string {
	switch r := s.Rate(); {
	case s == 0:
		return "0"
	case r >= 10:
		return fmt.Sprintf("%.1f", r)
	case r >= 1:
		return fmt.Sprintf("%.2f", r)
	case r >= .1:
		return fmt.Sprintf("%.3f", r)
	default:
		return fmt.Sprintf("%.4f", r)
	}
}
