package cluster

import (
	"context"
	"time"

	"cellserver/cluster/peer"

	"github.com/hashicorp/raft"
)

// transport is the carrier of Raft's messages, with a shorter timeout for the message that hands the lead
// over. Raft accepts no entry until that message has its answer. So with the timeout of other messages, a
// node that hangs would block the leader for longer.
type transport struct {
	*peer.Carrier
	patience time.Duration // for the message that hands the lead over
}

// TimeoutNow implements [raft.Transport].
func (t transport) TimeoutNow(id raft.ServerID, to raft.ServerAddress, args *raft.TimeoutNowRequest, reply *raft.TimeoutNowResponse) (err error) {
	ctx, stop := context.WithTimeout(context.Background(), t.patience)
	defer stop()
	*reply, err = within(ctx, func() (answer raft.TimeoutNowResponse, err error) {
		err = t.NetworkTransport.TimeoutNow(id, to, args, &answer)
		return answer, err
	})
	return err
}
