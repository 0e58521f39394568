package main

import (
	"fmt"
	"html"
	"strings"
)

// bars is a picture: a line for each value, with its name, a bar and the number.
type bars struct {
	name, title string // the file of the picture, and its title
	lines       []bar
}

type bar struct {
	name  string
	value float64
}

func (p *bars) put(name string, value float64) { p.lines = append(p.lines, bar{name, value}) }

// svg draws the picture. The longest bar has the largest value.
func (p *bars) svg() string {
	const width, names, numbers, line, top = 760, 270, 80, 20, 40 // in pixels
	largest := 0.0
	for _, one := range p.lines {
		largest = max(largest, one.value)
	}
	var b strings.Builder
	height := top + line*len(p.lines) + line/2
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `+
		`font-family="sans-serif" font-size="12" fill="#222">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="10" y="22" font-size="15" font-weight="bold">%s</text>`+"\n",
		html.EscapeString(p.title))
	for i, one := range p.lines {
		length, y := (width-names-numbers)*one.value/max(largest, 1e-9), top+line*i
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n",
			names-8, y+14, html.EscapeString(one.name))
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="#0072b2"/>`+"\n",
			names, y+2, length, line-4)
		number := fmt.Sprintf("%.2f", one.value)
		if one.value >= 100 {
			number = thousands(one.value)
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s</text>`+"\n", names+length+6, y+14, number)
	}
	return b.String() + "</svg>\n"
}
