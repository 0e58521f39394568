package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestRulesSurvive kills a server after changes of rules, with its log, with a rewritten log and with a snapshot. The next one has
// the same rules, whatever clients have done to all of their keys. A Redis loads the same files, and has the keys of clients only.
func TestRulesSurvive(t *testing.T) {
	p, dir := limiter(t), t.TempDir()
	s := p.start(t, dir, appendOnly("everysec")...)
	yes := resptest.Simple("OK")
	do := func(args ...any) {
		t.Helper()
		require.Equal(t, yes, s.do(t, args...), "%q", args)
	}
	do("CL.RULE", "SET", "gone", "CL.WINDOW", 1, 60)
	do("CL.RULE", "SET", "api", "CL.WINDOW", 9, 60)
	for i := range 600 { // so many make a large hash
		do("CL.RULE", "OVERRIDE", "api", "-", fmt.Sprint("key \x00", i), "CL.WINDOW", 100+i, 60)
	}
	do("MULTI")
	for _, line := range [][]any{{"CL.RULE", "SET", "api", "CL.WINDOW", 10, 60, "SHADOW"}, {"SET", "k", "v"}, {"CL.RULE", "DEL", "gone"}} {
		s.do(t, line...)
	}
	s.do(t, "EXEC")
	s.do(t, "CL.RULE", "OVERRIDE", "api", "-", "key \x007", "DEL")
	do("FLUSHALL")
	do("SET", "k", "v")
	want := s.do(t, "CL.RULE", "LIST")
	require.Len(t, want.([]any)[0].([]any)[3], 599)
	again := func(args ...string) {
		t.Helper()
		s.kill()
		s = p.start(t, dir, args...)
		require.Equal(t, want, s.do(t, "CL.RULE", "LIST"))
		require.Equal(t, []any{"k"}, s.do(t, "KEYS", "*"))
		require.EqualValues(t, 100, s.do(t, "CL.CHECK", "api", "key \x000", 0).([]any)[1])
	}
	again(appendOnly("everysec")...)
	redis := func(args ...string) {
		t.Helper()
		s.kill()
		r := theRedis(t).start(t, dir, args...)
		require.Equal(t, []any{"k"}, r.do(t, "KEYS", "*"))
		if slices.Contains(args, "yes") { // a snapshot of Redis beside our log has no rules
			require.Equal(t, yes, r.do(t, "SAVE"))
		}
		r.kill()
	}
	redis(appendOnly("everysec")...)
	again(appendOnly("everysec")...)
	s.rewrite(t)
	again(appendOnly("everysec")...)
	do("CL.RULE", "SET", "new", "CL.LOG", 5, 60)
	want = s.do(t, "CL.RULE", "LIST")
	again(appendOnly("everysec")...)
	do("SAVE")
	s.kill()
	log := filepath.Join(dir, "appendonlydir")
	require.NoError(t, os.Rename(log, log+".old"))
	again(noLog...)
	redis(noLog...)
	again(noLog...)
}
