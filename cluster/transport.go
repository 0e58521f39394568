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

// within waits for the result of a call, or until the context ends. Then the call continues, but no
// goroutine waits for it.
func within[T any](ctx context.Context, call func() (T, error)) (result T, err error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := call()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return result, ctx.Err()
	}
}
