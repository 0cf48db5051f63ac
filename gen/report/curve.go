package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
)

// series is what is known of the uniform plans with one number of lanes.
type series struct {
	lanes  int
	colour string
	plans  []*plan.Plan
	full   int              // groups of a greedy choice for all conditions
	greedy []plan.Survivors // of mixed data behind n groups of a greedy choice by random survivors
}

// laneColours are Okabe and Ito's, which colour-blind readers can tell apart.
var laneColours = []struct {
	lanes  int
	colour string
}{{16, "#0072b2"}, {8, "#d55e00"}, {4, "#009e73"}, {1, "#cc79a7"}}

// best returns the fewest survivors that n or fewer of the first groups of any
// plan leave, for n from 0 to the groups of the longest plan.
func (s *series) best() []plan.Survivors {
	var out []plan.Survivors
	for _, p := range s.plans {
		for n, left := range p.MixedCurve() {
			if n == len(out) {
				out = append(out, left)
			}
			out[n] = min(out[n], left)
		}
	}
	for n := range out {
		out[n] = min(out[n], out[max(n-1, 0)])
	}
	return out
}

// bound returns how few survivors n uniform groups can leave at the least, as
// far as the plans' proved bounds say. A bound b on cycles means that groups
// and survivors together cost b, whatever the number of groups. A bound on
// groups means that fewer exceed the limit.
func (s *series) bound(n int, floor plan.Survivors) plan.Survivors {
	least := floor
	for _, p := range s.plans {
		switch {
		case p.Minimise == plan.Cycles:
			dearest := int64(max(p.Machine.Equal, p.Machine.Shifted))
			left := p.Bound - int64(n)*p.Machine.Cycles(int(dearest), 0)
			least = max(least, plan.Survivors(left/int64(p.Machine.Survivor())))
		case p.Minimise == plan.Groups && p.Limit == plan.Full && int64(n) < p.Bound:
			least = max(least, floor+1)
		}
	}
	return least
}

