package tests

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// section returns the lines of a page below a heading, up to the next one.
func (p *document) section(t *testing.T, heading string) []string {
	t.Helper()
	at := slices.Index(p.lines, heading)
	require.GreaterOrEqual(t, at, 0, "%s: no heading %q", p.path, heading)
	rest := p.lines[at+1:]
	if end := slices.IndexFunc(rest, func(line string) bool { return strings.HasPrefix(line, "## ") }); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// firstColumn returns what stands in code quotes at the beginning of a table's rows.
func firstColumn(lines []string) (all []string) {
	for _, line := range lines {
		if m := regexp.MustCompile("^\\| `([^`]*)` \\|").FindStringSubmatch(line); m != nil {
			all = append(all, m[1])
		}
	}
	return all
}

// TestOperatingNamesEveryMetric compares the table of docs/operating.md with what a server answers.
func TestOperatingNamesEveryMetric(t *testing.T) {
	port, rules := porttest.Free(t), filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(rules, []byte("rules: {kept: {limits: CL.WINDOW 5 60}}\n"), 0o600))
	c := resptest.Dial(t, startServer(t, "--metrics-port", strconv.Itoa(port), "--rules-file", rules, "--adaptive-metrics-keys", "search"))
	c.Do("CL.THROTTLE", "user:1", 15, 30, 60)
	reply, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/metrics", port))
	require.NoError(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	var served []string
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\w+) `).FindAllStringSubmatch(string(text), -1) {
		served = append(served, m[1])
	}
	require.ElementsMatch(t, served, firstColumn(readDocument(t, "docs/operating.md").section(t, "## Metrics")))
}

// TestReadmeFigures requires that the table of README.md has the figures of docs/performance.md.
func TestReadmeFigures(t *testing.T) {
	recorded := readDocument(t, "docs/performance.md").section(t, "## Throughput, latency and processor time")
	row := regexp.MustCompile(`^\| (\d+) \| ([\d.]+) µs, ([\d,]+) a second \| ([\d.]+) µs, ([\d,]+) a second \|$`)
	figures := func(command, server, pipeline string) (cpu, rate string) {
		for _, line := range recorded {
			cells := strings.Split(strings.ReplaceAll(line, " ", ""), "|")
			if len(cells) > 6 && cells[1] == command && cells[2] == server && cells[3] == pipeline {
				return cells[6], cells[5]
			}
		}
		return "", ""
	}
	found := 0
	for _, line := range readDocument(t, "README.md").lines {
		if m := row.FindStringSubmatch(line); m != nil {
			found++
			cpu, rate := figures("INCR", "Redis", m[1])
			require.Equal(t, []string{cpu, rate}, m[2:4], "Redis, pipeline %s", m[1])
			cpu, rate = figures("CL.THROTTLE", "cellserver", m[1])
			require.Equal(t, []string{cpu, rate}, m[4:6], "cellserver, pipeline %s", m[1])
		}
	}
	require.Equal(t, 3, found)
}
