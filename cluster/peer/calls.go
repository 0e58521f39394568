package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"

	"cellserver/cluster/peer/handshake"
	"cellserver/cluster/peer/message"
	"cellserver/cluster/roster"
)

// mostRedirects is how often a call follows the address of a leader.
const mostRedirects = 3

// A RemoteError is the sentence with which another node failed.
type RemoteError struct{ Text string }

// Error returns the sentence.
func (e *RemoteError) Error() string { return e.Text }

// Hello asks a node who it is. The argument says who this node is.
func (d *Dialer) Hello(ctx context.Context, addr string, own Hello) (answer Hello, err error) {
	err = d.call(ctx, addr, message.Hello, own, &answer)
	return answer, err
}

// Join asks the cluster of a node to add this node, or to let it vote.
func (d *Dialer) Join(ctx context.Context, addr string, j Join) (answer Joined, err error) {
	err = d.callLeader(ctx, addr, message.Join, j, &answer)
	return answer, err
}

// Forget asks the cluster of a node to remove the node with an id.
func (d *Dialer) Forget(ctx context.Context, addr, id string) error {
	return d.callLeader(ctx, addr, message.Forget, named{id}, &struct{}{})
}

// Failover asks the cluster of a node to make the node with an id its leader.
func (d *Dialer) Failover(ctx context.Context, addr, id string) error {
	return d.callLeader(ctx, addr, message.Failover, named{id}, &struct{}{})
}

// Invite asks a node to join a cluster.
func (d *Dialer) Invite(ctx context.Context, addr string, i Invite) error {
	return d.call(ctx, addr, message.Invite, i, &struct{}{})
}

// State asks a node how its cluster is.
func (d *Dialer) State(ctx context.Context, addr string) (*roster.State, error) {
	answer := &roster.State{}
	if err := d.call(ctx, addr, message.State, struct{}{}, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// callLeader calls a node, and then the leader that the node names.
func (d *Dialer) callLeader(ctx context.Context, addr string, op message.Op, in, out any) (err error) {
	ctx, stop := context.WithTimeout(ctx, d.Limits.orDefault().Call)
	defer stop()
	for range mostRedirects + 1 {
		var elsewhere *NotLeaderError
		err = d.call(ctx, addr, op, in, out)
		if !errors.As(err, &elsewhere) || elsewhere.Leader == "" {
			return err
		}
		addr = elsewhere.Leader
	}
	return fmt.Errorf("node %s: %w: the leader changes too often, try again", addr, err)
}

// call sends a request and reads its answer.
func (d *Dialer) call(ctx context.Context, addr string, op message.Op, in, out any) error {
	ctx, stop := context.WithTimeout(ctx, d.Limits.orDefault().Call)
	defer stop()
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if len(body) > message.BodyLimit {
		return &message.TooLargeError{Op: op, Size: len(body), Limit: message.BodyLimit}
	}
	conn, err := d.Dial(ctx, addr, handshake.Call, 0)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := exchange(conn, message.Append(nil, op, body), out); err != nil {
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
	op, body, err := message.NewReader(conn, 0).Next()
	switch {
	case err != nil:
		return err
	case op == message.Redirect:
		return &NotLeaderError{string(body)}
	case op == message.Failed:
		return &RemoteError{string(body)}
	case op != message.Reply:
		return fmt.Errorf("it answers with operation %d: run the same release on every node", op)
	}
	return json.Unmarshal(body, out)
}
