package cluster

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"cellserver/cluster/peer"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// A node that stands still gets the message that hands the lead over, and never answers.
func TestTheLeadIsNotHandedToANodeThatStandsStill(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = silent.Close() }()
	inner, err := raft.NewTCPTransport("127.0.0.1:0", nil, 1, time.Minute, io.Discard)
	require.NoError(t, err)
	defer func() { _ = inner.Close() }()
	begun := time.Now()
	err = transport{&peer.Carrier{NetworkTransport: inner}, 20 * time.Millisecond, &asked{}}.TimeoutNow("id",
		raft.ServerAddress(silent.Addr().String()), &raft.TimeoutNowRequest{}, &raft.TimeoutNowResponse{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(begun), 30*time.Second)
}

// A transport for Raft needs more than the interface says: without PreVote a node that returns disturbs the leader.
func TestTheTransportIsThatOfRaft(t *testing.T) {
	var all any = transport{}
	require.Implements(t, (*raft.Transport)(nil), all)
	require.Implements(t, (*raft.WithPreVote)(nil), all)
	require.Implements(t, (*raft.WithClose)(nil), all)
}

// A request to lead comes from a node that does not lead, as a late one does. The leader is cut off, and has a lease: nobody leads
// before its end.
func TestALateRequestToLead(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.form(w.machines...)
		leader := w.leader()
		asks := w.other(leader)
		asked := w.other(leader, asks)
		time.Sleep(3 * time.Second)
		require.NoError(t, leader.set("a", 1))
		w.net.cut(leader.host, true)
		request := &raft.TimeoutNowRequest{RPCHeader: raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax,
			Addr: []byte(asks.at().Peer())}}
		id := asked.disk().identity.ID
		require.NoError(t, asks.transport.TimeoutNow(raft.ServerID(id), raft.ServerAddress(asked.at().Peer()), request, &raft.TimeoutNowResponse{}))
		time.Sleep(300 * time.Millisecond)
		require.Zero(t, asked.Epoch())
		require.True(t, leader.Wait(leader.Mark()), "its lease has not ended")
		w.eventually("nobody leads", func() bool { return asks.Epoch()+asked.Epoch() != 0 })
		w.net.cut(leader.host, false)
		w.awaitVoters(w.machines...)
	})
}
