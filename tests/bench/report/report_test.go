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
	p := Bars{Name: "x.svg", Title: "a < b & c"}
	p.Put("Redis", "P=1", 10)
	p.Put("Redis", "P=16", 5)
	p.Put("redis-cell", "P=16", 2.5)
	svg := p.SVG()
	// A background, two squares of the legend and three bars.
	require.Equal(t, 6, elements(t, svg)["rect"], svg)
	require.NotContains(t, svg, "NaN")
	require.Contains(t, svg, `height="272.0" fill="`+colours[0])
	require.Contains(t, svg, `height="136.0" fill="`+colours[0])
	require.Contains(t, svg, `height="68.0" fill="`+colours[1])
}

func TestSectionReplacesItsPredecessorAlone(t *testing.T) {
	report := replaceSection("", "a", "first\n")
	require.True(t, strings.HasPrefix(report, opening))
	report = replaceSection(report, "b", "second\n") + "\nBy hand.\n"
	again := replaceSection(report, "a", "third\n")
	require.Equal(t, strings.Replace(report, "first", "third", 1), again)
	require.Equal(t, again, replaceSection(again, "b", "second"))
}
