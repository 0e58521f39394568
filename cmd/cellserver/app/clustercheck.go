package app

import (
	"context"

	"cellserver/cluster/member"
	"cellserver/internal/config"
)

// ClusterState asks the node at an address of clients how its cluster is, and returns a page of text. The configuration has
// the secret or the certificates.
func ClusterState(cfg *config.Config, address string) (string, error) {
	cfg = cfg.Clone()
	if err := resolveDir(cfg); err != nil {
		return "", err
	}
	var c certificates
	if err := c.load(cfg); err != nil {
		return "", err
	}
	return member.Check(context.Background(), c.peers(cfg), address)
}
