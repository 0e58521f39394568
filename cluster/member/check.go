package member

import (
	"context"

	"cellserver/cluster/formation"
	"cellserver/cluster/peer"
	"cellserver/cluster/peer/handshake"
	"cellserver/cluster/status"
)

// Check asks the node at an address how its cluster is, and describes it. The address is one of
// cluster-nodes.
func Check(ctx context.Context, s *handshake.Security, address string) (string, error) {
	at, err := formation.ParseAddress(address)
	if err != nil {
		return "", err
	}
	if err := s.Check(); err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(ctx, callPatience)
	defer stop()
	state, err := (&peer.Dialer{Security: s}).State(ctx, at.Peer())
	if err != nil {
		return "", err
	}
	return status.Describe(state), nil
}
