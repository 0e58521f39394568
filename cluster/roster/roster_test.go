package roster

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

const idA, idB, idC = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "cccccccccccccccccccccccccccccccccccccccc"

func TestTheViewOfARoster(t *testing.T) {
	self := topology.Node{ID: idB, Host: "two", Port: 6379, PeerPort: 16379, Zone: "z"}
	r := New(self)
	require.False(t, r.Configured())
	v := r.View("", 0, 3)
	require.Equal(t, []topology.Node{{ID: idB, Host: "two", Port: 6379, PeerPort: 16379, Zone: "z", Healthy: true, Applied: 3}}, v.Nodes)
	require.Equal(t, -1, v.Groups[0].Leader)

	r.Configure(raft.Configuration{Servers: []raft.Server{
		{ID: idC, Address: "three:16379", Suffrage: raft.Nonvoter}, {ID: idB, Address: "two:16379"}, {ID: idA, Address: "one:16379"},
	}})
	require.False(t, r.Knows(r.self))
	body, err := Encode(self)
	require.NoError(t, err)
	require.NoError(t, r.Note(body))
	require.True(t, r.Knows(r.self))
	require.Error(t, r.Note([]byte("{")))
	r.Silent(idA, true)
	v = r.View(idB, 5, 9)
	require.Equal(t, []topology.Node{
		{ID: idA, Host: "one", PeerPort: 16379, Voter: true},
		{ID: idB, Host: "two", Port: 6379, PeerPort: 16379, Zone: "z", Voter: true, Healthy: true, Applied: 9},
		{ID: idC, Host: "three", PeerPort: 16379, Healthy: true},
	}, v.Nodes)
	require.Equal(t, topology.Group{Last: 16383, Leader: 1, Replicas: []int{0, 2}, Term: 5, Applied: 9}, v.Groups[0])

	v = r.View("", 6, 9)
	require.Equal(t, 1, v.Groups[0].Leader, "the last leader stays named")
	require.Equal(t, 3, v.Healthy(), "only a leader knows who is silent")
	r.NobodySilent()
	require.Equal(t, 3, r.View(idB, 6, 9).Healthy())

	require.False(t, r.Votes(idC))
	require.True(t, r.Votes(idA))
	require.Equal(t, raft.ServerAddress("one:16379"), r.Server(idA).Address)
}

func TestSilenceOfARemovedNodeIsForgotten(t *testing.T) {
	r := New(topology.Node{ID: idA})
	r.Silent(idB, true)
	r.Configure(raft.Configuration{Servers: []raft.Server{{ID: idA}}})
	require.Empty(t, r.silent)
}

// A removed id is known for good, and a snapshot has it. The nodes remember a bounded number of them.
func TestRemovedIDs(t *testing.T) {
	r := New(topology.Node{ID: strings.Repeat("a", 40)})
	id := func(i int) string { return fmt.Sprintf("%040x", i) }
	for i := range mostGone + 10 {
		require.NoError(t, r.Remove([]byte(id(i))))
		require.NoError(t, r.Remove([]byte(id(i))))
	}
	require.Error(t, r.Remove([]byte("no id")))
	require.Len(t, r.Gone(), mostGone)
	require.False(t, r.IsGone(id(9)))
	require.True(t, r.IsGone(id(10)))
	other := New(topology.Node{ID: strings.Repeat("b", 40)})
	require.NoError(t, other.Replace(nil, r.Gone()))
	require.True(t, other.IsGone(id(mostGone+9)))
}

// A node that is marked as removed stays known until it takes no part. Both orders of the two steps end the same.
func TestARemovedNodeIsKnownUntilItLeaves(t *testing.T) {
	body, err := Encode(topology.Node{ID: idB, Host: "two", Port: 6379, PeerPort: 16379})
	require.NoError(t, err)
	both, rest := raft.Configuration{Servers: []raft.Server{{ID: idA}, {ID: idB}}}, raft.Configuration{Servers: []raft.Server{{ID: idA}}}
	r := New(topology.Node{ID: idA})
	r.Configure(both)
	require.NoError(t, r.Note(body))
	require.Empty(t, r.Leaving())
	require.NoError(t, r.Remove([]byte(idB)))
	require.Equal(t, idB, r.Leaving())
	require.Len(t, r.Known(), 1)
	require.False(t, r.HasLeft(idB))
	r.Configure(rest)
	require.True(t, r.HasLeft(idB))
	require.Empty(t, r.Leaving())
	require.Empty(t, r.Known())

	r = New(topology.Node{ID: idA})
	r.Configure(both)
	require.NoError(t, r.Note(body))
	r.Configure(rest)
	require.Len(t, r.Known(), 1, "it is not marked")
	require.NoError(t, r.Remove([]byte(idB)))
	require.True(t, r.HasLeft(idB))
	require.Empty(t, r.Known())
}
