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
	err = transport{&peer.Carrier{NetworkTransport: inner}, 20 * time.Millisecond}.TimeoutNow("id",
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
