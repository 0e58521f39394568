package rules

import (
	"bytes"
	"strings"
	"testing"

	"cellserver/limiters/ruleset"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func words(line string) [][]byte { return bytes.Fields([]byte(line)) }

// pipeline returns requests to a rule, one after the other in a buffer as those of a pipeline.
func pipeline(n int) (all [][][]byte) {
	buffer := bytes.Repeat([]byte("rulekey"), n)
	for i := range n {
		at := buffer[7*i : 7*i+7]
		all = append(all, [][]byte{at[:4:4], at[4:]})
	}
	return all
}

// A prefetched plan of a CL.CHECK serves its request, once, and only while the rules are the same.
func TestPrefetchedPlans(t *testing.T) {
	s := store.New(store.Options{Databases: 1})
	tx := s.NewTx()
	var r ruleset.Rules
	var c Check
	all := pipeline(6)
	prefetch := func(n int) { c.Prefetch(&r, tx, 0, all[n], false) }
	take := func(words [][]byte) *plan { return c.prefetched.take(r.Sources(), words) }

	prefetch(0)
	require.Nil(t, c.prefetched, "the rules are not parsed yet")
	setRules(t, &r, s, "CL.THROTTLE 1 2 3 AND CL.WINDOW 1 2", "rule")
	prefetch(0)
	require.Nil(t, take(all[1]), "another place")
	require.Nil(t, take([][]byte{[]byte("rule"), []byte("key")}), "another place")
	require.Nil(t, take(append(all[0], []byte("1"))), "another length")
	p := take(all[0])
	require.NotNil(t, p)
	require.Equal(t, 2, p.states)
	require.Equal(t, "rule:{key}:throttle rule:{key}:window", string(p.keys[0].Key())+" "+string(p.keys[1].Key()))
	require.Equal(t, store.Slot([]byte("key")), p.keys[1].Slot())
	require.Nil(t, take(all[0]), "it was used already")

	prefetch(1)
	prefetch(2)
	require.NotNil(t, take(all[2]))
	require.Nil(t, take(all[1]), "its request would have come before")
	for i := range 5 {
		prefetch(i)
	}
	require.Nil(t, take(all[0]), "there is room for four")
	require.NotNil(t, take(all[1]))

	require.NoError(t, r.UseFile("file", nil))
	require.Nil(t, take(all[2]), "the rules of the file are others")
	prefetch(3)
	require.NotNil(t, take(all[3]))
	prefetch(5)
	c.Release()
	require.Nil(t, take(all[4]))
	require.Equal(t, prefetched{}.rule, c.prefetched.rule)
	requireIdle(t, c.prefetched)
}

// requireIdle checks that plans keep no request alive.
func requireIdle(t *testing.T, a *prefetched) {
	t.Helper()
	require.Equal(t, [4]request{}, a.requests)
	for _, p := range a.plans {
		require.Empty(t, p.names)
		require.Nil(t, p.asked)
		require.Nil(t, p.found)
		require.Zero(t, p.keys)
		require.Zero(t, p.chosen)
		require.Zero(t, p.prefetchedOnly)
	}
}

// setRules makes the same limits the rules of several names, and parses them.
func setRules(t *testing.T, r *ruleset.Rules, s *store.Store, limits string, names ...string) {
	var fp store.Footprint
	tx := s.NewTx()
	r.Lock(&fp)
	for _, name := range names {
		tx.Begin(0, 0, &fp)
		require.NoError(t, r.Set(tx, name, words(limits)))
		tx.End()
	}
	r.Forget()
	tx.Begin(0, 0, &fp)
	defer tx.End()
	r.Load(tx)
}

// setTwoScopes makes rules of two scopes. It returns a transaction of an empty store.
func setTwoScopes(t *testing.T, r *ruleset.Rules, names ...string) *store.Tx {
	setRules(t, r, store.New(store.Options{Databases: 1}), "SCOPE a CL.WINDOW 1 2 AND SCOPE b CL.WINDOW 1 2", names...)
	return store.New(store.Options{Databases: 1}).NewTx()
}

// A plan of a reservation names its bucket. So does a request without a plan.
func TestPrefetchedReservations(t *testing.T) {
	var r ruleset.Rules
	var c Check
	tx := setTwoScopes(t, &r, "rule")
	for _, line := range []string{"rule k1 k2 id 5", "rule k1 k2 5 id 60", "rule k1 k2"} {
		asked := words(line)
		c.Prefetch(&r, tx, 0, asked, true)
		p := c.prefetched.take(r.Sources(), asked)
		require.Equal(t, 3, p.all)
		require.Equal(t, "rule:{k2}:reserved", string(p.keys[2].Key()))
		require.Equal(t, store.Slot([]byte("k2")), p.keys[2].Slot())
	}
	for _, line := range []string{"rule", "rule k1"} { // too few words
		asked := words(line)
		c.Prefetch(&r, tx, 0, asked, true)
		p := c.prefetched.take(r.Sources(), asked)
		require.Equal(t, p.states, p.all, line)
	}
}

// Reservations and settlements of the same keys share a plan if they follow one another. The end of a request
// removes the names that it has appended.
func TestRequestsShareAPlan(t *testing.T) {
	var r ruleset.Rules
	var c Check
	tx := setTwoScopes(t, &r, "rule", "like")
	first, second := words("rule k1 k2 5 id 60"), words("rule k1 k2 id 5")
	c.Prefetch(&r, tx, 0, first, true)
	c.Prefetch(&r, tx, 0, second, true)
	p := c.prefetched.take(r.Sources(), first)
	before := string(p.names)
	for _, goesOn := range []bool{false, true} {
		p.names = append(p.names, "more"...)
		p.done(goesOn)
		require.True(t, goesOn || before == string(p.names))
	}
	require.Same(t, p, c.prefetched.take(r.Sources(), second))
	require.Equal(t, "rule:{k2}:reserved", string(p.keys[2].Key()))

	for _, line := range []string{"rule k1 k3 5 id 60", "rule k3 k2 5 id 60", "like k1 k2 5 id 60", "rule k1"} {
		other := words(line)
		c.Prefetch(&r, tx, 0, first, true)
		c.Prefetch(&r, tx, 0, other, true)
		p := c.prefetched.take(r.Sources(), first)
		require.NotSame(t, p, c.prefetched.take(r.Sources(), other), line)
	}
	c.Prefetch(&r, tx, 0, first, true)
	c.Prefetch(&r, tx, 0, second, false)
	p = c.prefetched.take(r.Sources(), first)
	require.NotSame(t, p, c.prefetched.take(r.Sources(), second), "CL.CHECK reads no bucket")

	c.Prefetch(&r, tx, 0, first, true)
	setTwoScopes(t, &r, "rule")
	c.Prefetch(&r, tx, 0, second, true)
	require.NotNil(t, c.prefetched.take(r.Sources(), second), "a plan of the new rules")
	c.Prefetch(&r, tx, 0, first, true)
	c.Release()
	requireIdle(t, c.prefetched)
}

// TestIdleChecksKeepNoNames: a request inside a transaction gives its names up, and the release of the memory drops what
// refers to them.
func TestIdleChecksKeepNoNames(t *testing.T) {
	var r ruleset.Rules
	var c Check
	setTwoScopes(t, &r, "rule")
	asked := words("rule " + strings.Repeat("k", 2*keptBytes) + " k2")
	for _, goesOn := range []bool{false, true} {
		c.Footprint(&r, asked, false, new(store.Footprint))
		require.NotZero(t, c.own.keys)
		c.Done(goesOn)
		c.Release()
		require.Empty(t, c.own.names)
		require.Zero(t, c.own.keys)
	}
}
