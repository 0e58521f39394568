package sidecar

import (
	"strings"
	"testing"

	"cellserver/commands"
	_ "cellserver/commands/all"
	"cellserver/router"
	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// TestWays: the table of ways has names of commands only. What subscribes never shares a connection, nor does what blocks.
func TestWays(t *testing.T) {
	found, expected := map[string]bool{}, map[string]way{
		"keys": longs, "smembers": longs, "zunionstore": longs, "flushall": longs, "mget": longs,
	}
	check := func(cmd *commands.Command) {
		name := cmd.FullName()
		if found[name] = true; len(cmd.Subs) > 0 && ways[name] == relays {
			return // its subcommands have ways
		}
		args := [][]byte{}
		for _, word := range strings.Split(name, "|") {
			args = append(args, []byte(word))
		}
		for len(args) < max(cmd.Arity, -cmd.Arity) {
			args = append(args, []byte("1"))
		}
		_, way := wayOf(commands.Lookup(args[0]), args)
		switch {
		case strings.HasSuffix(name, "subscribe"):
			require.Equal(t, streams, way, name)
		case cmd.Flags&commands.Blocking != 0:
			require.Equal(t, owns, way, name)
		case ways[name] == briefs:
			require.Equal(t, relays, way, name)
		case ways[name] != relays:
			require.Equal(t, ways[name], way, name)
		case expected[name] != relays:
			require.Equal(t, expected[name], way, name)
		default:
			require.Contains(t, []int{int(relays), int(longs)}, int(way), name)
		}
	}
	for _, cmd := range commands.ByName() {
		check(cmd)
		for _, sub := range cmd.Subs {
			check(sub)
		}
	}
	for _, name := range []string{"get", "set", "hset", "randomkey", "incr", "zadd"} {
		_, way := wayOf(commands.Named([]byte(name)), [][]byte{[]byte(name), []byte("k"), []byte("1"), []byte("2")})
		require.NotEqual(t, longs, way, name)
	}
	_, way := wayOf(commands.Named([]byte("publish")), [][]byte{[]byte("publish"), []byte("channel"), []byte("message")})
	require.Equal(t, relays, way, "the order of messages is that of the commands")
	for name := range ways {
		require.True(t, found[name], "there is no %s", name)
	}
}

// TestSharesOfAFastLimit: a share of a limit that comes back in a fraction of a millisecond more is not too large.
func TestSharesOfAFastLimit(t *testing.T) {
	table := account.NewTable(account.Settings{Lease: 1000, Keys: 1})
	a := table.Account("", router.AppendCommand(nil, "cl.throttle", "k", "0", "600", "1"))
	now := account.Time{Boot: 1_000_000, Wall: 1_000_000}
	a.Passed(now, now, 1, false, account.Answer{Limit: 1, Remaining: 0, RetryAfter: -1, ResetAfter: 1})
	tellPeriod(a)
	admitted := 0
	for range 10_000 {
		if verdict, _ := a.WithoutHub(now, 1, account.Share, 1); verdict == account.Local {
			admitted++
		}
		now.Boot += 100
	}
	require.LessOrEqual(t, admitted, 1+600)
}
