package report

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTableIsAligned(t *testing.T) {
	x := Table{Numbers: 2, Head: []string{"command", "µs", "×"}}
	x.Add("GET", "10.25", "1.00")
	x.Add("CL.THROTTLE", "9.00", "–")
	require.Equal(t, `| command     |    µs |    × |
|-------------|------:|-----:|
| GET         | 10.25 | 1.00 |
| CL.THROTTLE |  9.00 |    – |
`, x.markdown())
}

func TestNumbers(t *testing.T) {
	for v, s := range map[float64]string{0: "0", 0.5: "0.5", 1.234: "1.23", 123.4: "123", 9999: "9999", 12345: "12.3k", 2.5e6: "2.5M"} {
		require.Equal(t, s, number(v))
	}
	for v, s := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 1234567.8: "1,234,568", -1000: "-1,000", -100: "-100"} {
		require.Equal(t, s, Thousands(v))
	}
	for x, want := range map[float64]float64{0: 1, 1: 1, 1.1: 2, 0.03: 0.05, 6: 10, 500: 500, 501: 1000} {
		require.InEpsilon(t, want, tick(x), 1e-9, "%v", x)
	}
	require.Equal(t, 1.0, tick(math.NaN()))
}

// elements counts the elements of a picture by name, and fails if the picture is not XML.
func elements(t *testing.T, svg string) map[string]int {
	t.Helper()
	count := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		require.NoError(t, err, svg)
		if start, ok := token.(xml.StartElement); ok {
			count[start.Name.Local]++
		}
	}
}

func TestBars(t *testing.T) {
	p := Bars{Caption: Caption{"x.svg", "a < b & c"}, Groups: []string{"P=1", "P=16"}, Series: []BarSeries{
		{"Redis", []float64{10, 5}}, {"redis-cell", []float64{math.NaN(), 2.5}},
	}}
	svg := p.SVG()
	// A background, two squares of the legend and three bars.
	require.Equal(t, 6, elements(t, svg)["rect"], svg)
	require.NotContains(t, svg, "NaN")
	require.Contains(t, svg, `height="272.0" fill="`+colours[0])
	require.Contains(t, svg, `height="136.0" fill="`+colours[0])
	require.Contains(t, svg, `height="68.0" fill="`+colours[1])
}

func TestLines(t *testing.T) {
	p := Lines{Caption: Caption{"x.svg", "x"}, Axis: "seconds", Series: []LineSeries{
		{"Redis", []float64{-2, 0, 2}, []float64{0, 10, 5}}, {"cellserver", []float64{0}, []float64{1}},
	}}
	svg := p.SVG()
	require.Equal(t, 2, elements(t, svg)["polyline"], svg)
	require.Contains(t, svg, `points="60.0,336.0 402.0,64.0 744.0,200.0 "`)
	elements(t, Lines{Caption: p.Caption, Series: []LineSeries{{Name: "nothing"}}}.SVG())
	fine := Lines{Caption: p.Caption, Series: []LineSeries{{"x", []float64{-0.15, 0.65}, []float64{0.3, 0.3}}}}.SVG()
	for _, label := range []string{">-0.1<", ">0<", ">0.3<", ">0.6<"} {
		require.Contains(t, fine, label)
	}
}

func TestSectionReplacesItsPredecessorAlone(t *testing.T) {
	report := replaceSection("", "a", "first\n")
	require.True(t, strings.HasPrefix(report, opening))
	report = replaceSection(report, "b", "second\n") + "\nBy hand.\n"
	again := replaceSection(report, "a", "third\n")
	require.Equal(t, strings.Replace(report, "first", "third", 1), again)
	require.Equal(t, again, replaceSection(again, "b", "second"))
}
