package clustertest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/cluster/group"
	"cellserver/cluster/raftlog"
	"cellserver/persistence/fs/fstest"

	"github.com/hashicorp/raft"
)

// Disk is what outlives a crash of a machine. Its log is in memory, or in the files of package raftlog.
type Disk struct {
	logs      *raft.InmemStore // nil: the log has files
	snapshots *snapshots

	files    *fstest.Memory
	full     *atomic.Bool
	hangs    *atomic.Bool // changes of the log, the term and the vote wait
	unsynced bool
	trusted  bool // a log that is too short is not refused
}

// NewDisk returns an empty disk, whose log is in memory or in files. unsynced makes the log skip syncs of
// its files.
func NewDisk(files, unsynced bool) *Disk {
	d := &Disk{snapshots: &snapshots{}, full: &atomic.Bool{}, hangs: &atomic.Bool{}, unsynced: unsynced}
	if files {
		d.files = &fstest.Memory{Fault: d.fault}
	} else {
		d.logs = raft.NewInmemStore()
	}
	return d
}

var errFull = errors.New("clustertest: no space left on device")

// fault makes writes fail while the disk is full. The first bytes of a write still fit.
func (d *Disk) fault(op fstest.Op) error {
	if !d.full.Load() {
		return nil
	}
	switch op.Kind {
	case "write":
		return &fstest.Short{Bytes: 10, Err: errFull}
	case "rename", "truncate", "sync":
		return errFull
	}
	return nil
}

// parts opens the disk for a node. failed is called when a file cannot be changed.
func (d *Disk) parts(failed func(error)) (group.Disk, error) {
	if d.logs != nil {
		return d.hanging(d.logs, d.logs), nil
	}
	o := raftlog.Options{Sync: !d.unsynced, SegmentSize: 64 << 10, OnFailure: func(err error) { go failed(err) }}
	if !d.unsynced && !d.trusted { // other tests are to find what an unsynced log loses
		o.Snapshot = d.snapshots.newest
	}
	logs, err := raftlog.Open(d.files, "/raft", o)
	if err != nil {
		return group.Disk{}, err
	}
	newest, _ := d.snapshots.newest()
	if err := logs.RemoveBehind(newest); err != nil {
		return group.Disk{}, err
	}
	return d.hanging(logs, raftlog.OrEnd{Store: logs}), nil
}

// hanging returns a disk that may hang.
func (d *Disk) hanging(logs raft.LogStore, stable raft.StableStore) group.Disk {
	joined := &raftlog.Joined{LogStore: hangingLogs{logs, d.hangs}, SnapshotStore: d.snapshots}
	return group.Disk{Logs: joined, Stable: hangingStable{stable, d.hangs}, Snapshots: joined}
}

// crash leaves the files as the next process finds them. If r is nil, only the process ends. Otherwise the
// power fails, and r chooses which unsynced bytes remain.
func (d *Disk) crash(r *rand.Rand) {
	d.hangs.Store(false) // the process must end; what it writes is lost
	if d.files == nil {
		return
	}
	if r == nil {
		d.files = d.files.Kill()
	} else {
		d.files = d.files.PowerCut(r)
	}
	d.files.Fault = d.fault
}

// await waits while a disk hangs.
func await(hangs *atomic.Bool) {
	for hangs.Load() {
		time.Sleep(time.Millisecond)
	}
}

// hangingLogs is a log on a disk that may hang.
type hangingLogs struct {
	raft.LogStore
	hangs *atomic.Bool
}

// StoreLog implements [raft.LogStore].
func (l hangingLogs) StoreLog(one *raft.Log) error { return l.StoreLogs([]*raft.Log{one}) }

// StoreLogs implements [raft.LogStore].
func (l hangingLogs) StoreLogs(all []*raft.Log) error {
	await(l.hangs)
	return l.LogStore.StoreLogs(all)
}

// DeleteRange implements [raft.LogStore].
func (l hangingLogs) DeleteRange(low, high uint64) error {
	await(l.hangs)
	return l.LogStore.DeleteRange(low, high)
}

// IsMonotonic implements [raft.MonotonicLogStore].
func (l hangingLogs) IsMonotonic() bool {
	m, ok := l.LogStore.(raft.MonotonicLogStore)
	return ok && m.IsMonotonic()
}

// hangingStable is the term and the vote on a disk that may hang.
type hangingStable struct {
	raft.StableStore
	hangs *atomic.Bool
}

// SetUint64 implements [raft.StableStore].
func (s hangingStable) SetUint64(key []byte, val uint64) error {
	await(s.hangs)
	return s.StableStore.SetUint64(key, val)
}

// snapshots keeps the last two snapshots. It implements [raft.SnapshotStore].
type snapshots struct {
	mu   sync.Mutex // guards kept and made
	kept []*snapshot
	made int
}

// snapshot is being written until Close. It implements [raft.SnapshotSink].
type snapshot struct {
	bytes.Buffer
	of   *snapshots
	meta raft.SnapshotMeta
}

// Create implements [raft.SnapshotStore].
func (s *snapshots) Create(version raft.SnapshotVersion, index, term uint64, c raft.Configuration, cIndex uint64, _ raft.Transport) (raft.SnapshotSink, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return &snapshot{of: s, meta: raft.SnapshotMeta{
		Version: version, ID: fmt.Sprint(term, "-",
			index, "-", s.made), Index: index, Term: term, Configuration: c, ConfigurationIndex: cIndex,
	}}, nil
}

// newest returns what is known about the newest snapshot. It is empty without one.
func (s *snapshots) newest() (meta raft.SnapshotMeta, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) > 0 {
		meta = s.kept[0].meta
	}
	return meta, nil
}

// List implements [raft.SnapshotStore].
func (s *snapshots) List() (all []*raft.SnapshotMeta, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept {
		meta := k.meta
		all = append(all, &meta)
	}
	return all, nil
}

// Open implements [raft.SnapshotStore].
func (s *snapshots) Open(id string) (*raft.SnapshotMeta, io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept {
		if k.meta.ID == id {
			meta := k.meta
			return &meta, io.NopCloser(bytes.NewReader(k.Bytes())), nil
		}
	}
	return nil, nil, errors.New("clustertest: there is no such snapshot")
}

// ID implements [raft.SnapshotSink].
func (k *snapshot) ID() string { return k.meta.ID }

// Cancel implements [raft.SnapshotSink].
func (k *snapshot) Cancel() error { return nil }

// Close implements [raft.SnapshotSink].
func (k *snapshot) Close() error {
	k.meta.Size = int64(k.Len())
	k.of.mu.Lock()
	defer k.of.mu.Unlock()
	k.of.kept = append([]*snapshot{k}, k.of.kept...)
	slices.SortStableFunc(k.of.kept, func(a, b *snapshot) int { return cmp.Compare(b.meta.Index, a.meta.Index) })
	k.of.kept = k.of.kept[:min(len(k.of.kept), 2)]
	return nil
}
