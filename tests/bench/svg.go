package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// The measures of a plot, in pixels.
const (
	plotWidth, plotHeight = 760, 380
	left, right           = 60, 16
	top, bottom           = 64, 44
	innerWidth            = plotWidth - left - right
	innerHeight           = plotHeight - top - bottom
)

// colours of series, in their order. People with any kind of colour vision can distinguish them (Okabe and Ito).
var colours = []string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"}

// bars are groups of bars. Each group has one bar for each series.
type bars struct {
	name, title string // the file of the picture, and its title
	groups      []string
	series      []series
}

// series has a value for each group. NaN leaves a gap.
type series struct {
	name   string
	values []float64
}

// put adds a bar.
func (p *bars) put(name, group string, value float64) {
	at := slices.Index(p.groups, group)
	if at < 0 {
		at = len(p.groups)
		p.groups = append(p.groups, group)
	}
	i := slices.IndexFunc(p.series, func(s series) bool { return s.name == name })
	if i < 0 {
		i = len(p.series)
		p.series = append(p.series, series{name: name})
	}
	for i := range p.series {
		for s := &p.series[i]; len(s.values) < len(p.groups); {
			s.values = append(s.values, math.NaN())
		}
	}
	p.series[i].values[at] = value
}

// svg draws the picture.
func (p *bars) svg() string {
	highest := 0.0
	names := make([]string, len(p.series))
	for i, s := range p.series {
		names[i] = s.name
		for _, v := range s.values {
			if v > highest {
				highest = v
			}
		}
	}
	c := newCanvas(p.title, names, highest)
	group := innerWidth / float64(len(p.groups))
	width := group * 0.8 / float64(len(p.series))
	for g, name := range p.groups {
		x := left + group*float64(g)
		c.text(x+group/2, plotHeight-bottom+18, "middle", name)
		for i, s := range p.series {
			if v := s.values[g]; !math.IsNaN(v) {
				c.bar(x+group*0.1+width*float64(i), width, v, colours[i%len(colours)])
			}
		}
	}
	return c.b.String() + "</svg>\n"
}

// canvas is a picture while it grows.
type canvas struct {
	b       strings.Builder
	highest float64 // the value at the upper edge
}

// newCanvas draws the title, the legend, and the axis of values from 0.
func newCanvas(title string, names []string, highest float64) *canvas {
	step := tick(highest / 5)
	c := &canvas{highest: step * math.Max(1, math.Ceil(highest/step))}
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#222">`+"\n",
		plotWidth, plotHeight)
	fmt.Fprintf(&c.b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&c.b, `<text x="%d" y="22" font-size="15" font-weight="bold">%s</text>`+"\n", left, html.EscapeString(title))
	x := float64(left)
	for i, name := range names {
		fmt.Fprintf(&c.b, `<rect x="%.1f" y="36" width="11" height="11" fill="%s"/>`+"\n", x, colours[i%len(colours)])
		c.text(x+16, 46, "start", name)
		x += 36 + 7*float64(len(name))
	}
	for i := range int(math.Round(c.highest/step)) + 1 {
		v := float64(i) * step
		y := c.height(v)
		fmt.Fprintf(&c.b, `<path d="M%d %.1fH%d" stroke="#ddd"/>`+"\n", left, y, plotWidth-right)
		c.text(left-8, y+4, "end", number(v))
	}
	return c
}

// height is the y coordinate of a value.
func (c *canvas) height(v float64) float64 { return top + innerHeight*(1-v/c.highest) }

func (c *canvas) text(x, y float64, anchor, s string) {
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(s))
}

func (c *canvas) bar(x, width, v float64, colour string) {
	y := c.height(v)
	fmt.Fprintf(&c.b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, width, c.height(0)-y, colour)
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" text-anchor="middle" font-size="10">%s</text>`+"\n", x+width/2, y-3, number(v))
}

// tick returns the least of 1, 2 and 5 times a power of ten that is at least x. It returns 1 if x is not positive.
func tick(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= x*(1-1e-9) {
			return n * power
		}
	}
	return 10 * power
}

// number writes three significant digits, with k for thousands and M for millions.
func number(v float64) string {
	switch {
	case math.Abs(v) >= 1e6:
		return fmt.Sprintf("%.3gM", v/1e6)
	case math.Abs(v) >= 1e4:
		return fmt.Sprintf("%.3gk", v/1e3)
	case math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
