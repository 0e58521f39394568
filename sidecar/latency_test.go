package sidecar_test

import (
	"bufio"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// TestHotKeysWaitForNobody: of a thousand decisions a second about a key below its limit, 99 in 100 take no more time than the way
// to the sidecar, although the hub is a millisecond away.
func TestHotKeysWaitForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 1, 1, account.Deny, "CL.THROTTLE", "k", 599_999, 600_000, 60)
		defer w.close()
		nc := w.sidecars[0].connect()
		in := bufio.NewReader(nc)
		ask := func() time.Duration {
			sent := time.Now()
			require.True(t, w.sidecars[0].ask(nc, in))
			return time.Since(sent)
		}
		const warm, counted = 1000, 10_000
		var took []time.Duration
		for i := range warm + counted {
			if d := ask(); i >= warm {
				took = append(took, d)
			}
			time.Sleep(time.Millisecond)
		}
		require.NoError(t, nc.Close())
		slices.Sort(took)
		hub := 2 * w.sidecars[0].line.base
		t.Logf("median %v, 99th %v, most %v; the hub is %v away", took[counted/2], took[counted*99/100], took[counted-1], hub)
		require.Less(t, took[counted*99/100], 100*time.Microsecond)
		require.Zero(t, w.refused)
	})
}
