package group_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// bubble runs a test in virtual time.
func bubble(t *testing.T, test func(t *testing.T, progress func())) {
	progress := clustertest.Watchdog(t)
	synctest.Test(t, func(t *testing.T) { test(t, progress) })
}

func TestEffectsReachAllNodes(t *testing.T) {
	bubble(t, func(t *testing.T, progress func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		first := c.Leader()
		s, err := first.Connect()
		require.NoError(t, err)
		for i := range 100 {
			replies, err := s.Do(fmt.Sprint("SET {k", i, "}x ", i), "CL.THROTTLE user 10 30 60")
			require.NoError(t, err)
			require.Equal(t, resptest.Simple("OK"), replies[0])
			progress()
		}
		require.Len(t, c.RequireEqual(), 101)

		require.NoError(t, first.Kill())
		second := c.Leader()
		require.NotSame(t, first, second)
		s, err = second.Connect()
		require.NoError(t, err)
		replies, err := s.Do("GET {k7}x", "DEL {k8}x", "RENAME {k9}x {k9}y")
		require.NoError(t, err)
		require.Equal(t, []any{"7", int64(1), resptest.Simple("OK")}, replies)
		require.NoError(t, first.Restart())
		require.Len(t, c.RequireEqual(), 100)
		time.Sleep(time.Minute)
		require.Len(t, c.RequireEqual(), 99, "the throttle has expired everywhere")
	})
}
