package guides

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// toldWait is the wait that the server tells the programs.
const toldWait = 5 * time.Second

// withoutServer bounds a run of six questions without a server, beside the time of a run that is answered at once. Their time-outs are
// 1.5 s; the rest is for a busy machine.
const withoutServer = 20 * time.Second

// TestGuides runs the program of each page.
func TestGuides(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs need many languages")
	}
	ports := freePorts(t, len(guides))
	for i, g := range guides {
		t.Run(g.page, func(t *testing.T) {
			t.Parallel()
			port := ports[i]
			text, prints := g.read(t)
			text = replaced(t, text, "6379", port)
			failsClosed := g.build(t, g.write(t, replaced(t, replaced(t, text, g.timeout[0], g.timeout[1]), g.closed[0], g.closed[1])))
			g.keepsLimits(t, port, failsClosed, prints)
			g.failsClosed(t, port, failsClosed, prints)
			g.failsOpen(t, port, g.build(t, g.write(t, text)))
		})
	}
}

// keepsLimits requires the lines of the page. The program waits as long as it is told, and is then allowed.
func (g guide) keepsLimits(t *testing.T, port string, command []string, prints string) {
	t.Helper()
	s, began := startServer(t, port), time.Now()
	p := start(t, command)
	s.awaitRefusal(t, p)
	require.EqualValues(t, "OK", s.client.Do("DEBUG", "CLOCK", "ADVANCE", toldWait.Nanoseconds()))
	require.Equal(t, prints, p.lines(t))
	require.Empty(t, p.Printed())
	require.GreaterOrEqual(t, time.Since(began), toldWait)
	s.Stop(syscall.SIGKILL)
}

// failsClosed ends the server while the program waits. Then it refuses all actions.
func (g guide) failsClosed(t *testing.T, port string, command []string, prints string) {
	t.Helper()
	s := startServer(t, port)
	p := start(t, command)
	s.awaitRefusal(t, p)
	s.Stop(syscall.SIGTERM) // it sends the fourth reply first, which another event loop may hold
	before, _, found := strings.Cut(prints, "again in 5 s\n")
	require.True(t, found)
	require.Equal(t, before+"again in 5 s\n"+strings.Repeat("denied, again in 1 s\n", 2), p.lines(t))
	require.Equal(t, 2, strings.Count(p.Printed(), "no decision"), p.Printed())
}

// failsOpen has a server that answers with errors, then one that accepts connections and does not answer, and then none.
func (g guide) failsOpen(t *testing.T, port string, command []string) {
	t.Helper()
	s := startServer(t, port)
	quick := time.Duration(0) // the time of a run that is answered at once: that of the first one
	lock := func() { require.EqualValues(t, "OK", s.client.Do("CONFIG", "SET", "requirepass", "secret")) }
	for _, end := range []func(){lock, func() { s.freeze(t) }, func() { s.Stop(syscall.SIGKILL) }} {
		end()
		began := time.Now()
		p := start(t, command)
		require.Equal(t, strings.Repeat("allowed\n", 6), p.lines(t))
		took := time.Since(began)
		if quick == 0 {
			quick = took
		}
		require.Less(t, took-quick, withoutServer)
		require.Equal(t, 6, strings.Count(p.Printed(), "no decision"), p.Printed())
	}
}

// read returns the program of a page, and the lines that it prints.
func (g guide) read(t *testing.T) (text, prints string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/guides/" + g.page + ".md")
	require.NoError(t, err)
	return block(t, string(page), g.language), block(t, string(page), "text")
}

// block returns the one block of a page in a language.
func block(t *testing.T, page, language string) string {
	t.Helper()
	parts := strings.Split(page, "\n```"+language+"\n")
	require.Len(t, parts, 2, language)
	text, _, found := strings.Cut(parts[1], "\n```\n")
	require.True(t, found)
	return text + "\n"
}

// replaced replaces the one place of a text in a program.
func replaced(t *testing.T, program, old, with string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(program, old), "%q in the program", old)
	return strings.Replace(program, old, with, 1)
}

// write writes a program into a folder of its own.
func (g guide) write(t *testing.T, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, g.file), []byte(text), 0o600))
	return dir
}

// TestEveryPage requires a program for each page, so that no page is forgotten.
func TestEveryPage(t *testing.T) {
	pages, err := filepath.Glob("../../docs/guides/*.md")
	require.NoError(t, err)
	require.Len(t, pages, len(guides)+1, "README.md has no program")
}
