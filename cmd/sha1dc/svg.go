package main

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// A picture is an SVG under construction.
type picture struct {
	body   strings.Builder
	height float64
}

const (
	pictureWidth = 920
	pictureEdge  = 16 // space around everything
)

// The colours. A picture brings its own light background, so that it can be
// read on dark pages too.
const (
	ink   = "#1b1f24"
	soft  = "#57606a"
	faint = "#d0d7de"
	wash  = "#f3f5f7"
	here  = "#0072b2" // this file
	there = "#d55e00" // the other one
)

// coordinate rounds to tenths, so that the bytes are the same on all platforms.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

func (p *picture) add(format string, args ...any) { fmt.Fprintf(&p.body, format+"\n", args...) }

// box draws a rectangle; style is a list of attributes.
func (p *picture) box(x, y, w, h float64, style string) {
	p.add(`<rect x="%s" y="%s" width="%s" height="%s" %s/>`, coordinate(x), coordinate(y), coordinate(w), coordinate(h), style)
}

// path draws through points given as x, y, x, y, ...
func (p *picture) path(style string, points ...float64) {
	p.add(`<path d="%s" %s/>`, outline(points), style)
}

func outline(points []float64) string {
	var d strings.Builder
	for n := 0; n+1 < len(points); n += 2 {
		d.WriteString([]string{"M", "L"}[min(n, 1)] + coordinate(points[n]) + " " + coordinate(points[n+1]))
	}
	return d.String()
}

// text writes a line of text in the classes of the style sheet.
func (p *picture) text(x, y float64, class, s string) {
	p.add(`<text x="%s" y="%s" class="%s">%s</text>`, coordinate(x), coordinate(y), class, html.EscapeString(s))
}

// bytes returns the file. Classes of text: h heading, s small and soft, m
// monospaced; c and e put the middle and the end at x, b is bold.
func (p *picture) bytes(title, description string) []byte {
	const sans, mono = "system-ui,-apple-system,'Segoe UI','DejaVu Sans',Arial,sans-serif", "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
	var b strings.Builder
	h := coordinate(p.height)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%s" viewBox="0 0 %[1]d %[2]s" role="img" aria-labelledby="title desc">`+"\n", pictureWidth, h)
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", html.EscapeString(title), html.EscapeString(description))
	fmt.Fprintf(&b, "<style>text{font:12px %s;fill:%s}.h{font-size:15px;font-weight:600}.s{font-size:11px;fill:%s}.m{font:11px %s}"+
		".c{text-anchor:middle}.e{text-anchor:end}.b{font-weight:600}</style>\n", sans, ink, soft, mono)
	fmt.Fprintf(&b, "<defs><pattern id=\"unknown\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"+
		"<rect width=\"6\" height=\"6\" fill=\"#fff\"/><rect width=\"1.5\" height=\"6\" fill=\"%s\"/></pattern></defs>\n", there)
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%d" height="%s" rx="8" fill="#fff" stroke="%s"/>`+"\n", pictureWidth-1, coordinate(p.height-1), faint)
	b.WriteString(p.body.String())
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
