package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTableIsAligned(t *testing.T) {
	x := table{numbers: 2, head: []string{"command", "µs", "×"}}
	x.add("GET", "10.25", "1.00")
	x.add("CL.THROTTLE", "9.00", "–")
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
		require.Equal(t, s, thousands(v))
	}
	for x, want := range map[float64]float64{0: 1, 1: 1, 1.1: 2, 0.03: 0.05, 6: 10, 500: 500, 501: 1000} {
		require.InEpsilon(t, want, tick(x), 1e-9, "%v", x)
	}
	require.Equal(t, 1.0, tick(math.NaN()))
}

// elements counts the elements of a picture by name, and fails where it is no XML.
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
	p := bars{caption: caption{"x.svg", "a < b & c"}, groups: []string{"P=1", "P=16"}, series: []barSeries{
		{"Redis", []float64{10, 5}}, {"redis-cell", []float64{math.NaN(), 2.5}},
	}}
	svg := p.svg()
	// A background, two squares of the legend and three bars.
	require.Equal(t, 6, elements(t, svg)["rect"], svg)
	require.NotContains(t, svg, "NaN")
	require.Contains(t, svg, `height="272.0" fill="`+colours[0])
	require.Contains(t, svg, `height="136.0" fill="`+colours[0])
	require.Contains(t, svg, `height="68.0" fill="`+colours[1])
}

func TestLines(t *testing.T) {
	p := lines{caption: caption{"x.svg", "x"}, axis: "seconds", series: []lineSeries{
		{"Redis", []float64{-2, 0, 2}, []float64{0, 10, 5}}, {"cellserver", []float64{0}, []float64{1}},
	}}
	svg := p.svg()
	require.Equal(t, 2, elements(t, svg)["polyline"], svg)
	require.Contains(t, svg, `points="60.0,336.0 402.0,64.0 744.0,200.0 "`)
	elements(t, lines{caption: p.caption, series: []lineSeries{{name: "nothing"}}}.svg())
	fine := lines{caption: p.caption, series: []lineSeries{{"x", []float64{-0.15, 0.65}, []float64{0.3, 0.3}}}}.svg()
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

func TestReportIsWritten(t *testing.T) {
	dir := t.TempDir()
	rows := []row{
		{workload: "INCR", server: redis, point: point{1, 50}, sample: sample{rate: 100_000, cpu: 8}},
		{workload: "INCR", server: redis, point: point{16, 50}, sample: sample{rate: 800_000, cpu: 1}},
		{workload: "CL.THROTTLE", server: cellserver, point: point{1, 50}, sample: sample{rate: 120_000, cpu: 6}, spread: 0.05},
		{workload: "INCR", server: cellserver, point: point{16, 50}, sample: sample{rate: 900_000, cpu: 0.75}},
	}
	s := throughputSection(rows)
	s.command, s.machine = "tests/bench/run quick", "2 × Some CPU"
	require.NoError(t, s.write(dir))
	report, err := os.ReadFile(filepath.Join(dir, "performance.md"))
	require.NoError(t, err)
	for _, line := range []string{
		"    tests/bench/run quick", "2 × Some CPU", "(performance-cpu.svg)",
		"| CL.THROTTLE | cellserver |   1 |      50 |    120,000 |   6.00 | 5 % |   0.75 |       – |",
		"| INCR        | cellserver |  16 |      50 |    900,000 |   0.75 | 0 % |   0.75 |    0.75 |",
	} {
		require.Contains(t, string(report), line)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "performance-cpu.svg"))
	require.NoError(t, err)
	require.Equal(t, 1+3+4, elements(t, string(svg))["rect"], "background, legend, bars")
}

func TestCoresComparesRates(t *testing.T) {
	at := point{1, 50}
	s := coresSection([]row{
		{workload: "CL.THROTTLE", server: cellserver, point: at, sample: sample{rate: 90_000}},
		{workload: yardstick, server: redis, point: at, sample: sample{rate: 120_000}},
		{workload: yardstick, server: cellserver, point: at, sample: sample{rate: 150_000, others: 0.123}},
	}, "0-1")
	require.Equal(t, []string{"CL.THROTTLE", cellserver, "90,000", "0.75", "–"}, s.table.rows[0][:5])
	require.Equal(t, []string{yardstick, cellserver, "150,000", "1.25", "1.25"}, s.table.rows[2][:5])
	require.Equal(t, "12 %", s.table.rows[2][10])
	require.Equal(t, 1+2+3, elements(t, s.plots[0].svg())["rect"], "background, legend, bars")
}
