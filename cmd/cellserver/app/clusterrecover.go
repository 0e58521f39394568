package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"cellserver/cmd/cellserver/clock"
	"cellserver/cmd/cellserver/files"
	"cellserver/cmd/cellserver/follow"

	"cellserver/cluster"
	"cellserver/internal/config"
	"cellserver/internal/topology"
	"cellserver/persistence"
	"cellserver/persistence/fs"
	"cellserver/server"
	"cellserver/store"
)

// RecoverCluster makes this node the only one of a new cluster, with what its disk has. It returns a line
// for the user.
func RecoverCluster(cfg *config.Config) (string, error) {
	r, unlock, err := recovery(cfg)
	if err != nil {
		return "", err
	}
	defer unlock()
	found, err := r.FromDisk()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("recovered %s: start this node, and then the others with empty directories\n",
		found), nil
}

// ImportCluster makes this node the only one of a new cluster. The keys are those of an RDB file, or of a
// directory with a log or a snapshot. An empty path is the directory of the node. It returns a line for the
// user. The cluster follows nobody.
func ImportCluster(cfg *config.Config, path string) (string, error) {
	if _, err := os.Stat(path); path != "" && err != nil {
		return "", fmt.Errorf("cannot import %s: %w: name a directory with a log or a snapshot, or an "+
			"RDB file", path, files.Cause(err))
	}
	r, unlock, err := recovery(cfg)
	if err != nil {
		return "", err
	}
	defer unlock()
	own := path == ""
	if own {
		path = cfg.Dir
	}
	retire := func() error { return nil }
	err = r.From(func() (err error) {
		if retire, err = loadFrom(cfg, r.Store, path); err == nil {
			follow.Forget(r.Store)
		}
		return err
	})
	if err == nil && own {
		err = retire()
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("imported %d keys: start this node, and then the others with empty directories\n",
		r.Store.Keys()), nil
}

// loadFrom loads the keys of a file or a directory, and changes neither.
func loadFrom(cfg *config.Config, s *store.Store, path string) (retire func() error, err error) {
	cfg = cfg.Clone()
	cfg.Dir, cfg.Save, cfg.AppendOnly, cfg.Cluster.Nodes = path, nil, true, nil
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		cfg.Dir, cfg.DBFilename = filepath.Split(path)
		cfg.AppendOnly = false
	}
	if err := files.ResolveDir(cfg); err != nil {
		return nil, err
	}
	quiet := &logger{Logger: slog.New(slog.DiscardHandler)}
	d := newDisk(s, clock.New(), quiet, cfg)
	d.connect(server.New(server.Options{
		Store: s, Clock: clock.New(), Log: quiet.Logger, Config: cfg, Persistence: d.Manager,
	}), func() {})
	if info.IsDir() {
		return d.Takeover(context.Background())
	}
	return nil, d.LoadSnapshot(context.Background())
}

// recovery prepares the recovery of the node of a configuration, whose dir becomes absolute. The caller calls
// unlock at the end.
func recovery(cfg *config.Config) (r *cluster.Recovery, unlock func(), err error) {
	if err := files.ResolveDir(cfg); err != nil {
		return nil, nil, err
	}
	self, err := localAddress(cfg)
	if err != nil {
		return nil, nil, err
	}
	lock, err := fs.OS{}.Lock(filepath.Join(cfg.Dir, "LOCK"))
	if err != nil {
		return nil, nil, fmt.Errorf("%s cannot be locked: stop the server that uses it: %w", cfg.Dir, err)
	}
	return &cluster.Recovery{
		Disk: cluster.DiskOptions{
			FS: fs.OS{}, Dir: filepath.Join(cfg.Dir, persistence.NodeDir), BootID: bootID(),
		},
		Store: store.New(store.Options{
			Databases: cfg.Databases,
		}),
		Self: self, Zone: cfg.Cluster.Zone, Now: time.Now().UnixNano(), Log: slog.New(slog.DiscardHandler),
	}, func() { _ = lock.Close() }, nil
}

// localAddress returns the address of cluster-nodes that is of this machine and has its port.
func localAddress(cfg *config.Config) (address topology.Address, err error) {
	list, err := topology.ParseAddresses(cfg.Cluster.Nodes)
	if err != nil {
		return address, err
	}
	_, port := cfg.PeerPort()
	for _, a := range list {
		if a.Port != port {
			continue
		}
		if ln, err := net.Listen("tcp", net.JoinHostPort(a.Host, "0")); err == nil {
			return a, ln.Close()
		}
	}
	return address, ErrOtherNode
}

// ErrOtherNode means that the directives are not those of a node of this machine.
var ErrOtherNode = errors.New("no address of cluster-nodes is of this machine and has its port: give the " +
	"directives of this node")
