package rules

import (
	"strings"
	"testing"

	"cellserver/limiters"
	"cellserver/limiters/ruleset"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// TestLeaseAsksForResetsOnce: a lease that gives units back asks for the last reset of each key once, and not
// once for each limit.
func TestLeaseAsksForResetsOnce(t *testing.T) {
	const now = 1_800_000_000_000_000_000
	s := store.New(store.Options{Databases: 1})
	var r ruleset.Rules
	setRules(t, &r, s, "SCOPE a CL.WINDOW 9 60 AND SCOPE a CL.WINDOW 90 3600 AND SCOPE a CL.THROTTLE 9 9 60 "+
		"AND SCOPE b CL.WINDOW 5 60 AND SCOPE b CL.SLIDING 50 60", "rule")
	var c Check
	tx := s.NewTx()
	var a limiters.Answer
	ask := func(request limiters.LeaseRequest) (g limiters.Granted) {
		var fp store.Footprint
		asked := words("rule k1 k2")
		c.ReserveFootprint(&r, asked, false, &fp)
		tx.Begin(now, 0, &fp)
		defer tx.End()
		defer c.Done(false)
		require.NoError(t, c.BeginLease(&r, tx, asked, false))
		g, err := c.Lease(tx, now, &r, &request, &a)
		require.NoError(t, err)
		require.Equal(t, min(request.Back, 2), int64(strings.Count(string(c.names), ":reset")))
		return g
	}
	first := ask(limiters.LeaseRequest{Want: 4, TTL: 1e9})
	require.EqualValues(t, 4, first.Units)
	require.EqualValues(t, 1, a.Remaining)
	ask(limiters.LeaseRequest{TTL: 1e9, Back: 3, Of: limiters.LeaseOf(first.At, first.Ends)})
	require.EqualValues(t, 4, a.Remaining, "all limits got their units back")
}
