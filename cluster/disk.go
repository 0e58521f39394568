package cluster

import (
	"os"
	"slices"
	"sync/atomic"

	"cellserver/cluster/group"
	"cellserver/cluster/peer"
	"cellserver/cluster/raftlog"
	"cellserver/cluster/roster"
	"cellserver/persistence/fs"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// DiskOptions say where a node keeps what it must not forget.
type DiskOptions struct {
	FS      fs.FS
	Dir     string // an absolute path; nobody else uses it
	BootID  string // differs for each start of the kernel; "" if the kernel has no such id
	Durable bool   // entries are on disk before they are acknowledged
}

// disk is the directory of a node.
type disk struct {
	o         DiskOptions
	log       hclog.Logger // of Raft
	identity  roster.Identity
	logs      *raftlog.Store // nil until the node has an id
	snapshots *snapshotStore
	failed    func(*disk, error)
	failure   atomic.Pointer[error]
}

// open reads the directory, and says how far the node has got.
func (d *disk) open() (phase roster.Phase, err error) {
	if d.identity, err = roster.OpenIdentity(d.o.FS, d.o.Dir, d.o.BootID, d.o.Durable); err != nil {
		return "", err
	}
	switch {
	case d.identity.ID == "":
		return roster.Empty, nil
	case d.identity.Forgotten:
		return roster.Returning, nil
	}
	if err := d.openLog(); err != nil {
		return "", err
	}
	return d.phase()
}

// phase says how far a node with an id has got.
func (d *disk) phase() (roster.Phase, error) {
	began, err := raft.HasExistingState(d.logs, d.logs, d.snapshots)
	if err != nil {
		return "", err
	}
	term, err := d.logs.GetUint64([]byte("CurrentTerm"))
	if err != nil {
		return "", err
	}
	last, err := d.logs.LastIndex()
	switch {
	case err != nil:
		return "", err
	case began && term <= 1 && last <= 1:
		return roster.Founding, nil
	case began:
		return roster.Member, nil
	case d.identity.Incarnation > 1 || d.identity.Cluster != "":
		return roster.Returning, nil
	}
	return roster.Empty, nil // it stopped before it founded
}

// save keeps the id of the node and of its cluster.
func (d *disk) save(id, cluster string) error {
	d.identity.ID, d.identity.Cluster, d.identity.Forgotten = id, cluster, false
	return roster.SaveIdentity(d.o.FS, d.o.Dir, d.identity)
}

// openLog opens the log and the snapshots.
func (d *disk) openLog() (err error) {
	if d.logs != nil {
		return nil
	}
	if d.snapshots, err = openSnapshots(d.o.Dir, d.log); err != nil {
		return err
	}
	o := raftlog.Options{Sync: d.o.Durable, Snapshot: d.newest, OnFailure: d.fail}
	if d.logs, err = raftlog.Open(d.o.FS, d.o.Dir, o); err != nil {
		return err
	}
	snapshot, err := d.newest()
	if err != nil {
		return err
	}
	return d.logs.RemoveBehind(snapshot)
}

// newest returns what is known about the newest snapshot. It is empty without one.
func (d *disk) newest() (raft.SnapshotMeta, error) {
	all, err := d.snapshots.List()
	if err != nil || len(all) == 0 {
		return raft.SnapshotMeta{}, err
	}
	return *all[0], nil
}

// parts returns the disk for Raft, and the screen of its messages. Recent entries are read from memory.
func (d *disk) parts() (group.Disk, peer.Screen, error) {
	cache, err := raft.NewLogCache(cachedEntries, d.logs)
	joined := &raftlog.Joined{LogStore: cache, SnapshotStore: d.snapshots}
	return group.Disk{Logs: joined, Stable: raftlog.OrEnd{Store: d.logs}, Snapshots: joined}, joined.Screen, err
}

// cachedEntries is how many entries of the log stay in memory.
const cachedEntries = 64

// fail is called for the first failed change of a file, by Raft's goroutine.
func (d *disk) fail(err error) {
	d.failure.Store(&err)
	go d.failed(d, err) // failed ends Raft, and waits for the goroutine that runs fail
}

// err returns why the disk has failed, or nil.
func (d *disk) err() error {
	if err := d.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// fault returns why the disk has failed, as a sentence; "" if it works.
func (d *disk) fault() string {
	if err := d.err(); err != nil {
		return err.Error()
	}
	return ""
}

// close closes the log. If everything is on disk, the next start goes on with the directory after a power
// cut, too.
func (d *disk) close() error {
	if d.logs == nil || d.err() != nil {
		return nil // a failed disk was reported, and the next start reads what it has
	}
	if err := d.logs.Close(); err != nil {
		return err
	}
	return roster.MarkClean(d.o.FS, d.o.Dir)
}

// removeOld removes the directories of the previous incarnations, the oldest first. A gap ends them: Recovery
// keeps what is before it.
func (d *disk) removeOld() error {
	var all []string
	for n := d.identity; ; n.Incarnation-- {
		old := n.OldDir(d.o.Dir)
		if _, err := os.Stat(old); err != nil {
			break
		}
		all = append(all, old)
	}
	for _, old := range slices.Backward(all) {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	return nil
}
