package cluster

import (
	"context"
	"errors"
	"sync/atomic"
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
	asked    *asked
}

// asked is the term in which the leader of this node has asked it to lead; 0 if another node has asked last.
//
// Such a request has no term, and may come late: this node was paused, or the network was slow. All others
// vote for the node that was asked, also against a leader that has a lease. So the node must not become a
// candidate for a former leader.
type asked struct{ term atomic.Uint64 }

// note looks at a message that Raft gets. ledBy returns the term in which the node at an address leads this
// one.
func (a *asked) note(message raft.RPC, ledBy func(raft.ServerAddress) uint64) {
	if r, ok := message.Command.(*raft.TimeoutNowRequest); ok {
		a.term.Store(ledBy(raft.ServerAddress(r.Addr)))
	}
}

var errLate = errors.New("a former leader has asked this node to lead")

// RequestVote implements [raft.Transport]. It asks for no vote if a request to lead came late. Then this node
// begins an election as all others do, a NodeTimeout later.
func (t transport) RequestVote(id raft.ServerID, to raft.ServerAddress,
	args *raft.RequestVoteRequest, reply *raft.RequestVoteResponse) error {
	if args.LeadershipTransfer && args.Term != t.asked.term.Load()+1 {
		return errLate
	}
	return t.Carrier.RequestVote(id, to, args, reply)
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
