package cluster

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"cellserver/cluster/group"
	"cellserver/cluster/raftlog"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// Recovery makes a node the only one of a new cluster. The node must not run.
type Recovery struct {
	Disk  DiskOptions
	Store *store.Store // empty
	Self  topology.Address
	Zone  string
	Now   int64 // Unix nanoseconds
	Log   *slog.Logger
}

// building is the name of a directory that is not complete yet.
const building = ".building"

var errNothing = errors.New("there is no directory of a cluster to recover from: check dir")

// FromDisk takes the keys from the newest directory that has entries: that of the node, or a former one.
// found says which directory, and up to which entry.
func (r *Recovery) FromDisk() (found string, err error) {
	for _, dir := range r.sources() {
		last, err := r.read(dir)
		switch {
		case err != nil:
			return "", fmt.Errorf("%s: %w", dir, err)
		case last > 0:
			return fmt.Sprintf("%s up to entry %d of its log", dir, last), r.found()
		}
	}
	return "", errNothing
}

// From takes the keys that load brings into the store. The node must have no directory of a cluster.
func (r *Recovery) From(load func() error) error {
	if sources := r.sources(); len(sources) > 0 {
		return fmt.Errorf("this node has the directory %s of a cluster: move it away first", sources[0])
	}
	if err := load(); err != nil {
		return err
	}
	return r.found()
}

// sources returns the directory of the node and its former ones, the newest first.
func (r *Recovery) sources() (all []string) {
	if _, err := os.Stat(r.Disk.Dir); err == nil {
		all = append(all, r.Disk.Dir)
	}
	for n := r.former(); n > 0; n-- {
		dir := fmt.Sprint(r.Disk.Dir, ".old-", n)
		if _, err := os.Stat(dir); err == nil {
			all = append(all, dir)
		}
	}
	return all
}

// former returns the highest number of a former directory.
func (r *Recovery) former() (highest uint64) {
	all, _ := filepath.Glob(r.Disk.Dir + ".old-*")
	for _, dir := range all {
		var n uint64
		if _, err := fmt.Sscan(strings.TrimPrefix(dir, r.Disk.Dir+".old-"), &n); err == nil {
			highest = max(highest, n)
		}
	}
	return highest
}

// parts opens a directory.
func (r *Recovery) parts(dir string) (d group.Disk, logs *raftlog.Store, err error) {
	if logs, err = raftlog.Open(r.Disk.FS, dir, raftlog.Options{Sync: true, OnFailure: func(error) {}}); err != nil {
		return d, nil, err
	}
	snapshots, err := raft.NewFileSnapshotStoreWithLogger(dir, keptSnapshots, group.NewRaftLog(r.Log))
	return group.Disk{Logs: logs, Stable: logs, Snapshots: snapshots}, logs, err
}

// read loads what a directory has. It returns the index of the last entry, 0 if there is no entry.
func (r *Recovery) read(dir string) (last uint64, err error) {
	n, err := roster.ReadIdentity(r.Disk.FS, dir)
	if err != nil {
		return 0, err
	}
	o := group.Options{Self: topology.Node{ID: n.ID, Host: r.Self.Host, Port: r.Self.Port,
		PeerPort: r.Self.PeerPort}, Store: r.Store, Log: r.Log}
	if o.Cluster, err = roster.ParseID(n.Cluster); err != nil {
		return 0, err
	}
	d, logs, err := r.parts(dir)
	if err != nil {
		return 0, err
	}
	o.Disk = d
	last, time, err := group.Recover(o)
	r.Now = max(r.Now, time)
	return last, errors.Join(err, logs.Close())
}

// found makes the new directory. The new directory gets its name when it is complete. The previous directory
// is kept under another name.
func (r *Recovery) found() error {
	// A node that votes removes the directories of the previous incarnations. The new number leaves a gap,
	// so that this node removes no former directory: a person may need one.
	n := roster.Identity{ID: roster.NewID("", 1), Cluster: roster.NewID("cluster",
		1), Incarnation: r.former() + 3, BootID: r.Disk.BootID, Durable: true}
	dir := r.Disk.Dir + building
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := roster.SaveIdentity(r.Disk.FS, dir, n); err != nil {
		return err
	}
	if err := r.fill(dir, n); err != nil {
		return err
	}
	if err := roster.MarkClean(r.Disk.FS, dir); err != nil {
		return err
	}
	if _, err := os.Stat(r.Disk.Dir); err == nil {
		if err := r.Disk.FS.Rename(r.Disk.Dir, fmt.Sprint(r.Disk.Dir, ".old-", r.former()+1)); err != nil {
			return err
		}
	}
	if err := r.Disk.FS.Rename(dir, r.Disk.Dir); err != nil {
		return err
	}
	return r.Disk.FS.SyncDir(filepath.Dir(r.Disk.Dir))
}

// fill writes the keys into a new directory.
func (r *Recovery) fill(dir string, n roster.Identity) (err error) {
	self := topology.Node{ID: n.ID, Host: r.Self.Host, Port: r.Self.Port, PeerPort: r.Self.PeerPort, Zone: r.Zone}
	o := group.Options{Self: self, Store: r.Store, Log: r.Log}
	if o.Cluster, err = roster.ParseID(n.Cluster); err != nil {
		return err
	}
	d, logs, err := r.parts(dir)
	if err != nil {
		return err
	}
	o.Disk = d
	_, o.Transport = raft.NewInmemTransport(roster.RaftAddress(self))
	return errors.Join(group.Found(o, r.Now), logs.Close())
}
