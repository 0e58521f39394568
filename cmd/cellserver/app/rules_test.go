package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// writeRules writes a rules-file of one window. Its time is later than that of the file before. The file is whole from the
// beginning, because the server may look at any moment.
func writeRules(t *testing.T, file, limit string) {
	t.Helper()
	before, _ := os.Stat(file)
	next := file + ".next"
	require.NoError(t, os.WriteFile(next, []byte("rules:\n  r:\n    limits: CL.WINDOW "+limit+" 60\n"), 0o600))
	if before != nil {
		later := before.ModTime().Add(time.Second)
		require.NoError(t, os.Chtimes(next, later, later))
	}
	require.NoError(t, os.Rename(next, file))
}

// limitOf returns the limit of the rule r, and nil if there is no such rule.
func limitOf(c *resptest.Client) any {
	if reply, ok := c.Do("CL.CHECK", "r", "k", 0).([]any); ok {
		return reply[1]
	}
	return nil
}

// look looks at the rules-file as often as a change needs.
func (in *instance) look() {
	in.rules.Poll()
	in.rules.Poll()
}

func TestRulesFileIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "rules.yaml")
	writeRules(t, file, "10")
	in := start(t, "--dir", dir, "--rules-file", "rules.yaml")
	c := in.dial(t)
	require.Equal(t, int64(10), limitOf(c))
	in.look()
	require.NotContains(t, in.log.String(), "changed=r", "the file is the same")
	writeRules(t, file, "20")
	in.look()
	require.Equal(t, int64(20), limitOf(c))
	require.Contains(t, in.log.String(), "are in force\" source="+file+" rules=1 changed=r\n")

	writeRules(t, file, "x")
	in.look()
	in.look()
	require.Equal(t, int64(20), limitOf(c), "a file with an error changes nothing")
	refusals := func() int { return strings.Count(in.log.String(), "the rules-file is refused") }
	require.Equal(t, 1, refusals(), "each version is logged once")
	requireSource(t, in, "file", 1, 1)
	require.Contains(t, in.log.String(), file+`:3: rule r: limit \"CL.WINDOW x 60\": limit 'x' is not an integer or out of range`)
	in.Reload()
	in.look()
	require.Equal(t, 2, refusals(), "a reload logs it again")

	require.NoError(t, os.Remove(file))
	in.look()
	in.look()
	require.Equal(t, int64(20), limitOf(c))
	require.Equal(t, 3, refusals())
	writeRules(t, file, "30")
	in.look()
	require.Equal(t, int64(30), limitOf(c))
	requireSource(t, in, "file", 0, 3)
}

// requireSource compares the metrics of the rules-file or of the rules-url. The server may have asked for the URL once more by
// itself, so failures is the least number.
func requireSource(t *testing.T, in *instance, source string, failing, failures float64) {
	t.Helper()
	got := servertest.Samples(t, in.server.Metrics())
	label := `{source="` + source + `"}`
	require.Equal(t, failing, got["cellserver_rules_failing"+label])
	require.GreaterOrEqual(t, got["cellserver_rules_failures_total"+label], failures)
	for _, name := range []string{"cellserver_rules_last_success_timestamp_seconds", "cellserver_rules_changed_timestamp_seconds"} {
		require.InDelta(t, float64(time.Now().Unix()), got[name+label], 600, name)
	}
}

func TestRulesFileIsPolled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	writeRules(t, file, "10")
	in := start(t, "--rules-file", file)
	c := in.dial(t)
	writeRules(t, file, "20")
	require.Eventually(t, func() bool { return limitOf(c) == int64(20) }, timeout, 10*time.Millisecond)
}

func TestStartRefusesABrokenRulesFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	_, err := open(t, "--rules-file", file)
	require.EqualError(t, err, "rules-file "+file+": no such file or directory: check the path; a relative path begins in the directory where the server was started")
	writeRules(t, file, "-1")
	_, err = open(t, "--rules-file", file)
	require.EqualError(t, err, file+`:3: rule r: limit "CL.WINDOW -1 60": limit '-1' must not be negative`)
	require.NoError(t, os.WriteFile(file, make([]byte, maxRuleBytes+1), 0o600))
	_, err = open(t, "--rules-file", file)
	require.EqualError(t, err, "rules-file "+file+": more than 4194304 bytes")
}

// Only regular files are read. A pipe without a writer would hold its reader for ever.
func TestARulesFileIsARegularFile(t *testing.T) {
	dir := t.TempDir()
	_, err := open(t, "--rules-file", dir)
	require.EqualError(t, err, "rules-file "+dir+": not a regular file: choose a regular file")
	_, err = open(t, "--rules-file", "/dev/zero")
	require.EqualError(t, err, "rules-file /dev/zero: not a regular file: choose a regular file")
}

func TestConfigSetReadsAnotherRulesFile(t *testing.T) {
	one, other := filepath.Join(t.TempDir(), "one.yaml"), filepath.Join(t.TempDir(), "other.yaml")
	writeRules(t, one, "10")
	writeRules(t, other, "x")
	in := start(t, "--enable-protected-configs", "local")
	c := in.dial(t)
	require.Nil(t, limitOf(c))
	ok(t, c, "CONFIG", "SET", "rules-file", one)
	require.Equal(t, int64(10), limitOf(c))
	require.Equal(t, resptest.Error("ERR CONFIG SET failed (possibly related to argument 'rules-file') - "+other+
		`:3: rule r: limit "CL.WINDOW x 60": limit 'x' is not an integer or out of range`), c.Do("CONFIG", "SET", "rules-file", other))
	require.Equal(t, int64(10), limitOf(c))
	require.Equal(t, []any{"rules-file", one}, c.Do("CONFIG", "GET", "rules-file"))
	ok(t, c, "CONFIG", "SET", "rules-file", "")
	require.Nil(t, limitOf(c))
	require.NotContains(t, in.server.Metrics(), "cellserver_rules_", "there is no source")
}

