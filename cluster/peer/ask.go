package peer

import (
	"context"
	"errors"
	"net"
	"sync"

	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// Ask asks all addresses at once who they are. The answers are for formation.Decide. It returns when all have
// answered, or when the context ends.
func (d *Dialer) Ask(ctx context.Context, own Hello, addrs []topology.Address) map[string]roster.Answer {
	answers := make([]roster.Answer, len(addrs))
	var asking sync.WaitGroup
	for i, at := range addrs {
		asking.Go(func() { answers[i] = d.askOne(ctx, own, at) })
	}
	asking.Wait()
	all := map[string]roster.Answer{}
	for i, at := range addrs {
		all[at.String()] = answers[i]
	}
	return all
}

func (d *Dialer) askOne(ctx context.Context, own Hello, at topology.Address) roster.Answer {
	hello, err := d.Hello(ctx, at.Peer(), own)
	if err != nil {
		return roster.Answer{Error: cause(err)}
	}
	return roster.Answer{Standing: hello.Standing, Leader: hello.Leader.Peer}
}

// cause shortens the error of a call for a line that names the address already.
func cause(err error) string {
	var network *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer"
	case !errors.As(err, &network):
		return err.Error()
	}
	for err = network; errors.Unwrap(err) != nil; {
		err = errors.Unwrap(err)
	}
	return err.Error()
}
