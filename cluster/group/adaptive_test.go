package group_test

import (
	"fmt"
	"testing"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

// calls lets as many calls begin as the limit allows, and ends them after 20 ms. It returns the limit.
func calls(t *testing.T, m *clustertest.Machine) int64 {
	const enter = "CL.ENTER service 60 "
	begun := []string{}
	for i := 0; ; i++ {
		holder := fmt.Sprint("h", i)
		reply := do(t, m, enter+holder+" BETWEEN 1 60").([]any)
		if reply[0].(int64) == 1 {
			require.Len(t, begun, int(reply[1].(int64)), "as many as the limit")
			break
		}
		begun = append(begun, holder)
	}
	for _, holder := range begun {
		require.EqualValues(t, 1, do(t, m, "CL.LEAVE service "+holder+" 0.02").([]any)[0])
	}
	return int64(len(begun))
}

// Another node leads every 5 seconds, and at last the leader dies. The limit grows, and no change sets it back.
func TestAnAdaptiveLimitFollowsTheLead(t *testing.T) {
	bubble(t, func(t *testing.T, progress func()) {
		c, leader := ready(t, 3)
		defer c.Close()
		limit := int64(20)
		for range 12 {
			for range 3 {
				now := calls(t, leader)
				require.GreaterOrEqual(t, now, limit, "a change of the leader loses no limit")
				limit = now
				time.Sleep(1100 * time.Millisecond)
				progress()
			}
			next := other(c, leader)
			moveTo(t, c, next)
			leader = next
		}
		require.EqualValues(t, 60, limit)
		require.NoError(t, leader.Kill())
		require.EqualValues(t, 60, calls(t, c.Leader()))
	})
}
