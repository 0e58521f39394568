package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"

	"github.com/stretchr/testify/require"
)

func TestReportIsWritten(t *testing.T) {
	dir := t.TempDir()
	rows := []contest.Row{
		{Workload: "INCR", Server: server.Redis, Point: load.Point{Pipeline: 1, Connections: 50}, Sample: load.Sample{Rate: 100_000, CPU: 8}},
		{Workload: "INCR", Server: server.Redis, Point: load.Point{Pipeline: 16, Connections: 50}, Sample: load.Sample{Rate: 800_000, CPU: 1}},
		{Workload: "CL.THROTTLE", Server: server.Cellserver, Point: load.Point{Pipeline: 1, Connections: 50}, Sample: load.Sample{Rate: 120_000, CPU: 6}, Spread: 0.05},
		{Workload: "INCR", Server: server.Cellserver, Point: load.Point{Pipeline: 16, Connections: 50}, Sample: load.Sample{Rate: 900_000, CPU: 0.75}},
	}
	s := throughputSection(rows)
	s.Command, s.Machine = "tests/bench/run quick", "2 × Some CPU"
	require.NoError(t, s.Write(dir))
	written, err := os.ReadFile(filepath.Join(dir, "performance.md"))
	require.NoError(t, err)
	for _, line := range []string{
		"    tests/bench/run quick", "2 × Some CPU", "(performance-cpu.svg)",
		"| CL.THROTTLE | cellserver |   1 |      50 |    120,000 |   6.00 | 5 % |   0.75 |       – |",
		"| INCR        | cellserver |  16 |      50 |    900,000 |   0.75 | 0 % |   0.75 |    0.75 |",
	} {
		require.Contains(t, string(written), line)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "performance-cpu.svg"))
	require.NoError(t, err)
	require.Equal(t, 1+3+4, rectangles(t, string(svg)), "background, legend, bars")
}

// rectangles counts the rectangles of a picture, and fails if the picture is not XML.
func rectangles(t *testing.T, svg string) (n int) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		require.NoError(t, err, svg)
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "rect" {
			n++
		}
	}
}
