package server_test

import (
	"bytes"
	"strings"
	"testing"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestScriptsDoNotFillTheLog: scripts have 50 lines at once, and then one a second that says how many are missing. A line is
// short, and one that loglevel hides does not count.
func TestScriptsDoNotFillTheLog(t *testing.T) {
	var log bytes.Buffer
	h := servertest.NewAt(t, &servertest.Edge{Log: &log})
	h.Do("EVAL", "for i = 1, 100 do redis.log(redis.LOG_DEBUG, 'hidden') end", 0)
	h.Do("EVAL", "for i = 1, 100 do redis.log(redis.LOG_WARNING, 'seen') end", 0)
	require.Equal(t, 50, strings.Count(log.String(), "\n"))
	require.NotContains(t, log.String(), "lines_left_out")
	h.Clock.Advance(1e9)
	log.Reset()
	h.Do("EVAL", "for i = 1, 3 do redis.log(redis.LOG_WARNING, string.rep('x', 1e6)) end", 0)
	require.Equal(t, 1, strings.Count(log.String(), "\n"))
	require.Contains(t, log.String(), "msg="+strings.Repeat("x", 1024)+"… lines_left_out=50\n")
}
