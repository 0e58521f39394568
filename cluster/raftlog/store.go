package raftlog

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"cellserver/persistence/fs"

	"github.com/hashicorp/raft"
)

// Options say how a store works.
type Options struct {
	// Sync makes StoreLogs wait until the entries are on disk. Without it, they are in the page cache.
	Sync bool
	// Snapshot returns the newest snapshot; the zero value without one. With it Open returns an error if
	// entries are missing that the node may have acknowledged. Nil: what is there is enough, for the recovery
	// of a cluster.
	Snapshot func() (raft.SnapshotMeta, error)
	// OnFailure is called once, for the first failed change of a file. It may be nil. It must not call the
	// store, and the failed call returns after it.
	OnFailure func(error)
	// SegmentSize is the size in bytes at which another file begins. 0 means 64 MiB.
	SegmentSize int64
}

// defaultSegmentSize is the size of a file at which another one begins. Offsets in a file fit into 32 bits:
// a file has at most one record more, and a record at most maxData bytes of data.
const defaultSegmentSize = 64 << 20

// Store is the log of a node, its term and its vote. It is safe for concurrent use.
type Store struct {
	files   fs.FS
	dir     string
	options Options

	failed atomic.Pointer[error] // the first failed change: no other change is made
	stable stable

	writing sync.Mutex // held while the log's files change; guards tail, out, and the mark
	tail    fs.File    // the last file, open for appending; nil if there is none
	out     output
	markFile

	visible
}

// visible is which entries the log has.
type visible struct {
	mu       sync.RWMutex // guards segments and first; changed with writing held too
	segments []*segment   // the files, in the order of their entries; none is empty
	first    uint64       // the index of the first visible entry; 0 without entries
}

// markFile is where the log notes how far it is.
type markFile struct {
	mark     mark
	marks    fs.File // the file of the mark
	markText []byte  // what moveMark writes
}

var (
	_ raft.LogStore          = (*Store)(nil)
	_ raft.MonotonicLogStore = (*Store)(nil)
	_ raft.StableStore       = (*Store)(nil)
)

// Open reads a store from a directory, which it makes if it does not exist. The caller makes sure that no
// other store uses the directory.
func Open(files fs.FS, dir string, o Options) (*Store, error) {
	if o.SegmentSize == 0 {
		o.SegmentSize = defaultSegmentSize
	}
	s := &Store{files: files, dir: dir, options: o}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.closeFiles())
	}
	return s, nil
}

// errClosed is the failure of a store that was closed.
var errClosed = errors.New("the log of the cluster is closed")

// Close forces everything to disk and closes the files. Without an error, everything that the store
// acknowledged survives a power cut.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	err := s.failure()
	if errors.Is(err, errClosed) {
		return nil
	}
	if err == nil && !s.options.Sync {
		err = s.syncAll()
	}
	s.failed.Store(&errClosed)
	return errors.Join(err, s.closeFiles())
}

// IsMonotonic tells Raft that the log has no gaps. Raft then deletes all entries when it installs a snapshot.
func (s *Store) IsMonotonic() bool { return true }

// Size returns the number of bytes of all files of the log.
func (s *Store) Size() (bytes int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, seg := range s.segments {
		bytes += seg.size
	}
	return bytes
}

func (s *Store) failure() error {
	if err := s.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// change makes a change of files, unless an earlier one has failed.
func (s *Store) change(do func() error) error {
	if err := s.failure(); err != nil {
		return err
	}
	err := do()
	if err == nil {
		return nil
	}
	err = fmt.Errorf("the log of the cluster in %s cannot be written, and takes no changes: %w", s.dir, err)
	if s.failed.CompareAndSwap(nil, &err) && s.options.OnFailure != nil {
		s.options.OnFailure(err)
	}
	return err
}

func (s *Store) logDir() string { return filepath.Join(s.dir, "log") }

// syncAll forces all files of the log and their names to disk.
func (s *Store) syncAll() error {
	for _, seg := range s.segments {
		if err := seg.sync(s.files); err != nil {
			return err
		}
	}
	return s.syncNames()
}

func (s *Store) syncNames() error {
	return s.files.SyncDir(s.logDir())
}

// closeFiles closes all open files. Everything that matters was synced before, or is in the page cache.
func (s *Store) closeFiles() error {
	err := s.closeTail()
	if s.marks != nil {
		err = errors.Join(err, s.marks.Close())
	}
	for _, seg := range s.segments {
		err = errors.Join(err, seg.file.Close())
	}
	return err
}

func (s *Store) closeTail() (err error) {
	if s.tail != nil {
		err = s.tail.Close()
		s.tail = nil
	}
	return err
}
