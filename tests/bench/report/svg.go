package report

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

// Plot is a picture.
type Plot interface {
	// file is the picture's file name, title its title.
	file() string
	title() string
	SVG() string
}

// Caption is a plot's file name and title.
type Caption struct{ Name, Text string }

func (c Caption) file() string  { return c.Name }
func (c Caption) title() string { return c.Text }

// Bars are groups of bars. Each group has one bar for each series.
type Bars struct {
	Caption
	Groups []string
	Series []BarSeries
}

// BarSeries has a value for each group. NaN leaves a gap.
type BarSeries struct {
	Name   string
	Values []float64
}

// IsEmpty reports whether all values are gaps.
func (s BarSeries) IsEmpty() bool {
	return !slices.ContainsFunc(s.Values, func(v float64) bool { return !math.IsNaN(v) })
}

func (p Bars) SVG() string {
	highest := 0.0
	names := make([]string, len(p.Series))
	for i, s := range p.Series {
		names[i] = s.Name
		for _, v := range s.Values {
			if v > highest {
				highest = v
			}
		}
	}
	c := newCanvas(p.Text, names, highest)
	group := innerWidth / float64(len(p.Groups))
	width := group * 0.8 / float64(len(p.Series))
	for g, name := range p.Groups {
		x := left + group*float64(g)
		c.text(x+group/2, plotHeight-bottom+18, "middle", name)
		for i, s := range p.Series {
			if v := s.Values[g]; !math.IsNaN(v) {
				c.bar(x+group*0.1+width*float64(i), width, v, colours[i%len(colours)])
			}
		}
	}
	return c.end()
}

// Lines are curves over a common axis.
type Lines struct {
	Caption
	Axis   string // the name of the x axis
	Series []LineSeries
}

// LineSeries are points from left to right.
type LineSeries struct {
	Name string
	X, Y []float64
}

func (p Lines) SVG() string {
	least, most, highest := math.Inf(1), math.Inf(-1), 0.0
	names := make([]string, len(p.Series))
	for i, s := range p.Series {
		names[i] = s.Name
		for j := range s.X {
			least, most, highest = min(least, s.X[j]), max(most, s.X[j]), max(highest, s.Y[j])
		}
	}
	c := newCanvas(p.Text, names, highest)
	c.text(left+innerWidth/2, plotHeight-8, "middle", p.Axis)
	if most <= least { // also without any point
		return c.end()
	}
	across := func(x float64) float64 { return left + innerWidth*(x-least)/(most-least) }
	step := tick((most - least) / 8)
	for i := int(math.Ceil(least / step)); float64(i)*step <= most; i++ {
		x := float64(i) * step
		c.text(across(x), plotHeight-bottom+18, "middle", number(x))
	}
	for i, s := range p.Series {
		c.curve(s, across, colours[i%len(colours)])
	}
	return c.end()
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

func (c *canvas) curve(s LineSeries, across func(float64) float64, colour string) {
	c.b.WriteString(`<polyline fill="none" stroke-width="1.5" stroke="` + colour + `" points="`)
	for i := range s.X {
		fmt.Fprintf(&c.b, "%.1f,%.1f ", across(s.X[i]), c.height(s.Y[i]))
	}
	c.b.WriteString("\"/>\n")
}

func (c *canvas) end() string { return c.b.String() + "</svg>\n" }

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
