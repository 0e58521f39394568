package scripting

import (
	"regexp"
	"testing"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// times are the parts of a line of INFO commandstats that differ from run to run.
var times = regexp.MustCompile(`usec=.*usec_per_call=[0-9.]*,`)

// TestErrorsOfScriptsCountAsInRedis: an error counts once. The error of a command counts with its call, also if the script
// catches it. The numbers are those of Redis 7.0.
func TestErrorsOfScriptsCountAsInRedis(t *testing.T) {
	const ran, refused, failed = "calls=1,rejected_calls=0,failed_calls=0", "calls=0,rejected_calls=1,failed_calls=0", "calls=1,rejected_calls=0,failed_calls=1"
	for _, c := range []struct {
		script string
		eval   string
		errors map[string]string
		calls  map[string]string
	}{
		{"return redis.call('get')", failed, map[string]string{"ERR": "1"}, map[string]string{"get": refused}},
		{"return redis.pcall('get')", failed, map[string]string{"ERR": "1"}, map[string]string{"get": refused}},
		{"redis.pcall('get') return 1", ran, map[string]string{"ERR": "1"}, map[string]string{"get": refused}},
		{"pcall(redis.call, 'get') return 1", ran, map[string]string{"ERR": "1"}, map[string]string{"get": refused}},
		{"redis.pcall('none') return 1", ran, map[string]string{"ERR": "1"}, nil},
		{"redis.call('subscribe', 'x')", failed, map[string]string{"ERR": "1"}, map[string]string{"subscribe": refused}},
		{"redis.pcall() return 1", ran, nil, nil},
		{"redis.call({})", failed, map[string]string{"ERR": "1"}, nil},
		{"redis.call('set', 'k', 'v') redis.call('incr', 'k')", failed, map[string]string{"ERR": "1"}, map[string]string{"set": ran, "incr": failed}},
		{"local e = redis.pcall('get') e.err = 'NEW one' return e", failed, map[string]string{"ERR": "1"}, map[string]string{"get": refused}},
		{"redis.pcall('get') return redis.error_reply('MY own')", failed, map[string]string{"ERR": "1", "MY": "1"}, map[string]string{"get": refused}},
		{"return redis.error_reply('A:B#C own')", failed, map[string]string{"A_B_C": "1"}, nil},
		{"return {err = 'MY own', ignore_error_stats_update = true}", failed, nil, nil},
		{"#!lua flags=no-writes\nreturn redis.call('set', 'k', 'v')", failed, map[string]string{"ERR": "1"}, map[string]string{"set": refused}},
	} {
		h := servertest.New(t)
		send(h.Client, "EVAL", c.script, 0)
		errors, calls := map[string]string{}, map[string]string{"cmdstat_eval": c.eval}
		for code, n := range c.errors {
			errors["errorstat_"+code] = "count=" + n
		}
		for name, counted := range c.calls {
			calls["cmdstat_"+name] = counted
		}
		got := h.Info("commandstats")
		for name, line := range got {
			got[name] = times.ReplaceAllString(line, "")
		}
		require.Equal(t, calls, got, c.script)
		require.Equal(t, errors, h.Info("errorstats"), c.script)
	}
}
