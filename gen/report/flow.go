package report

import (
	"fmt"
	"html"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// example is a published condition that a uniform group of a plan tests as it
// stands.
type example struct {
	Condition dvs.Condition
	Plan      *plan.Plan
	Group     int // index
	Lane      int
}

// wanted is the condition that the page follows if the plan tests it.
var wanted = dvs.Edge{I: 40, A: 4, J: 43, B: 29, C: 0}

// findExample returns the wanted condition, or else, of the published ones that
// the plan tests, the one with most vectors whose group shifts.
func findExample(p *plan.Plan, table *dvs.Table) (*example, error) {
	var found *example
	best := 0
	for n := range p.Groups {
		g := &p.Groups[n]
		if g.Shape != plan.Uniform {
			continue
		}
		for at, l := range g.Lanes {
			for _, c := range table.Conditions {
				if c.Edge != l.Edge {
					continue
				}
				score := c.DVs.Len()
				if g.Shifted() {
					score += dvs.Count
				}
				if c.Edge == wanted {
					score += 2 * dvs.Count
				}
				if score > best {
					found, best = &example{c, p, n, at}, score
				}
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("plan %s tests no published condition in a uniform group: nothing to show", p.Name)
	}
	return found, nil
}

// The parts of the group that holds the example.

func (e *example) group() *plan.Group { return &e.Plan.Groups[e.Group] }

// GroupNumber counts from 1, as the pictures do.
func (e *example) GroupNumber() int { return e.Group + 1 }

// Mask returns the lane's vectors as the plan's file writes them.
func (e *example) Mask() string { return fmt.Sprintf("%08x", uint32(e.group().Lanes[e.Lane].DVs)) }

// Vectors returns the lane's vectors.
func (e *example) Vectors() dvs.Mask { return e.group().Lanes[e.Lane].DVs }

// Form returns what the lanes of the group have in common.
func (e *example) Form() string { return groupForm(e.group()) }

func (e *example) window(start int) string {
	return fmt.Sprintf("W[%d..%d]", start, start+len(e.group().Lanes)-1)
}

// instruction is one step of the test with its meaning.
type instruction struct{ Text, Meaning string }

// Instructions returns how AVX-512 tests the group, operands in Go's order.
func (e *example) Instructions() []instruction {
	g := e.group()
	load := instruction{
		fmt.Sprintf("VMOVDQU32 %s, Z", e.window(g.Start+g.Gap)), "the second words",
	}
	if g.Shifted() {
		load = instruction{
			fmt.Sprintf("VPRORD    $%d, %s, Z", (g.B-g.A)&31, e.window(g.Start+g.Gap)),
			fmt.Sprintf("the second words, turned so that bit %d is bit %d", g.B, g.A),
		}
	}
	test := "VPTESTMD "
	if g.C == 1 {
		test = "VPTESTNMD"
	}
	return []instruction{
		load,
		{fmt.Sprintf("VPXORD    %s, Z, Z", e.window(g.Start)), fmt.Sprintf("%d XORs, the ones asked for in bit %d", len(g.Lanes), g.A)},
		{fmt.Sprintf("%s bit %d, Z, K", test, g.A), "K: the lanes whose condition is broken"},
		{"VPORD     masks, D, K, D", "their vectors join those already dismissed"},
	}
}

// flowPicture returns the picture of how a row of the table becomes a verdict.
func flowPicture(e *example) []byte {
	var pic picture
	pic.text(margin, 30, "h", "From a row of the table to a verdict on a block")
	flowPackages(&pic, 44)

	y := flowBand(&pic, 206, 72, 1, "a row of the table", "internal/dvs/conditions.txt")
	pic.text(bandLeft, y+28, "i b", e.Condition.Edge.String())
	pic.text(bandLeft+192, y+28, "i", fmt.Sprintf(": %v", e.Condition.DVs))
	pic.text(bandLeft, y+50, "s", fmt.Sprintf("Every block of an attack with one of these %d vectors meets it; of other blocks, one in two does.", e.Condition.DVs.Len()))

	y = flowBand(&pic, y+84, 134, 2, fmt.Sprintf("lane %d of group %d", e.Lane, e.GroupNumber()), "plans/"+e.Plan.Name+".txt")
	flowLanes(&pic, y, e)

	y = flowBand(&pic, y+146, 116, 3, "four instructions", "gen/amd64")
	for n, i := range e.Instructions() {
		at := y + 28 + 23*float64(n)
		pic.printf(`<text x="%d" y="%s" class="i" xml:space="preserve">%s</text>`+"\n", bandLeft, xy(at), html.EscapeString(i.Text))
		pic.text(bandLeft+240, at, "s", i.Meaning)
	}

	y = flowBand(&pic, y+128, 124, 4, "a verdict", "sha1dc")
	flowVerdict(&pic, y, e)
	pic.size = y + 124 + margin
	return pic.bytes("From a row of the table to a verdict on a block", fmt.Sprintf(
		"The packages from the table to the runtime, and the condition %v on its way: a lane of plan %s, four instructions, and the mask of vectors to recheck.",
		e.Condition.Edge, e.Plan.Name))
}

const bandLeft = 218

// flowBand draws the frame of one stage and returns its top.
func flowBand(pic *picture, y, height float64, number int, title, where string) float64 {
	pic.rect(margin, y, inner, height, fmt.Sprintf(`rx="6" fill="%s"`, wash))
	pic.printf(`<circle cx="%d" cy="%s" r="11" fill="%s"/>`+"\n", margin+24, xy(y+24), ink)
	pic.text(margin+24, y+28, "c b w", fmt.Sprint(number))
	pic.text(margin+44, y+28, "b", title)
	pic.text(margin+44, y+45, "s", where)
	return y
}

// flowPackages draws the packages and files in the order in which they are
// used.
func flowPackages(pic *picture, y float64) {
	const (
		w, h = 131., 66.
		gap  = (inner - 6*w) / 5
	)
	boxes := []struct {
		name, what, more string
		file             bool
	}{
		{"internal/dvs", "the published table:", fmt.Sprintf("%d conditions", len(dvs.Published().Conditions)), false},
		{"internal/solver", "finds groups", "and proves bounds", false},
		{"plans/*.txt", "read and checked", "by internal/plan", true},
		{"gen/*", "golang and amd64", "emit kernels", false},
		{"generated code", "sha1dc/*.go and *.s", "checked in", true},
		{"sha1dc", "hashes and detects", "knows none of these", false},
	}
	x := func(n int) float64 { return margin + (w+gap)*float64(n) }
	border := (x(4) + w + x(5)) / 2
	pic.text(margin, y+16, "s", "when the generator runs")
	pic.text(x(5), y+16, "s", "when a program runs")
	pic.line(border, y+4, border, y+h+74, fmt.Sprintf(`stroke="%s" stroke-dasharray="4 3"`, "#8c959f"))
	y += 26
	for n, b := range boxes {
		style := `rx="6" fill="#dcebf7" stroke="#0072b2"`
		if b.file {
			style = fmt.Sprintf(`fill="%s" stroke="%s" stroke-dasharray="4 2"`, paper, soft)
		}
		pic.rect(x(n)+.5, y+.5, w-1, h-1, style)
		pic.text(x(n)+w/2, y+21, "c b", b.name)
		pic.text(x(n)+w/2, y+39, "s c", b.what)
		pic.text(x(n)+w/2, y+54, "s c", b.more)
		if n > 0 {
			flowArrow(pic, x(n)-gap+2, y+h/2, x(n)-2)
		}
	}
	// The table also goes round the solver.
	below := y + h + 20
	stroke := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.5"`, soft)
	pic.printf(`<path d="M%s %sV%sH%sV%s" %s/>`+"\n", xy(x(0)+w/2), xy(y+h), xy(below), xy(x(3)+w/2), xy(y+h+6), stroke)
	pic.printf(`<path d="M%s %sV%s" %s/>`+"\n", xy(x(2)+w/2), xy(below), xy(y+h+6), stroke)
	for _, n := range []int{2, 3} {
		pic.printf(`<path d="M%s %sl-4 7h8z" fill="%s"/>`+"\n", xy(x(n)+w/2), xy(y+h+1), soft)
	}
	pic.text(x(0)+w/2+10, below+16, "s", "past the solver: a plan is checked against the table, not trusted")
}

// flowArrow draws an arrow to the right.
func flowArrow(pic *picture, from, y, to float64) {
	pic.line(from, y, to-5, y, fmt.Sprintf(`stroke="%s" stroke-width="1.5"`, soft))
	pic.printf(`<path d="M%s %sl-7 -4v8z" fill="%s"/>`+"\n", xy(to), xy(y), soft)
}

// flowLanes draws the two windows of words and the lanes of the group.
func flowLanes(pic *picture, y float64, e *example) {
	g := e.group()
	gains := laneGains(e.Plan)[e.Group]
	left := float64(bandLeft)
	cell := (width - margin - 14 - left - 34) / float64(len(g.Lanes))
	pic.text(left, y+22, "m b", e.Form())
	pic.text(left+160, y+22, "s", fmt.Sprintf("in all %d lanes; each dismisses vectors of its own", len(g.Lanes)))
	at := left + 34
	for n, row := range []struct {
		label string
		start int
	}{{"i", g.Start}, {fmt.Sprintf("i+%d", g.Gap), g.Start + g.Gap}} {
		ry := y + 46 + 15*float64(n)
		pic.text(left, ry, "m", row.label)
		for l := range g.Lanes {
			class := "m c"
			if l == e.Lane {
				class = "m c b"
			}
			pic.text(at+cell*(float64(l)+.5), ry, class, fmt.Sprint(row.start+l))
		}
	}
	top := y + 68
	for l, lane := range g.Lanes {
		x := at + cell*float64(l)
		if !lane.Used() {
			pic.rect(x+1.5, top+.5, cell-3, 27, fmt.Sprintf(`rx="3" fill="none" stroke="%s" stroke-dasharray="2 2"`, "#8c959f"))
			continue
		}
		_, colour := onGain(gains[l])
		pic.rect(x+1, top, cell-2, 28, fmt.Sprintf(`rx="3" fill="%s"`, gainColour(gains[l])))
		pic.printf(`<path d="%s" fill="%s"/>`+"\n", vectorDots(x+4, top+5, (cell-8)/countK, 4.5, lane.DVs), colour)
	}
	x := at + cell*float64(e.Lane)
	pic.rect(x-1, y+34, cell+2, 66, fmt.Sprintf(`rx="4" fill="none" stroke="%s" stroke-width="1.5"`, "#d55e00"))
	pic.text(max(x, left), y+118, "i b", e.Mask())
	pic.text(max(x, left)+70, y+118, "s", fmt.Sprintf("the %d vectors as bits of a mask", e.Vectors().Len()))
}

// flowVerdict draws the mask and what follows from it.
func flowVerdict(pic *picture, y float64, e *example) {
	const pitch = 11.
	left := float64(bandLeft)
	pic.text(left, y+24, "s", fmt.Sprintf("D, inverted: of %d vectors, those not dismissed. A block that breaks the condition loses these %d:", dvs.Count, e.Vectors().Len()))
	for n := range dvs.Count {
		x := left + pitch*float64(n)
		fill := "#0072b2"
		if e.Vectors().Has(n) {
			fill = paper
		}
		pic.printf(`<g><title>%v</title><rect x="%s" y="%s" width="9" height="14" rx="2" fill="%s" stroke="#0072b2"/></g>`+"\n",
			dvs.All()[n], xy(x+.5), xy(y+34.5), fill)
	}
	steps := []struct{ when, then string }{
		{"none left", "the block is no attack: go on"},
		{"some left", "recheck: run the twin block from the step at which both share the state"},
		{"same chaining value", "an attack, reported with its offset and vector; else go on"},
	}
	for n, s := range steps {
		at := y + 70 + 19*float64(n)
		pic.text(left, at, "b", s.when)
		flowArrow(pic, left+146, at-4, left+166)
		pic.text(left+176, at, "s", s.then)
	}
}
