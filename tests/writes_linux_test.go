//go:build !race

package tests

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writesAtomically reports whether a function of the standard library locks, or writes a word atomically. An
// Unlock does not count: its processor has the cache line since the lock.
func writesAtomically(name string) bool {
	method := name[strings.LastIndex(name, ".")+1:]
	switch {
	case strings.HasPrefix(name, "sync/atomic."):
		return method != "Load"
	case strings.HasPrefix(name, "sync."):
		return slices.Contains([]string{"Lock", "TryLock", "RLock"}, method)
	}
	return false
}

// writtenRow is a row of the tables of docs/performance.md: a function, and how often it writes.
var writtenRow = regexp.MustCompile(`(?m)^\| ` + "`([^`]+)`" + ` \| (\d+) \|`)

// writesIn returns the rows of the table for a walk: the functions, and how often each writes.
func (w *walk) writesIn(t *testing.T) map[string]string {
	_, text, found := strings.Cut(readText(t, "docs/performance.md"), "\n### "+w.title+"\n")
	require.True(t, found, "docs/performance.md has no heading %q", w.title)
	text, _, _ = strings.Cut(text, "\n#")
	rows := map[string]string{}
	for _, row := range writtenRow.FindAllStringSubmatch(text, -1) {
		rows[row[1]] = row[2]
	}
	return rows
}

// compareWrites compares what a request writes atomically with the table of docs/performance.md. On many
// processors these are the writes that make processors wait for each other.
func (all functions) compareWrites(t *testing.T, w *walk) {
	before, runs := map[string]string{}, map[string]string{}
	if w.after != nil {
		before = w.after.writesIn(t)
	}
	for name, f := range all {
		if f.runs && f.writes > 0 && before[name] == "" {
			runs[name] = strconv.Itoa(f.writes)
		}
	}
	require.Equal(t, runs, w.writesIn(t), "what a request writes, and what docs/performance.md names")
}
