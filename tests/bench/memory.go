package main

import (
	"fmt"
	"testing"

	"cellserver/tests/bench/contest"

	"github.com/stretchr/testify/require"
)

// memory measures the memory of a throttle key on each server, and that of sorted sets of several sizes.
func memory(t testing.TB, o contest.Options) []section {
	keys := table{numbers: 4, head: []string{"server", "key", "keys", "empty, MB", "full, MB", "bytes a key"}}
	p := bars{name: "performance-memory.svg", title: "Resident bytes per throttle key"}
	number := thousands(float64(o.Keys))
	for _, k := range contest.Kinds(o) {
		key := contest.ThrottleKey(k)
		before, after := weigh(t, o, k, key, o.Keys)
		each := (after - before) / float64(o.Keys)
		keys.add(k.Name, key.What, number, fmt.Sprintf("%.1f", before/1e6), fmt.Sprintf("%.1f", after/1e6),
			fmt.Sprintf("%.1f", each))
		p.put(k.Name+", "+number+" keys", each)
	}
	sets := table{numbers: 4, head: []string{"members", "keys", "Redis", "cellserver", "× Redis"}}
	kinds := contest.Kinds(o)
	for _, members := range []int{1, 3, 16, 100} {
		n := max(o.Keys/max(members/4, 1), 1)
		each := func(k contest.Kind) float64 {
			before, after := weigh(t, o, k, contest.LogKey(members), n)
			return (after - before) / float64(n)
		}
		redis, ours := each(kinds[0]), each(kinds[len(kinds)-1])
		sets.add(fmt.Sprint(members), thousands(float64(n)), fmt.Sprintf("%.0f", redis),
			fmt.Sprintf("%.0f", ours), fmt.Sprintf("%.2f", ours/redis))
	}
	return []section{{
		id: "memory of sets", heading: "Memory per sorted set", table: sets,
		notes: `
Resident bytes of a key, as below. A member is a time in milliseconds, and its score is the same time, as
in the sliding log of most libraries.`,
	}, {
		id: fmt.Sprintf("memory %d", o.Keys), table: keys, plots: []bars{p},
		heading: "Memory per throttle key, " + number + " keys",
		notes: `
Resident memory after it has settled, minus the memory of the empty server. Keys
have 16 bytes. Redis without redis-cell holds the same value as with it: a string of 19 digits that expires.`,
	}}
}

// weigh returns a server's resident memory in bytes, without and with the keys.
func weigh(t testing.TB, o contest.Options, k contest.Kind, key contest.KeyMaker, n int) (bare, full float64) {
	s := k.Start(t, o.Core)
	defer s.Stop()
	bare = float64(s.Settled(t))
	contest.Fill(t, s.Addr, n, key.Request, key.Reply)
	require.EqualValues(t, n, s.Do(t, "DBSIZE"), "keys")
	full = float64(s.Settled(t))
	t.Logf("%s, %s: %.1f bytes a key", k.Name, key.What, (full-bare)/float64(n))
	return bare, full
}
