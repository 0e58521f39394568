package peer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/cluster/roster"
	"cellserver/internal/porttest"
	"cellserver/internal/topology"

	"github.com/stretchr/testify/require"
)

func TestCalls(t *testing.T) {
	noLeaks(t)
	var n network
	service := &fakeService{
		hello: Hello{Standing: roster.Standing{Run: "B", ID: "b", Phase: roster.Member, Cluster: "X",
			Nodes: []string{"a:1", "b:1"}, Found: "b:1"},
			Feature: 3, Release: "1.0.0", Client: "b:6379", Peer: "b:16379", Leader: Leader{"a", "a:16379"}, Applied: 42},
		state: &roster.State{Self: "b", Term: 9, Nodes: []roster.NodeState{{ID: "b", Voter: true}}},
	}
	b := n.start(t, service, n.dialer(Limits{}))
	d, ctx := n.dialer(Limits{}), t.Context()

	hello, err := d.Hello(ctx, b.addr, Hello{Standing: roster.Standing{Run: "A"}})
	require.NoError(t, err)
	require.Equal(t, service.hello, hello)
	joined, err := d.Join(ctx, b.addr, Join{Cluster: "X", Node: topology.Node{ID: "a"}, Vote: true})
	require.NoError(t, err)
	require.Equal(t, Joined{Voter: true, Commit: 7}, joined)
	require.NoError(t, d.Forget(ctx, b.addr, "c"))
	require.NoError(t, d.Failover(ctx, b.addr, "d"))
	require.NoError(t, d.Invite(ctx, b.addr, Invite{"X", []string{"a:1"}}))
	state, err := d.State(ctx, b.addr)
	require.NoError(t, err)
	require.Equal(t, service.state, state)
	require.Equal(t, "hello from A\njoin a true\nforget c\nfailover d\ninvite X [a:1]", service.noted())

	service.err = errors.New("the node c is not in the cluster: see CLUSTER NODES")
	err = d.Forget(ctx, b.addr, "c")
	require.EqualError(t, err, "node "+b.addr+": the node c is not in the cluster: see CLUSTER NODES")
	var remote *remoteError
	require.ErrorAs(t, err, &remote)
	service.err = errors.New(strings.Repeat("x", 10_000))
	require.ErrorAs(t, d.Forget(ctx, b.addr, "c"), &remote)
	require.Len(t, remote.Text, longestError)
	requireSoon(t, "the end of all connections", func() bool { return b.Stats() == portStats{} })
	require.Empty(t, b.log.String())
}

// Calls for the leader follow the address that a node names.
func TestCallsFollowTheLeader(t *testing.T) {
	noLeaks(t)
	var n network
	leader := &fakeService{}
	a := n.start(t, leader, n.dialer(Limits{}))
	follower := &fakeService{err: &NotLeaderError{a.addr}}
	b := n.start(t, follower, n.dialer(Limits{}))
	d := n.dialer(Limits{})

	_, err := d.Join(t.Context(), b.addr, Join{Node: topology.Node{ID: "c"}})
	require.NoError(t, err)
	require.NoError(t, d.Forget(t.Context(), b.addr, "x"))
	require.NoError(t, d.Failover(t.Context(), b.addr, "y"))
	require.Equal(t, "join c false\nforget x\nfailover y", leader.noted())

	leader.err = &NotLeaderError{}
	err = d.Forget(t.Context(), b.addr, "x")
	require.EqualError(t, err, "node "+a.addr+": the cluster has no leader at present")
	leader.err = &NotLeaderError{b.addr}
	err = d.Forget(t.Context(), b.addr, "z")
	require.ErrorContains(t, err, "the leader changes too often, try again")
	require.Equal(t, 1+mostRedirects, strings.Count(follower.noted()+leader.noted(), "forget z"))
	// An invitation is for the node itself.
	follower.err = &NotLeaderError{a.addr}
	require.Error(t, d.Invite(t.Context(), b.addr, Invite{}))
	require.NotContains(t, leader.noted(), "invite")
}

func TestCallsAreBounded(t *testing.T) {
	var n network
	service := &fakeService{state: &roster.State{Waiting: strings.Repeat("x", bodyLimit)}}
	b := n.start(t, service, n.dialer(Limits{}))
	d := n.dialer(Limits{})
	err := d.Invite(t.Context(), b.addr, Invite{Cluster: strings.Repeat("x", bodyLimit)})
	require.ErrorContains(t, err, "more than 65536")
	_, err = d.State(t.Context(), b.addr)
	require.ErrorContains(t, err, "more than 65536")
	require.Empty(t, service.noted())
}

func TestACallThatCannotBeRead(t *testing.T) {
	var n network
	b := n.start(t, &fakeService{}, n.dialer(Limits{}))
	d := n.dialer(Limits{})
	conn, err := d.Dial(t.Context(), b.addr, kindCall, 0)
	require.NoError(t, err)
	for _, op := range []operation{opHello, opJoin, opForget, opFailover, opInvite} {
		var remote *remoteError
		require.ErrorAs(t, exchange(conn, appendFrame(nil, op, []byte("[")), nil), &remote)
		require.Contains(t, remote.Text, "a request that cannot be read")
	}
	require.Error(t, exchange(conn, appendFrame(nil, opReply, nil), nil), "an answer is not a request")
	requireSoon(t, "a log line", func() bool { return b.refused.Load() == 1 })
}

// A call ends with its context, and after a while without an answer. The service hears of it.
func TestCallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		service := &fakeService{waitFor: make(chan struct{})}
		b := n.start(t, service, n.dialer(Limits{}))
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err := n.dialer(Limits{}).Join(ctx, b.addr, Join{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 3*time.Second, time.Since(began))
		_, err = n.dialer(Limits{Call: 10 * time.Second}).Join(t.Context(), b.addr, Join{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 13*time.Second, time.Since(began))
		time.Sleep(defaultLimits.Call)
		synctest.Wait()
		require.Equal(t, portStats{}, b.Stats(), "the service ended with its context")
		b.Close()
	})
}

// A port that closes ends the calls that it answers.
func TestCloseEndsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		service := &fakeService{waitFor: make(chan struct{})}
		b := n.start(t, service, n.dialer(Limits{}))
		failed := make(chan error)
		go func() {
			_, err := n.dialer(Limits{}).Join(t.Context(), b.addr, Join{})
			failed <- err
		}()
		synctest.Wait()
		require.Equal(t, portStats{Calls: 1}, b.Stats())
		began := time.Now()
		b.Close()
		require.Error(t, <-failed)
		require.Equal(t, began, time.Now())
	})
}

// Nobody hears of a call that has the wrong secret, or another cluster.
func TestDialErrorsNameTheNode(t *testing.T) {
	var n network
	service := &fakeService{}
	b := n.start(t, service, n.dialer(Limits{}))
	d := n.dialer(Limits{})
	d.Security = &Security{Secret: []byte(strings.Repeat("y", 32))}
	_, err := d.Hello(t.Context(), b.addr, Hello{})
	require.EqualError(t, err, "node "+b.addr+": its cluster-secret differs: set the same cluster-secret on every node")
	nobody := fmt.Sprint("127.0.0.1:", porttest.Free(t))
	_, err = (&Dialer{Security: d.Security}).Hello(t.Context(), nobody, Hello{})
	require.ErrorContains(t, err, "connection refused")
	_, err = d.Hello(t.Context(), "nowhere", Hello{})
	require.ErrorContains(t, err, "missing port in address")
	require.Empty(t, service.noted())
}
