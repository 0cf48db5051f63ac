package report

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// The colours. Pictures bring their own light background, so that they can be
// read on dark pages too.
const (
	ink     = "#1b1f24"
	soft    = "#57606a"
	faint   = "#d0d7de"
	paper   = "#ffffff"
	wash    = "#f3f5f7"
	sans    = "system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif"
	mono    = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
	width   = 920
	margin  = 16
	inner   = width - 2*margin
	monoEm  = 0.602 // advance of a monospaced character, in ems
	sansEm  = 0.53  // average advance otherwise
	caption = 15    // font size of headings
)

// picture is an SVG under construction. Coordinates are rounded to tenths, so
// that the bytes do not depend on how a platform rounds.
type picture struct {
	body strings.Builder
	size float64 // height
}

// xy writes a coordinate.
func xy(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

func (p *picture) printf(format string, args ...any) { fmt.Fprintf(&p.body, format, args...) }

func (p *picture) rect(x, y, w, h float64, style string) {
	p.printf(`<rect x="%s" y="%s" width="%s" height="%s" %s/>`+"\n", xy(x), xy(y), xy(w), xy(h), style)
}

func (p *picture) line(x1, y1, x2, y2 float64, style string) {
	p.printf(`<path d="M%s %sL%s %s" %s/>`+"\n", xy(x1), xy(y1), xy(x2), xy(y2), style)
}

// text writes one line of text. Class is one of those in the style sheet.
func (p *picture) text(x, y float64, class, s string) {
	p.printf(`<text x="%s" y="%s" class="%s">%s</text>`+"\n", xy(x), xy(y), class, html.EscapeString(s))
}

// polyline draws through points given as x, y, x, y, ...
func (p *picture) polyline(points []float64, style string) {
	var d strings.Builder
	for n := 0; n+1 < len(points); n += 2 {
		d.WriteString([]string{"M", "L"}[min(n, 1)] + xy(points[n]) + " " + xy(points[n+1]))
	}
	p.printf(`<path d="%s" fill="none" %s/>`+"\n", d.String(), style)
}

// bytes returns the file. Classes: h heading, t text, s small and soft, m
// monospaced; n small
// and i large; e and c add end and middle anchors, b bold, w white.
func (p *picture) bytes(title, description string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%s" viewBox="0 0 %d %s" role="img" aria-labelledby="title desc">`+"\n",
		width, xy(p.size), width, xy(p.size))
	fmt.Fprintf(&b, "<!-- Written by go run ./gen report. -->\n")
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", html.EscapeString(title), html.EscapeString(description))
	fmt.Fprintf(&b, "<style>text{font:12px %s;fill:%s}.h{font-size:%dpx;font-weight:600}.s{font-size:11px;fill:%s}"+
		".m{font:10px %s}.n{font:8px %s}.i{font:12px %s}.e{text-anchor:end}.c{text-anchor:middle}.b{font-weight:600}.w{fill:#fff}</style>\n",
		sans, ink, caption, soft, mono, mono, mono)
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%d" height="%s" rx="8" fill="%s" stroke="%s"/>`+"\n", width-1, xy(p.size-1), paper, faint)
	b.WriteString(p.body.String())
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
