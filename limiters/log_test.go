package limiters

import (
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// TestLogDecidesWithoutAllocations: a log of single actions is decided as it lies in its key, admitted or refused.
func TestLogDecidesWithoutAllocations(t *testing.T) {
	const now = 1_700_000_000_123_456_789
	for line, limited := range map[string]bool{"CL.LOG 100 60": false, "CL.LOG 50 60": true} {
		l, err := Parse(words(line))
		require.NoError(t, err)
		var fp store.Footprint
		fp.AddKey([]byte("k"))
		tx := store.New(store.Options{Databases: 1, Seed: 1}).NewTx()
		tx.Begin(now, 0, &fp)
		e := tx.Write([]byte("k"))
		var a Answer
		for i := range int64(50) {
			require.NoError(t, l.Decide(&e, &a, now+i, 1))
			l.Apply(&e, &a, now+i)
		}
		require.Zero(t, testing.AllocsPerRun(100, func() { err = l.Decide(&e, &a, now+1e6, 1) }), line)
		require.NoError(t, err)
		require.Equal(t, limited, a.Limited)
		tx.End()
	}
}
