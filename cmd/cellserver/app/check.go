package app

import (
	"cmp"
	"context"
	"path/filepath"

	"cellserver/cluster"
	"cellserver/cmd/cellserver/files"
	"cellserver/cmd/cellserver/listen"
	"cellserver/cmd/cellserver/rulefile"
	"cellserver/internal/config"
	"cellserver/internal/topology"
	"cellserver/limiters/ruleset"
	"cellserver/server"
)

// CheckConfig reads the files that a configuration names, as New does. Its error is that of the start. It
// opens no address, loads no data and changes nothing.
func CheckConfig(cfg *config.Config) error {
	cfg = cfg.Clone()
	if _, err := files.FindDir(cfg); err != nil {
		return err
	}
	var c listen.Certificates
	if err := c.Load(cfg); err != nil {
		return err
	}
	if list, err := topology.ParseAddresses(cfg.Cluster.Nodes); err != nil || len(list) > 0 {
		if err = cmp.Or(err, c.Peers(cfg).Check(), mayReach(c.Peers(cfg), cfg.Bind, list)); err != nil {
			return err
		}
	}
	if err := server.CheckUsers(cfg, newUserFile(cfg)); err != nil {
		return files.Advised(err)
	}
	if cfg.RulesFile == "" {
		return nil
	}
	_, err := CheckRules(files.PathOf(cfg, cfg.RulesFile))
	return err
}

// CheckRules reads a rules-file as the server does, and returns a line for each of its rules.
func CheckRules(path string) (lines []string, err error) {
	var checked ruleset.Rules
	file := rulefile.File{Read: readRules, Use: checked.UseFile}
	if err := file.Configure(path, path); err != nil {
		return nil, err
	}
	return checked.Shown(), nil
}

// ClusterState asks the node at an address of clients how its cluster is, and returns a page of text. whole
// says whether all nodes answer and take part. The configuration has the secret or the certificates.
// ClusterState creates no directory.
func ClusterState(cfg *config.Config, address string) (text string, whole bool, err error) {
	cfg = cfg.Clone()
	if cfg.Dir, err = filepath.Abs(cfg.Dir); err != nil {
		return "", false, err
	}
	var c listen.Certificates
	if err := c.Load(cfg); err != nil {
		return "", false, err
	}
	return cluster.Check(context.Background(), c.Peers(cfg), address)
}
