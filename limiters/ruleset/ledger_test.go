package ruleset

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/limiters"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// linesOf returns the lines of all ledgers by the names of their rules.
func linesOf(s *set) map[string]map[int64]limiters.Line {
	all := map[string]map[int64]limiters.Line{}
	for name, l := range s.ledgers {
		all[name] = l.Lines()
	}
	return all
}

// limitsOf returns all limits with their tags.
func limitsOf(s *set) map[string][]limiters.Limit {
	all := map[string][]limiters.Limit{}
	for name, one := range s.byName {
		for i := range one.Scopes {
			all[name] = appendLimits(all[name], one.Scopes[i].Limits)
			for _, key := range one.Scopes[i].overrides.keys() {
				all[name] = appendLimits(all[name], one.Scopes[i].overrides.get([]byte(key)).limits)
			}
		}
	}
	return all
}

// TestLedgersFollow: after any changes, a node that follows, and a restart, have the same ledgers and the same tags.
func TestLedgersFollow(t *testing.T) {
	w, follower, r := newWorld(t), &Rules{}, rand.New(randtest.Source(t))
	var fp store.Footprint
	follower.Lock(&fp)
	w.do(func(tx *store.Tx) { follower.Load(tx) })
	w.store.Observe(observer(follower.follow))
	numbers := func() string { return fmt.Sprint("CL.THROTTLE ", r.IntN(4), " ", 1+r.IntN(4), " 60") }
	for range 400 {
		name := fmt.Sprint("rule", r.IntN(3))
		exists := w.stored.Load() != nil && w.stored.Load().byName[name] != nil
		switch {
		case !exists || r.IntN(3) == 0:
			w.set(name, numbers()+" AND "+numbers())
		case r.IntN(10) == 0:
			w.do(func(tx *store.Tx) { _, _ = w.Delete(tx, []byte(name)) })
		case r.IntN(3) == 0:
			w.override(name, fmt.Sprint("key", r.IntN(5)), "")
		default:
			w.override(name, fmt.Sprint("key", r.IntN(5)), numbers())
		}
		stored, followed := w.stored.Load(), follower.stored.Load()
		require.Equal(t, linesOf(stored), linesOf(followed))
		require.Equal(t, limitsOf(stored), limitsOf(followed))
		w.Forget()
		w.do(func(tx *store.Tx) { w.Load(tx) })
		require.Equal(t, linesOf(stored), linesOf(w.stored.Load()))
		require.Equal(t, limitsOf(stored), limitsOf(w.stored.Load()))
		require.Equal(t, stored.bytes, w.stored.Load().bytes)
	}
}

// TestLedgersAreBounded: a rule that changes all the time, overrides of one key, and files with ever new names.
func TestLedgersAreBounded(t *testing.T) {
	w := newWorld(t)
	for i := range 1000 {
		w.set("rule", fmt.Sprint("CL.THROTTLE 1 1 ", 1+i))
		w.set("other", "CL.THROTTLE 1 1 1")
		w.override("other", "key", fmt.Sprint("CL.THROTTLE 1 1 ", 2+i))
	}
	require.Len(t, w.stored.Load().ledgers["rule"].Lines(), 257)
	require.LessOrEqual(t, len(w.stored.Load().ledgers["other"].Lines()), 600)
	for i := range 3 {
		text := "rules:\n"
		for j := range MaxRules {
			text += fmt.Sprintf("  f%d-%d: {limits: CL.THROTTLE 1 1 1}\n", i, j)
		}
		require.NoError(t, w.UseFile("f", []byte(text)))
		require.True(t, w.HasUnsavedLedgers())
		w.do(func(tx *store.Tx) { w.SaveLedgers(tx) })
		require.False(t, w.HasUnsavedLedgers())
	}
	require.Len(t, w.stored.Load().ledgers, maxLedgers)
	require.NotNil(t, w.stored.Load().ledgers["rule"])
	require.NotNil(t, w.stored.Load().ledgers["f2-0"])
}

// TestManyRatesAreOneChange: a rule of thousands of rates, and another one in its place, are few effects. So followers
// do not make a ledger for each rate.
func TestManyRatesAreOneChange(t *testing.T) {
	w, follower := newWorld(t), &Rules{}
	var fp store.Footprint
	follower.Lock(&fp)
	w.do(func(tx *store.Tx) { follower.Load(tx) })
	w.store.Observe(observer(follower.follow))
	for _, period := range []int{60, 61, 60} {
		text := []byte(`{"limits": ["CL.THROTTLE 1 1 60"], "overrides": {`)
		for i := range MaxOverrides {
			text = fmt.Appendf(text, `"key%d": "CL.THROTTLE %d 1 %d",`, i, i, period)
		}
		text = append(text[:len(text)-1], "}}"...)
		w.do(func(tx *store.Tx) { require.NoError(t, w.SetJSON(tx, "rule", text)) })
		require.LessOrEqual(t, w.effects, 2)
		require.Equal(t, linesOf(w.stored.Load()), linesOf(follower.stored.Load()))
		require.LessOrEqual(t, len(w.stored.Load().byName["rule"].Ledger.Lines()), MaxOverrides+1+256)
	}
}

// TestAChangeOfARateCostsWhatItChanges: beside thousands of overrides with rates of their own, an override writes two lines.
func TestAChangeOfARateCostsWhatItChanges(t *testing.T) {
	w := newWorld(t)
	w.set("rule", "CL.THROTTLE 1 1 60")
	for i := range MaxOverrides {
		w.override("rule", fmt.Sprint("key", i), fmt.Sprint("CL.THROTTLE ", i%100, " 1 60"))
	}
	before := places(w.stored.Load().byName["rule"])
	w.override("rule", "key7", "CL.THROTTLE 7 7 60")
	require.LessOrEqual(t, w.effects, 2)
	require.Less(t, w.bytes, 250)
	w.set("rule", "CL.THROTTLE 8 8 60")
	require.LessOrEqual(t, w.effects, 3)
	for key, o := range places(w.stored.Load().byName["rule"]) {
		if key != "key7" {
			require.Same(t, before[key], o)
		}
	}
}
