package scripts

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShares takes memory for two runs: together they get the limit, and what one gives back the other can take.
func TestShares(t *testing.T) {
	var all shared
	a, b := share{all: &all, limit: 100}, share{all: &all, limit: 100}
	require.True(t, a.more(60))
	require.True(t, b.more(40))
	require.False(t, b.more(1))
	require.Equal(t, int64(100), all.taken.Load(), "a refusal takes nothing")
	a.giveBack()
	a.giveBack()
	require.True(t, b.more(60))
	b.giveBack()
	require.Zero(t, all.taken.Load())
}

// TestGarbageOfScriptsCounts: what a large script has taken counts until its transaction has ended, and a
// collection has begun after that.
func TestGarbageOfScriptsCounts(t *testing.T) {
	const large = fewBytes + 1
	all := Scripts{}
	own, a := scratch{shared: &all.shared}, share{all: &all.shared, limit: 2 * large}
	require.True(t, a.more(large))
	own.garbage += a.giveBack()
	for range 3 {
		runtime.GC()
	}
	require.EqualValues(t, large, all.Memory(), "the transaction has not ended")
	own.endTransaction()
	require.EqualValues(t, large, all.Memory(), "no collection yet")
	runtime.GC()
	runtime.GC()
	require.Zero(t, all.Memory())
	require.True(t, a.more(large))
	own.garbage += a.giveBack()
	own.endTransaction()
	all.shared.collect()
	require.Zero(t, all.Memory())
}
