package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
)

const (
	readBuffer   = 16 << 10 // bytes of the buffer of a connection for calls
	longestError = 1 << 10  // bytes of the text of an opFailed
)

// An answerer answers the calls of other nodes, publishes their messages, and keeps their scripts.
type answerer struct {
	service Service
	limits  *Limits
}

// serve answers the calls of a connection until it ends. A node of a foreign cluster may ask, but its
// messages end the connection: a node of that cluster had this address before. This node may find its own
// cluster after the connection began. serve returns nil if the other node does not take an answer within
// Limits.Step, and io.EOF if that node closed the connection.
func (a *answerer) serve(ctx context.Context, conn net.Conn, foreign func() bool) error {
	in := newFrameReader(bufio.NewReaderSize(conn, readBuffer), a.limits.Message)
	for {
		op, body, err := in.next()
		switch {
		case err != nil:
			return err
		case op.isMessage() && foreign():
			return &refusedError{otherCluster}
		case op == opScript:
			a.service.KeepScript(body)
			continue
		case op.isMessage():
			channel, text, err := parsePublish(body)
			if err != nil {
				return err
			}
			a.service.Publish(op == opPublishShard, channel, text)
			continue
		case !op.isRequest():
			return fmt.Errorf("operation %d is not a request", op)
		}
		frame := a.answerFrame(ctx, op, body)
		if err := within(conn, a.limits.Step, func() error {
			_, err := conn.Write(frame)
			return err
		}); err != nil {
			return nil
		}
	}
}

// answerFrame calls the service, and returns the frame of its answer, of its error or of a redirection.
func (a *answerer) answerFrame(ctx context.Context, op operation, body []byte) []byte {
	ctx, stop := context.WithTimeout(ctx, a.limits.Call)
	defer stop()
	answer, err := a.callService(ctx, op, body)
	if err == nil {
		body, err = json.Marshal(answer)
	}
	if err == nil && len(body) > bodyLimit {
		err = errTooLarge(op, len(body), bodyLimit)
	}
	switch notLeader, is := errors.AsType[*NotLeaderError](err); {
	case is:
		return appendFrame(nil, opRedirect, []byte(notLeader.Leader))
	case err != nil:
		text := err.Error()
		return appendFrame(nil, opFailed, []byte(text[:min(len(text), longestError)]))
	}
	return appendFrame(nil, opReply, body)
}

// callService calls the method of the service for an operation.
func (a *answerer) callService(ctx context.Context, op operation, body []byte) (any, error) {
	switch op {
	case opHello:
		return callWith(body, func(asker Hello) (any, error) { return a.service.Hello(asker), nil })
	case opJoin:
		return callWith(body, func(j Join) (any, error) { return a.service.Join(ctx, j) })
	case opForget:
		return callWith(body, func(n named) (any, error) { return struct{}{}, a.service.Forget(ctx, n.ID) })
	case opFailover:
		return callWith(body, func(n named) (any, error) { return struct{}{}, a.service.Failover(ctx, n.ID) })
	case opInvite:
		return callWith(body, func(i Invite) (any, error) { return struct{}{}, a.service.Invite(ctx, i) })
	default: // opState
		return a.service.State(), nil
	}
}

// callWith reads the body of a request, and calls a method of the service with it.
func callWith[In any](body []byte, call func(In) (any, error)) (any, error) {
	var in In
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("a request that cannot be read: %w", err)
	}
	return call(in)
}
