package sidecar_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/resp/resptest"
	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// TestLeasesEndWithTheirKey: after a command through a sidecar that deletes the state of a limit, the next request is the first one
// of a new state, although units of the old one are left here. The leases of other keys go on.
func TestLeasesEndWithTheirKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 1, 1, account.Deny)
		defer w.close()
		w.do("CL.RULE SET api CL.WINDOW 5000 3600")
		w.sidecars[0].line.spike = 0
		c := resptest.New(t, w.sidecars[0].connect())
		ask := func(command string) any {
			var words []any
			for _, word := range strings.Fields(command) {
				words = append(words, word)
			}
			return c.Do(words...)
		}
		const window, other, rule = "CL.WINDOW k 5000 3600", "CL.SLIDING other 50000 3600", "CL.CHECK api ann"
		for _, change := range []struct{ limit, does string }{
			{window, "DEL k"}, {window, "UNLINK none{k} k"}, {window, "EXPIRE k 0"}, {window, "PEXPIREAT k 1"}, {window, "RENAME k j{k}"},
			{rule, "CL.RULE RESET api ann"}, {window, "MULTI; SET a{k} 1; DEL k b{k}; SET b{k} 2; EXEC; RESET"}, {window, "FLUSHALL"},
		} {
			for range 300 {
				ask(change.limit)
				ask(other)
			}
			time.Sleep(50 * time.Millisecond) // no question is on its way
			for command := range strings.SplitSeq(change.does, ";") {
				ask(command)
			}
			if change.does != "FLUSHALL" {
				sent := time.Now()
				require.Equal(t, int64(0), ask(other).([]any)[0])
				require.Less(t, time.Since(sent), w.sidecars[0].line.base, "%s: from the lease", change.does)
			}
			require.Equal(t, int64(4999), ask(change.limit).([]any)[2], change.does)
		}
		c.Close()
	})
}

// TestLeasesEndTogether: if more keys are deleted at once than a sidecar notes, it forgets all limits.
func TestLeasesEndTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 1, 1, account.Deny)
		defer w.close()
		c := resptest.New(t, w.sidecars[0].connect())
		for range 300 {
			c.Do("CL.WINDOW", "k", 5000, 3600)
		}
		time.Sleep(50 * time.Millisecond)
		words := []any{"DEL"}
		for range 20_000 {
			words = append(words, "none{k}")
		}
		c.Do(append(words, "k")...)
		require.Equal(t, int64(4999), c.Do("CL.WINDOW", "k", 5000, 3600).([]any)[2])
		c.Close()
	})
}
