package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// snapshotStore is Raft's store of snapshots. Raft leaves a part of a snapshot on disk if the disk is full,
// or if the process ends while it writes. Such a part would stay for ever, and the disk would stay full. So
// snapshotStore removes it.
type snapshotStore struct {
	*raft.FileSnapshotStore
	dir string

	mu      sync.Mutex      // held while a snapshot begins; guards writing
	writing map[string]bool // the names of the snapshots that are being written
}

// keptSnapshots is how many snapshots stay on disk.
const keptSnapshots = 2

// unfinished is the end of the name of a snapshot that is not complete.
const unfinished = ".tmp"

// openSnapshots opens the snapshots in the directory of a node.
func openSnapshots(dir string, log hclog.Logger) (*snapshotStore, error) {
	all, err := raft.NewFileSnapshotStoreWithLogger(dir, keptSnapshots, log)
	if err != nil {
		return nil, err
	}
	s := &snapshotStore{FileSnapshotStore: all, dir: filepath.Join(dir, "snapshots"), writing: map[string]bool{}}
	s.removeParts()
	return s, nil
}

// removeParts removes the parts of snapshots that nobody writes. The next call tries again to remove the
// rest.
func (s *snapshotStore) removeParts() {
	all, _ := os.ReadDir(s.dir)
	for _, one := range all {
		name, part := strings.CutSuffix(one.Name(), unfinished)
		if path := filepath.Join(s.dir, one.Name()); part && !s.writing[name] {
			_ = os.Truncate(filepath.Join(path, "state.bin"), 0) // Raft may have left it open
			_ = os.RemoveAll(path)
		}
	}
}

// Create implements [raft.SnapshotStore].
func (s *snapshotStore) Create(version raft.SnapshotVersion, index, term uint64, voters raft.Configuration,
	votersIndex uint64, t raft.Transport) (raft.SnapshotSink, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sink, err := s.FileSnapshotStore.Create(version, index, term, voters, votersIndex, t)
	if err != nil {
		s.removeParts()
		return nil, err
	}
	s.writing[sink.ID()] = true
	return &snapshotSink{sink, s}, nil
}

// snapshotSink is a snapshot that is being written.
type snapshotSink struct {
	raft.SnapshotSink
	of *snapshotStore
}

// Close implements [raft.SnapshotSink].
func (s *snapshotSink) Close() error {
	defer s.of.end(s.ID())
	return s.SnapshotSink.Close()
}

// Cancel implements [raft.SnapshotSink].
func (s *snapshotSink) Cancel() error {
	defer s.of.end(s.ID())
	return s.SnapshotSink.Cancel()
}

// end notes that nobody writes a snapshot any more.
func (s *snapshotStore) end(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.writing, name)
	s.removeParts()
}
