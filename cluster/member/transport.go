package member

import (
	"context"
	"time"

	"cellserver/cluster/carrier"

	"github.com/hashicorp/raft"
)

// transport is Raft's, with a limit for the message that hands the lead over. Raft accepts no entry until that message has
// its answer. So a node that stands still would keep the leader from serving for all the time that other messages have.
type transport struct {
	*carrier.Carrier
	patience time.Duration
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