// seriesOf sorts the uniform plans by lanes.
func seriesOf(plans []*plan.Plan) []series {
	var out []series
	for _, l := range laneColours {
		s := series{lanes: l.lanes, colour: l.colour}
		for _, p := range plans {
			if p.Machine.Lanes == l.lanes && len(p.Shapes) == 1 && p.Shapes[0] == plan.Uniform {
				s.plans = append(s.plans, p)
			}
		}
		if len(s.plans) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// compare adds what greedy choices come to.
func (s *series) compare(table *dvs.Table) {
	s.full = len(greedy(table, s.lanes, byRank).Groups)
	s.greedy = greedy(table, s.lanes, bySurvivors).MixedCurve()
}

// chart maps groups and survivors to a part of the picture.
type chart struct {
	left, right, top, bottom float64
	groups                   int     // at the right edge
	most, least              float64 // survivors at top and bottom
}

func (c *chart) x(groups float64) float64 {
	return c.left + (c.right-c.left)*groups/float64(c.groups)
}

func (c *chart) y(s plan.Survivors) float64 {
	at := math.Log(s.Rate()/c.least) / math.Log(c.most/c.least)
	return c.bottom - (c.bottom-c.top)*at
}

// survivorCurve returns the picture of survivors against groups.
func survivorCurve(all []series, floor plan.Survivors) []byte {
	var pic picture
	pic.text(margin, 30, "h", "Survivors against groups")
	pic.text(margin, 48, "s", "pairs of block and vector that pass the filter, a block of mixed data (logarithmic), for uniform groups; numbers at the lines: lanes")

	vector := chart{left: 76, right: 620, top: 116, bottom: 446, most: 40, least: .03}
	single := vector
	single.left, single.right = 666, width-margin-6
	for _, s := range all {
		c := &vector
		if s.lanes == 1 {
			c = &single
		}
		c.groups = max(c.groups, len(s.greedy))
	}
	vector.groups, single.groups = (vector.groups+4)/5*5, (single.groups+19)/20*20

	curveLegend(&pic, 72)
	vector.frame(&pic, floor, 5, "groups of 16, 8 or 4 lanes")
	single.frame(&pic, floor, 40, "conditions one at a time")
	strip := vector.bottom + 62
	pic.text(margin, strip, "b", "Where the plans end")
	pic.text(margin+160, strip, "s", "a bar reaches from the proved bound to the plan where the two differ")
	for _, s := range all {
		c := &vector
		if s.lanes == 1 {
			c = &single
		}
		c.curve(&pic, &s, floor)
		y := strip + 26
		if s.lanes != 1 {
			y = strip + 26*float64(1+stripRow(s.lanes))
			pic.printf(`<text x="%s" y="%s" class="s e b" style="fill:%s">%s</text>`+"\n", xy(vector.left-8), xy(y+4), s.colour, laneName(s.lanes))
		}
		c.ends(&pic, &s, y)
	}
	pic.size = strip + 26*3 + 22
	return pic.bytes("Survivors against groups", fmt.Sprintf(
		"A line for each number of lanes falls from 32 survivors a block towards %s, which all conditions leave.", rate(floor)))
}

// stripRow returns the row of a number of lanes in the strip of plan ends.
func stripRow(lanes int) int {
	for n, l := range laneColours {
		if l.lanes == lanes {
			return n
		}
	}
	return 0
}

func curveLegend(pic *picture, y float64) {
	pic.rect(margin, y, inner, 28, fmt.Sprintf(`rx="6" fill="%s"`, wash))
	x := margin + 14.
	stroke := fmt.Sprintf(`stroke="%s" stroke-width="2"`, soft)
	for _, e := range []struct {
		style, text string
		mark        bool
	}{
		{stroke, "first groups of a plan", false},
		{stroke + ` stroke-dasharray="5 3" opacity=".55"`, "greedy choice", false},
		{stroke + ` stroke-dasharray="1 3"`, "proved bound: no plan is below", false},
		{"", "end of a plan, filled if proved optimal", true},
	} {
		if e.mark {
			pic.printf(`<circle cx="%s" cy="%s" r="4" fill="%s" stroke="%s" stroke-width="1.5"/>`+"\n", xy(x+4), xy(y+14), paper, soft)
			pic.printf(`<circle cx="%s" cy="%s" r="4" fill="%s" stroke="%s" stroke-width="1.5"/>`+"\n", xy(x+16), xy(y+14), soft, soft)
		} else {
			pic.line(x, y+14, x+26, y+14, e.style)
		}
		pic.text(x+34, y+18, "s", e.text)
		x += 52 + 5.9*float64(len(e.text))
	}
}

// frame draws the axes.
func (c *chart) frame(pic *picture, floor plan.Survivors, step int, label string) {
	for _, s := range []struct {
		at   plan.Survivors
		text string
	}{{32 * plan.One, "32"}, {10 * plan.One, "10"}, {plan.One, "1"}, {plan.One/10 + 1, "0.1"}} {
		pic.line(c.left, c.y(s.at), c.right, c.y(s.at), fmt.Sprintf(`stroke="%s"`, "#e6e9ec"))
		pic.text(c.left-8, c.y(s.at)+4, "s e", s.text)
	}
	for n := 0; n <= c.groups; n += step {
		pic.line(c.x(float64(n)), c.bottom, c.x(float64(n)), c.bottom+4, fmt.Sprintf(`stroke="%s"`, soft))
		pic.text(c.x(float64(n)), c.bottom+17, "s c", fmt.Sprint(n))
	}
	pic.line(c.left, c.bottom, c.right, c.bottom, fmt.Sprintf(`stroke="%s"`, soft))
	pic.text((c.left+c.right)/2, c.bottom+33, "s c", label)
	pic.rect(c.left, c.y(floor), c.right-c.left, c.bottom-c.y(floor), fmt.Sprintf(`fill="%s"`, wash))
	pic.line(c.left, c.y(floor), c.right, c.y(floor), fmt.Sprintf(`stroke="%s"`, ink))
	pic.text(c.left+8, c.y(floor)+15, "s", fmt.Sprintf("all %d conditions leave %s", len(dvs.Published().Conditions), rate(floor)))
}

// curve draws the lines of one number of lanes.
func (c *chart) curve(pic *picture, s *series, floor plan.Survivors) {
	stroke := fmt.Sprintf(`stroke="%s" stroke-width="2" stroke-linejoin="round"`, s.colour)
	var found, baseline, bound []float64
	for n := range s.greedy {
		baseline = append(baseline, c.x(float64(n)), c.y(s.greedy[n]))
	}
	for n := 0; n <= c.groups; n++ {
		b := s.bound(n, floor)
		if n > 0 && b <= floor+1 {
			break
		}
		bound = append(bound, c.x(float64(n)), c.y(b))
	}
	best := s.best()
	for n, left := range best {
		found = append(found, c.x(float64(n)), c.y(left))
	}
	pic.polyline(baseline, stroke+` stroke-dasharray="5 3" opacity=".55"`)
	if len(bound) > 2 {
		pic.polyline(bound, stroke+` stroke-dasharray="1 3"`)
	}
	pic.printf("<g><title>%s</title>\n", laneName(s.lanes))
	pic.polyline(found, stroke)
	pic.printf("</g>\n")

	// The number of lanes stands beside the line, at one survivor a block.
	if at := slices.IndexFunc(best, func(left plan.Survivors) bool { return left <= plan.One }); at >= 0 {
		x, class := found[2*at]+6, "b"
		if s.lanes == laneColours[0].lanes { // the lines are too close for it
			x, class = found[2*at]-14, "b e"
		}
		pic.printf(`<text x="%s" y="%s" class="%s" style="fill:%s">%d</text>`+"\n", xy(x), xy(c.y(plan.One)-5), class, s.colour, s.lanes)
	}
	for _, p := range s.plans {
		c.end(pic, p, s.colour, c.x(float64(len(p.Groups))), c.y(p.MixedSurvivors()))
	}
}

func laneName(lanes int) string {
	if lanes == 1 {
		return "1 lane"
	}
	return fmt.Sprintf("%d lanes", lanes)
}

// end marks the end of a plan.
func (c *chart) end(pic *picture, p *plan.Plan, colour string, x, y float64) {
	fill := paper
	if optimal(p) {
		fill = colour
	}
	pic.printf(`<circle cx="%s" cy="%s" r="4" fill="%s" stroke="%s" stroke-width="1.5"><title>%s: %d groups, %s survivors</title></circle>`+"\n",
		xy(x), xy(y), fill, colour, p.Name, len(p.Groups), rate(p.MixedSurvivors()))
}

// ends draws the strip below the chart: every plan with its name, and the
// interval that the optimum of a full plan lies in.
func (c *chart) ends(pic *picture, s *series, y float64) {
	labels := make(map[int][]string) // by number of groups
	for _, p := range s.plans {
		n := len(p.Groups)
		labels[n] = append(labels[n], strings.TrimSuffix(p.Name, fmt.Sprintf("-uniform-%d", s.lanes)))
		if p.Limit == plan.Full && p.Minimise == plan.Groups && !optimal(p) {
			low, high := c.x(float64(p.Bound)), c.x(float64(n))
			pic.line(low, y, high, y, fmt.Sprintf(`stroke="%s" stroke-width="3" opacity=".5"`, s.colour))
			pic.line(low, y-5, low, y+5, fmt.Sprintf(`stroke="%s" stroke-width="2"`, s.colour))
		}
		c.end(pic, p, s.colour, c.x(float64(n)), y)
	}
	// A label stands right of its mark where what is next leaves room, else on
	// its left, and below if that would hide the mark before. The last one is
	// placed first, since it may have to stand on the left.
	room, below := c.right, y+20
	sorted := slices.Sorted(maps.Keys(labels))
	for at, n := range slices.Backward(sorted) {
		label := fmt.Sprintf("%s %d", strings.Join(labels[n], ", "), n)
		x, width := c.x(float64(n)), sansEm*11*float64(len(label))
		left := x - 8 - width - 6
		switch {
		case x+14+width <= room:
			pic.text(x+8, y+4, "s", label)
			room = x - 6
		case at > 0 && c.x(float64(sorted[at-1]))+6 > left:
			pic.text(x+4, below, "s e", label)
			room, below = x-6, below+16
		default:
			pic.text(x-8, y+4, "s e", label)
			room = left
		}
	}
}

func optimal(p *plan.Plan) bool { return p.Bound == p.Score() }
