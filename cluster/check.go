package cluster

import (
	"context"

	"cellserver/cluster/peer"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// Check asks the node at an address how its cluster is, and describes it. The address is one of
// cluster-nodes. whole says whether all nodes answer and take part.
func Check(ctx context.Context, s *peer.Security, address string) (text string, whole bool, err error) {
	at, err := topology.ParseAddress(address)
	if err != nil {
		return "", false, err
	}
	if err := s.Check(); err != nil {
		return "", false, err
	}
	ctx, stop := context.WithTimeout(ctx, callPatience)
	defer stop()
	state, err := (&peer.Dialer{Security: s}).State(ctx, at.Peer())
	if err != nil {
		return "", false, err
	}
	return roster.Describe(state), state.Whole(), nil
}
