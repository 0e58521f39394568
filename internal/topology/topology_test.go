package topology

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLeaderOf(t *testing.T) {
	v := &View{
		Nodes:  []Node{{ID: "a"}, {ID: "b"}},
		Self:   1,
		Groups: []Group{{First: 0, Last: 8191, Leader: 0}, {First: 8192, Last: 16383, Leader: 1}},
	}
	for slot, leader := range map[uint16]int{0: 0, 8191: 0, 8192: 1, 16383: 1} {
		require.Equal(t, leader, v.LeaderOf(slot), "slot %d", slot)
	}
	v.Groups[0].Leader = -1
	require.Equal(t, -1, v.LeaderOf(7))
	require.Equal(t, -1, new(View).LeaderOf(7))
}

// A node that raft elects before it has applied the entry that lets it vote names no leader, and neither does one that loads
// its keys again. Otherwise its followers would take their keys for as new as its own, which may be those of an old snapshot.
func TestANodeThatJoinsDoesNotLead(t *testing.T) {
	v := &View{Nodes: []Node{{ID: "a"}, {ID: "b"}}, Groups: []Group{{Last: 16383}}}
	for _, c := range []struct {
		state  State
		leader int
		names  *Node
	}{
		{OK, 0, &v.Nodes[0]}, {OK, 1, &v.Nodes[1]}, {Joining, 0, nil}, {Joining, 1, &v.Nodes[1]}, {Down, 0, nil}, {Down, 1, nil}, {OK, -1, nil},
	} {
		v.State, v.Groups[0].Leader = c.state, c.leader
		require.Equal(t, c.names, v.Leader(), "%v", c)
	}
}

func TestCounts(t *testing.T) {
	v := &View{
		Nodes: []Node{
			{ID: "a", Voter: true, Healthy: true, Applied: 1}, {ID: "b", Voter: true, Applied: 2}, {ID: "c", Healthy: true, Applied: 3},
		},
		Groups: []Group{{Last: 16383, Applied: 9}},
	}
	require.Equal(t, []int{2, 2, 1}, []int{v.Voters(), v.Healthy(), v.HealthyVoters()})
	require.Equal(t, []int{0, 2, -1}, []int{v.Find("a"), v.Find("c"), v.Find("d")})
	require.Equal(t, []uint64{9, 2}, []uint64{v.Applied(0), v.Applied(1)})
}

func TestFollowers(t *testing.T) {
	v := &View{
		Nodes:  []Node{{ID: "a", Healthy: true}, {ID: "b", Healthy: true}, {ID: "c"}},
		Groups: []Group{{Last: 16383, Leader: 0, Replicas: []int{1, 2}}},
	}
	require.False(t, v.Follows(), "it leads")
	require.Equal(t, []int{1}, v.Replicas())
	v.Self = 1
	require.True(t, v.Follows())
	require.Empty(t, v.Replicas())
	v.Nodes[0].Healthy = false
	require.False(t, v.Follows())
	v.Nodes[0].Healthy, v.State = true, Down
	require.False(t, v.Follows())
	v.State, v.Groups[0].Leader = OK, -1
	require.False(t, v.Follows())
}
