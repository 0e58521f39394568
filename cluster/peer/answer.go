package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
)

// Bytes of a connection for calls, and of the sentence of a failure.
const (
	readBuffer   = 16 << 10
	longestError = 1 << 10
)

// An answerer answers calls.
type answerer struct {
	service Service
	limits  *Limits
}

// serve answers the calls of a connection until it ends. It returns nil if the other node does not take an
// answer, and io.EOF if that node closed the connection.
func (a *answerer) serve(ctx context.Context, conn net.Conn) error {
	in := newFrameReader(bufio.NewReaderSize(conn, readBuffer), a.limits.Message)
	for {
		op, body, err := in.next()
		switch {
		case err != nil:
			return err
		case op == opPublish:
			channel, text, err := parsePublish(body)
			if err != nil {
				return err
			}
			a.service.Publish(channel, text)
			continue
		case !op.isRequest():
			return fmt.Errorf("operation %d is not a request", op)
		}
		frame := a.frame(ctx, op, body)
		if err := within(conn, a.limits.Step, func() error {
			_, err := conn.Write(frame)
			return err
		}); err != nil {
			return nil
		}
	}
}

// frame calls the service, and makes the answer a frame.
func (a *answerer) frame(ctx context.Context, op operation, body []byte) []byte {
	ctx, stop := context.WithTimeout(ctx, a.limits.Call)
	defer stop()
	answer, err := a.answer(ctx, op, body)
	if err == nil {
		body, err = json.Marshal(answer)
	}
	if err == nil && len(body) > bodyLimit {
		err = errTooLarge(op, len(body), bodyLimit)
	}
	var elsewhere *NotLeaderError
	switch {
	case errors.As(err, &elsewhere):
		return appendFrame(nil, opRedirect, []byte(elsewhere.Leader))
	case err != nil:
		text := err.Error()
		return appendFrame(nil, opFailed, []byte(text[:min(len(text), longestError)]))
	}
	return appendFrame(nil, opReply, body)
}

// answer calls the service.
func (a *answerer) answer(ctx context.Context, op operation, body []byte) (any, error) {
	switch op {
	case opHello:
		return with(body, func(asker Hello) (any, error) { return a.service.Hello(asker), nil })
	case opJoin:
		return with(body, func(j Join) (any, error) { return a.service.Join(ctx, j) })
	case opForget:
		return with(body, func(n named) (any, error) { return struct{}{}, a.service.Forget(ctx, n.ID) })
	case opFailover:
		return with(body, func(n named) (any, error) { return struct{}{}, a.service.Failover(ctx, n.ID) })
	case opInvite:
		return with(body, func(i Invite) (any, error) { return struct{}{}, a.service.Invite(ctx, i) })
	default:
		return a.service.State(), nil
	}
}

// with reads the body of a request, and calls the service with it.
func with[In any](body []byte, call func(In) (any, error)) (any, error) {
	var in In
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("a request that cannot be read: %w", err)
	}
	return call(in)
}
