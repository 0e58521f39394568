package server_test

import (
	"bytes"
	"fmt"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestTwoCommandsByTurns: each command has its own number of calls, however they alternate.
func TestTwoCommandsByTurns(t *testing.T) {
	for _, turns := range []string{"sgsgsgsg", "ssggssgg", "sgpsgpsg", "sgmssxgs"} {
		h := servertest.New(t)
		words := map[rune][]byte{'s': resptest.Command("INCR", "k"), 'g': resptest.Command("GET", "k"), 'p': resptest.Command("PING"),
			'm': resptest.Command("MULTI"), 'x': resptest.Command("EXEC")}
		calls := map[string]int64{}
		var sent []byte
		for range 9 {
			for _, one := range turns {
				sent = append(sent, words[one]...)
				calls[map[rune]string{'s': "incr", 'g': "get", 'p': "ping", 'm': "multi", 'x': "exec"}[one]]++
			}
		}
		h.Send(bytes.Clone(sent))
		h.Session.Sent()
		for name, n := range calls {
			require.Equal(t, n, h.Server.Calls(commands.Lookup([]byte(name))), "%s of %s", name, turns)
		}
	}
}

// TestTimeOfTwoCommandsByTurns: the time that two commands took together is theirs in proportion to what they took alone.
func TestTimeOfTwoCommandsByTurns(t *testing.T) {
	h := servertest.New(t)
	h.Do("PING")
	get, incr := commands.Lookup([]byte("get")), commands.Lookup([]byte("incr"))
	h.State.Join(get, 100_000, 6)
	h.State.Join(incr, 300_000, 2)
	h.Clock.Advance(1_200_000)
	h.State.CountGroups()
	info := fmt.Sprint(h.Info("commandstats"))
	require.Contains(t, info, "cmdstat_get:calls=6,usec=600,")
	require.Contains(t, info, "cmdstat_incr:calls=2,usec=600,")
	h.Want("SLOWLOG LEN", 0)

	h.State.Join(get, 1, 1)
	h.State.Join(incr, 0, 1)
	h.Clock.Advance(20_000_000)
	h.State.CountGroups()
	require.Contains(t, fmt.Sprint(h.Do("SLOWLOG GET")), "incr (one of 2 in a pipeline with get)")
}
