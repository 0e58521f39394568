package clustertest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"cellserver/cluster"

	"github.com/hashicorp/raft"
)

// Disk is what outlives a crash of a machine.
type Disk struct {
	logs      *raft.InmemStore
	snapshots *snapshots
}

// NewDisk returns an empty disk.
func NewDisk() *Disk { return &Disk{logs: raft.NewInmemStore(), snapshots: &snapshots{}} }

// open returns the parts of the disk for a node.
func (d *Disk) open() cluster.Disk {
	return cluster.Disk{Logs: d.logs, Stable: d.logs, Snapshots: d.snapshots}
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
		Version: version, ID: fmt.Sprint(term, "-", index, "-", s.made), Index: index, Term: term, Configuration: c, ConfigurationIndex: cIndex,
	}}, nil
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
	k.of.kept = k.of.kept[:min(len(k.of.kept), 2)]
	return nil
}