// The store evicts keys, and never the rules.
func TestRulesAreNotEvicted(t *testing.T) {
	in := start(t, "--maxmemory", "1mb", "--maxmemory-policy", "allkeys-lru")
	c := in.dial(t)
	ok(t, c, "CL.RULE", "SET", "r", "CL.WINDOW", 10, 60)
	value := strings.Repeat("x", 10_000)
	for i := range 1000 {
		ok(t, c, "SET", i, value)
	}
	require.Less(t, c.Do("DBSIZE"), int64(200))
	require.Equal(t, int64(10), limitOf(c))
}

// A restart keeps the rules, and what clients used of their limits.
func TestRulesPersist(t *testing.T) {
	dir := t.TempDir()
	in := start(t, "--dir", dir, "--appendonly", "yes")
	c := in.dial(t)
	ok(t, c, "CL.RULE", "SET", "r", "CL.WINDOW", 10, 3600)
	c.Do("CL.CHECK", "r", "k", 4)
	in.stop()
	in.wait(t)
	in = start(t, "--dir", dir, "--appendonly", "yes")
	c = in.dial(t)
	require.Equal(t, []any{int64(10), int64(5)}, c.Do("CL.CHECK", "r", "k").([]any)[1:3])
}

// TestRulesURL follows a URL from the start, keeps its rules over a restart without the service, and leaves it for a file.
func TestRulesURL(t *testing.T) {
	var text atomic.Value
	text.Store("rules:\n  r:\n    limits: CL.WINDOW 10 60\n")
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text.Load().(string)) }))
	defer service.Close()
	dir := t.TempDir()
	in := start(t, "--dir", dir, "--rules-url", service.URL, "--enable-protected-configs", "local")
	c := in.dial(t)
	require.Equal(t, int64(10), limitOf(c), "before the first client")
	text.Store(`{"rules": {"r": {"limits": "CL.WINDOW 20 60"}}}`)
	in.Reload()
	require.Eventually(t, func() bool { return limitOf(c) == int64(20) }, timeout, time.Millisecond)
	text.Store("rules: no")
	in.ruleURL.Poll(t.Context())
	require.Equal(t, int64(20), limitOf(c))
	require.Contains(t, in.log.String(), service.URL+":1: rules must be a mapping of names")
	requireSource(t, in, "url", 1, 1)
	in.stop()
	in.wait(t)

	service.Close()
	in = start(t, "--dir", dir, "--rules-url", service.URL, "--enable-protected-configs", "local")
	c = in.dial(t)
	require.Equal(t, int64(20), limitOf(c), "the copy")
	require.Equal(t, resptest.Error("ERR CONFIG SET failed (possibly related to argument 'rules-url') - rules-url must be a URL such as https://rules.example/limits.yaml, and not \"ftp://rules.example\""),
		c.Do("CONFIG", "SET", "rules-url", "ftp://rules.example"))
	file := filepath.Join(dir, "rules.yaml")
	require.Equal(t, resptest.Error("ERR CONFIG SET failed (possibly related to argument 'rules-file') - rules-file and rules-url cannot go together: remove one of them"),
		c.Do("CONFIG", "SET", "rules-file", file))
	writeRules(t, file, "30")
	ok(t, c, "CONFIG", "SET", "rules-file", file, "rules-url", "")
	require.Equal(t, int64(30), limitOf(c))
	ok(t, c, "CONFIG", "SET", "rules-file", "", "rules-url", service.URL)
	require.Equal(t, int64(20), limitOf(c), "the copy again")
	ok(t, c, "CONFIG", "SET", "rules-url", "")
	require.Nil(t, limitOf(c))
}

// TestRulesFileEditedWhileDown: what was counted counts at the numbers of a file that somebody edits while the server is
// down, and at those of CL.RULE SET before it.
func TestRulesFileEditedWhileDown(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "rules.yaml")
	var c *resptest.Client
	again := func(limits string, stop func()) *instance {
		if stop != nil {
			stop()
		}
		require.NoError(t, os.WriteFile(file, []byte("rules: {plan: {limits: "+limits+"}}"), 0o600))
		in := start(t, "--dir", dir, "--rules-file", file, "--appendonly", "yes")
		in.server.Tick() // as the background does soon
		c = in.dial(t)
		return in
	}
	end := func(in *instance) func() {
		return func() {
			in.stop()
			in.wait(t)
		}
	}
	in := again("CL.THROTTLE 4 5 36000", nil)
	c.Do("CL.CHECK", "plan", "acme", 5)
	in = again("CL.THROTTLE 99 5000 3600000", end(in))
	require.Equal(t, []any{int64(0), int64(100), int64(94)}, c.Do("CL.CHECK", "plan", "acme").([]any)[:3])
	c.Do("BGREWRITEAOF")
	in = again("CL.THROTTLE 99 5000 3600000", end(in))
	require.Equal(t, []any{int64(0), int64(100), int64(93)}, c.Do("CL.CHECK", "plan", "acme").([]any)[:3])
	ok(t, c, "CL.RULE", "SET", "plan", "CL.THROTTLE", 9, 10, 36000)
	in = again("CL.THROTTLE 99 5000 3600000", end(in))
	require.Equal(t, []any{int64(0), int64(10), int64(2)}, c.Do("CL.CHECK", "plan", "acme").([]any)[:3])
	require.Equal(t, int64(1), c.Do("CL.RULE", "DEL", "plan"))
	require.Equal(t, []any{int64(0), int64(100), int64(91)}, c.Do("CL.CHECK", "plan", "acme").([]any)[:3])
	end(in)()
}
