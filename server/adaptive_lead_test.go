package server_test

import (
	"fmt"
	"testing"
	"time"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestAdaptiveWindowsEndWithTheLead: a node that leads again has no window of its former time, because another leader may have
// changed the limit since. The limit stays.
func TestAdaptiveWindowsEndWithTheLead(t *testing.T) {
	for _, leads := range []bool{false, true} {
		h := servertest.New(t)
		for i := range 20 {
			h.Do(fmt.Sprint("CL.ENTER k 60 a", i))
		}
		for i := range 12 {
			h.Do(fmt.Sprint("CL.LEAVE k a", i, " 0.02 DROP"))
		}
		if leads {
			h.Server.ViewChanged(servertest.View(3, 0, 0), servertest.View(3, 0, 1))
			h.Server.ViewChanged(servertest.View(3, 0, 1), servertest.View(3, 0, 0))
		} else {
			h.Server.ViewChanged(servertest.View(3, 0, 1), servertest.View(3, 0, 2))
		}
		h.Advance(time.Second)
		limit := h.NewClient(t).Do("CL.ENTER k 60 b").([]any)[1]
		require.Equal(t, map[bool]int64{true: 20, false: 10}[leads], limit, leads)
	}
}
