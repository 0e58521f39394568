package app

import (
	"context"
	"path/filepath"

	"cellserver/cluster"
	"cellserver/internal/config"
)

// ClusterState asks the node at an address of clients how its cluster is, and returns a page of text. whole
// says whether all nodes answer and take part. The configuration has the secret or the certificates.
// ClusterState creates no directory.
func ClusterState(cfg *config.Config, address string) (text string, whole bool, err error) {
	cfg = cfg.Clone()
	if cfg.Dir, err = filepath.Abs(cfg.Dir); err != nil {
		return "", false, err
	}
	var c certificates
	if err := c.load(cfg); err != nil {
		return "", false, err
	}
	return cluster.Check(context.Background(), c.peers(cfg), address)
}
