package picture

import (
	"fmt"
	"html"
	"strings"
)

// The measures of the picture, in pixels.
const (
	width     = 940
	labels    = 350 // room for the commands
	axis      = 470 // the length of the time line
	seconds   = 40
	head      = 84
	rowHeight = 44
)

// People with any kind of colour vision can distinguish the colours (Okabe and Ito). The marks of limited requests are
// also shorter and below the line.
const (
	passes  = "#0072b2"
	limited = "#d55e00"
	waits   = "#56b4e9"
)

// draw makes the picture of the outcomes, row by row.
func draw(outcomes [][]outcome) string {
	var b strings.Builder
	height := head + rowHeight*len(rows) + 44
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#222">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="16" y="24" font-size="15" font-weight="bold">The same %d requests, 5 in 10 seconds in each limiter's way</text>`+"\n", len(traffic()))
	legend(&b)
	grid(&b, height)
	for i, all := range outcomes {
		drawRow(&b, rows[i], all, head+rowHeight*i)
	}
	return b.String() + "</svg>\n"
}

func legend(b *strings.Builder) {
	x := 16
	for _, l := range []struct{ colour, text string }{{passes, "passes"}, {limited, "limited"}, {waits, "waits for its turn"}} {
		fmt.Fprintf(b, `<rect x="%d" y="40" width="11" height="11" fill="%s"/><text x="%d" y="50">%s</text>`+"\n", x, l.colour, x+16, l.text)
		x += 36 + 7*len(l.text)
	}
	fmt.Fprintf(b, `<text x="%d" y="46" text-anchor="end">passed</text>`+"\n", labels+axis+54)
	fmt.Fprintf(b, `<text x="%d" y="38" text-anchor="end">most in</text><text x="%d" y="52" text-anchor="end">any 10 s</text>`+"\n", width-8, width-8)
}

func grid(b *strings.Builder, height int) {
	for s := 0; s <= seconds; s += 10 {
		fmt.Fprintf(b, `<path d="M%.1f %dV%d" stroke="#ddd"/>`+"\n", across(1000*s), head-20, height-36)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%d s</text>`+"\n", across(1000*s), height-18, s)
	}
}

// across is the x coordinate of a time in milliseconds.
func across(at int) float64 { return labels + axis*float64(at)/(1000*seconds) }

func drawRow(b *strings.Builder, r row, all []outcome, y int) {
	line := y + 14
	fmt.Fprintf(b, `<text x="16" y="%d" font-family="monospace">%s</text>`+"\n", line-2, html.EscapeString(strings.ReplaceAll(r.command, "#", "holder")))
	fmt.Fprintf(b, `<text x="16" y="%d" fill="#666">%s</text>`+"\n", line+14, html.EscapeString(r.about))
	fmt.Fprintf(b, `<path d="M%d %dH%d" stroke="#bbb"/>`+"\n", labels, line, labels+axis)
	passed := 0
	for _, o := range all {
		if !o.passed {
			bar(b, across(o.at), line+1, 8, limited)
			continue
		}
		passed++
		if o.hold > 0 {
			fmt.Fprintf(b, `<path d="M%.1f %dL%.1f %d" stroke="%s"/>`+"\n", across(o.at), line+9, across(o.at+o.hold), line, waits)
			bar(b, across(o.at), line+9, 4, waits)
		}
		bar(b, across(o.at+o.hold), line-14, 14, passes)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%d</text>`+"\n", labels+axis+54, line+4, passed)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%d</text>`+"\n", width-8, line+4, most(all, 10_000))
}

func bar(b *strings.Builder, x float64, y, height int, colour string) {
	fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="2" height="%d" fill="%s"/>`+"\n", x-1, y, height, colour)
}
