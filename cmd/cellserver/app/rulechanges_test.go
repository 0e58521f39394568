package app

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestEveryChangeOfARule is a line of the log and a message: who, from where, before and after.
func TestEveryChangeOfARule(t *testing.T) {
	file, port := filepath.Join(t.TempDir(), "rules.yaml"), porttest.Free(t)
	writeRules(t, file, "10")
	in := start(t, "--rules-file", file, "--http-port", fmt.Sprint(port), "--http-page", "write")
	c, listener := in.dial(t), in.dial(t)
	listener.Do("SUBSCRIBE", "__cellserver__:rules")
	ok(t, c, "ACL", "SETUSER", "ann", "on", ">secret", "~*", "&*", "+@all")
	ok(t, c, "AUTH", "ann", "secret")

	changes := func() (lines []string) { // other lines may come at any time
		for line := range strings.Lines(in.log.String()) {
			if strings.Contains(line, "a rule has changed") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	last := func(want ...string) {
		t.Helper()
		message, _ := listener.Recv().([]any)
		lines := changes()
		for _, part := range want {
			require.Contains(t, lines[len(lines)-1], part)
		}
		require.Len(t, message, 3)
		require.Contains(t, message[2], `"rule":"r"`)
	}
	from := "address=127.0.0.1:"
	ok(t, c, "CL.RULE", "SET", "r", "CL.WINDOW", 20, 60)
	last("a rule has changed, and hides the rule of the file: CL.RULE DEL brings that one back", `old="CL.WINDOW 10 60"`,
		`new="CL.WINDOW 20 60"`, `hides="CL.WINDOW 10 60"`, "user=ann", from, "by=cl.rule|set")
	require.Equal(t, []any{[]any{"r", "CL.WINDOW 20 60", "key", []any{}, "CL.WINDOW 10 60", "20/minute in windows"}}, c.Do("CL.RULE", "LIST"))
	ok(t, c, "CL.RULE", "OVERRIDE", "r", "-", "k\n=\"", "CL.WINDOW", 30, 60)
	last("rule=r", `key="k\n=\""`, `new="CL.WINDOW 30 60"`, "user=ann", "by=cl.rule|override")
	require.Equal(t, int64(1), c.Do("CL.RULE", "OVERRIDE", "r", "-", "k\n=\"", "DEL"))
	last(`old="CL.WINDOW 30 60"`, "by=cl.rule|override")
	c.Do("MULTI")
	c.Do("CL.RULE", "OVERRIDE", "r", "-", "k", "CL.WINDOW", 31, 60)
	c.Do("FLUSHALL")
	c.Do("CL.RULE", "OVERRIDE", "r", "-", "k", "DEL")
	c.Do("EXEC")
	for _, change := range []string{`"new":"CL.WINDOW 31 60"`, `"old":"CL.WINDOW 31 60"`} { // FLUSHALL hides none
		message := listener.Recv().([]any)
		require.Contains(t, message[2], change)
	}

	writeRules(t, file, "11")
	in.look()
	last(`old="CL.WINDOW 10 60"`, `new="CL.WINDOW 11 60"`, "by="+file)
	require.Contains(t, in.log.String(), "rules=1 changed=r hidden=r")
	require.Equal(t, int64(20), limitOf(c))

	ask, err := http.NewRequest(http.MethodDelete, fmt.Sprintf("http://127.0.0.1:%d/rules/r", port), nil)
	require.NoError(t, err)
	reply, err := http.DefaultClient.Do(ask)
	require.NoError(t, err)
	reply.Body.Close()
	require.Equal(t, http.StatusOK, reply.StatusCode)
	last(`old="CL.WINDOW 20 60"`, `new="CL.WINDOW 11 60"`, "user=default", from, "by=\"cl.rule|del over HTTP\"")
	require.Equal(t, int64(11), limitOf(c))

	before := changes()
	for _, wrong := range [][]any{
		{"CL.RULE", "SET", "r", "CL.WINDOW", -1, 60}, {"CL.RULE", "DEL", "r"}, {"CL.RULE", "DEL", "none"},
		{"CL.RULE", "OVERRIDE", "r", "-", "k", "CL.WINDOW", 1, 60},
	} {
		c.Do(wrong...)
	}
	require.Equal(t, before, changes(), "nothing has changed")
}

// TestTheStartNamesHiddenRules: a rule of CL.RULE SET from before the start hides that of the file, and the log says so.
func TestTheStartNamesHiddenRules(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "rules.yaml")
	writeRules(t, file, "10")
	directives := []string{"--dir", dir, "--appendonly", "yes", "--rules-file", file}
	in := start(t, directives...)
	require.NotContains(t, in.log.String(), "hidden=")
	ok(t, in.dial(t), "CL.RULE", "SET", "r", "CL.WINDOW", 20, 60)
	in.stop()
	in.wait(t)
	again := start(t, directives...)
	require.Regexp(t, `level=warning msg="rules of CL.RULE SET hide rules of the same names in the file: .*" hidden=r\n`, again.log.String())
	require.Equal(t, int64(1), again.dial(t).Do("CL.RULE", "DEL", "r"))
	again.stop()
	again.wait(t)
	require.NotContains(t, start(t, directives...).log.String(), "hidden=")
}

// TestChangesOfRulesDoNotFillTheLog, and the next line says how many are missing. A transaction that is not
// run says nothing.
func TestChangesOfRulesDoNotFillTheLog(t *testing.T) {
	in := start(t)
	c := in.dial(t)
	const changes = 2000
	for i := range changes {
		c.Send("CL.RULE", "SET", fmt.Sprint("r", i%50), "CL.WINDOW", 1+i, 60)
	}
	for range changes {
		require.Equal(t, resptest.Simple("OK"), c.Recv())
	}
	lines := func() int { return strings.Count(in.log.String(), "a rule has changed") }
	require.Less(t, lines(), 150)
	require.Eventually(t, func() bool {
		ok(t, c, "CL.RULE", "SET", "r", "CL.WINDOW", 1, 60)
		return strings.Contains(in.log.String(), "changes_without_a_line=")
	}, timeout, 100*time.Millisecond)
	require.Equal(t, resptest.Simple("OK"), c.Do("CL.RULE", "SET", "long", "CL.WINDOW", 1, 60))
	ok(t, c, "MULTI")
	c.Do("CL.RULE", "SET", "in.exec", "CL.WINDOW", 1, 60)
	c.Do("CL.RULE", "SET", "in.exec", "CL.WINDOW", 0, 60)
	ok(t, c, "DISCARD")
	require.NotContains(t, in.log.String(), "in.exec")
}
