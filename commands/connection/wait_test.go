package connection

import (
	"fmt"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestWait(t *testing.T) {
	h := servertest.New(t)
	h.Want("WAIT 0 1000", 0)
	h.Want("WAIT -1 0", 0)
	h.Want("WAIT a 1", commands.ErrNotInteger)
	h.Want("WAIT 1 b", commands.Error("ERR timeout is not an integer or out of range"))
	h.Want("WAIT 1 -1", commands.Error("ERR timeout is negative"))
	h.Do("MULTI")
	h.Do("WAIT 1 0")
	h.Want("EXEC", []any{0})

	reply := h.HeldBack("WAIT 1 1500")
	require.EqualValues(t, 1500*time.Millisecond, h.State.RetryAfter())
	h.Advance(1499 * time.Millisecond)
	require.Equal(t, resp.Retry, h.Session.Resume())
	require.EqualValues(t, time.Millisecond, h.State.RetryAfter())
	h.Advance(time.Millisecond)
	require.EqualValues(t, 0, reply())
}

func TestWaitForEver(t *testing.T) {
	h := servertest.New(t)
	for _, timeout := range []string{"0", "9223372036854775807"} {
		other := h.NewClient(t)
		reply := other.HeldBack("WAIT 1 " + timeout)
		h.Advance(24 * time.Hour)
		require.Equal(t, resp.Retry, other.Session.Resume())
		require.EqualValues(t, resp.NoTime, other.State.RetryAfter())
		require.Zero(t, other.Woken.Load())
		h.Want(fmt.Sprintf("CLIENT UNBLOCK %d", other.State.ID()), 1)
		require.EqualValues(t, 1, other.Woken.Load())
		require.EqualValues(t, 0, reply())
	}
}

func TestWaitInACluster(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 0)
	h.Want("WAIT 1 0", 1)
	h.Want("WAIT 2 0", 1)
	h.Want("WAIT a 1", commands.ErrNotInteger)
	for voters, replicas := range map[int]int{1: 0, 2: 1, 3: 1, 4: 2, 5: 2} {
		cluster.Now = servertest.View(voters, 0, 0)
		h.Want("WAIT 9 0", replicas)
	}
	cluster.Now = servertest.View(5, 0, 0)
	cluster.Now.Nodes[4].Voter = false
	cluster.Now.Nodes[3].Voter = false
	h.Want("WAIT 9 0", 1)
	cluster.Now, cluster.Epochs = servertest.View(3, 0, 1), []uint64{0}
	h.Want("WAIT 1 0", errWaitOnReplica)
}
