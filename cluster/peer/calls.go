package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"

	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// mostRedirects is how often a call follows the address of a leader.
const mostRedirects = 3

// A remoteError is the sentence with which another node failed.
type remoteError struct{ Text string }

// Error returns the sentence.
func (e *remoteError) Error() string { return e.Text }

// Hello asks a node who it is. The argument says who this node is.
func (d *Dialer) Hello(ctx context.Context, addr string, own Hello) (answer Hello, err error) {
	err = d.call(ctx, addr, opHello, own, &answer)
	return answer, err
}

// Join asks the cluster of a node to add this node, or to let it vote.
func (d *Dialer) Join(ctx context.Context, addr string, j Join) (answer Joined, err error) {
	err = d.callLeader(ctx, addr, opJoin, j, &answer)
	return answer, err
}

// Forget asks the cluster of a node to remove the node with an id.
func (d *Dialer) Forget(ctx context.Context, addr, id string) error {
	return d.callLeader(ctx, addr, opForget, named{id}, &struct{}{})
}

// Failover asks the cluster of a node to make the node with an id its leader.
func (d *Dialer) Failover(ctx context.Context, addr, id string) error {
	return d.callLeader(ctx, addr, opFailover, named{id}, &struct{}{})
}

// Invite asks a node to join a cluster.
func (d *Dialer) Invite(ctx context.Context, addr string, i Invite) error {
	return d.call(ctx, addr, opInvite, i, &struct{}{})
}

// State asks a node how its cluster is.
func (d *Dialer) State(ctx context.Context, addr string) (*roster.State, error) {
	answer := &roster.State{}
	if err := d.call(ctx, addr, opState, struct{}{}, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// callLeader calls a node, and then the leader that the node names.
func (d *Dialer) callLeader(ctx context.Context, addr string, op operation, in, out any) (err error) {
	ctx, stop := context.WithTimeout(ctx, d.Limits.orDefault().Call)
	defer stop()
	for range mostRedirects + 1 {
		err = d.call(ctx, addr, op, in, out)
		notLeader, is := errors.AsType[*NotLeaderError](err)
		if !is || notLeader.Leader == "" {
			return err
		}
		addr = notLeader.Leader
	}
	return fmt.Errorf("node %s: %w: the leader changes too often, try again", addr, err)
}

// call sends a request and reads its answer.
func (d *Dialer) call(ctx context.Context, addr string, op operation, in, out any) error {
	ctx, stop := context.WithTimeout(ctx, d.Limits.orDefault().Call)
	defer stop()
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if len(body) > bodyLimit {
		return errTooLarge(op, len(body), bodyLimit)
	}
	conn, err := d.Dial(ctx, addr, kindCall, 0)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := exchange(conn, appendFrame(nil, op, body), out); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("node %s: %w", addr, err)
	}
	return nil
}

// exchange sends a frame and reads the answer.
func exchange(conn net.Conn, frame []byte, out any) error {
	if _, err := conn.Write(frame); err != nil {
		return err
	}
	op, body, err := newFrameReader(conn, 0).next()
	switch {
	case err != nil:
		return err
	case op == opRedirect:
		return &NotLeaderError{string(body)}
	case op == opFailed:
		return &remoteError{string(body)}
	case op != opReply:
		return fmt.Errorf("it answers with operation %d: run the same release on every node", op)
	}
	return json.Unmarshal(body, out)
}

// Ask asks all addresses at once who they are. The answers are for roster.Decide. It returns when all have
// answered, or when the context ends.
func (d *Dialer) Ask(ctx context.Context, own Hello, addrs []topology.Address) map[string]roster.Answer {
	answers := make([]roster.Answer, len(addrs))
	var asking sync.WaitGroup
	for i, addr := range addrs {
		asking.Go(func() { answers[i] = d.askOne(ctx, own, addr) })
	}
	asking.Wait()
	all := map[string]roster.Answer{}
	for i, addr := range addrs {
		all[addr.String()] = answers[i]
	}
	return all
}

func (d *Dialer) askOne(ctx context.Context, own Hello, addr topology.Address) roster.Answer {
	hello, err := d.Hello(ctx, addr.Peer(), own)
	if err != nil {
		return roster.Answer{Error: cause(err)}
	}
	return roster.Answer{Standing: hello.Standing, Leader: hello.Leader.Peer}
}

// cause shortens the error of a call for a line that names the address already.
func cause(err error) string {
	network, is := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer"
	case !is:
		return err.Error()
	}
	for err = network; errors.Unwrap(err) != nil; {
		err = errors.Unwrap(err)
	}
	return err.Error()
}
