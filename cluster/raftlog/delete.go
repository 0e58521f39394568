package raftlog

import (
	"errors"
	"fmt"
	"os"

	"github.com/hashicorp/raft"
)

// DeleteRange deletes entries at the beginning or at the end of the log, or all of it. The range has both
// its bounds.
func (s *Store) DeleteRange(low, high uint64) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	first, last := s.first, s.last()
	switch {
	case first == 0 || low > high || low > last || high < first:
		return nil
	case low <= first && high >= last:
		return s.change(s.removeAll)
	case low <= first:
		return s.change(func() error { return s.removeBeginning(high + 1) })
	case high >= last:
		return s.change(func() error { return s.removeEnd(low) })
	}
	return fmt.Errorf("entries %d to %d cannot be deleted: the log has entries %d to %d, and a log has no gaps", low, high, first, last)
}

// RemoveBehind deletes all entries if they end before a snapshot, or lack its last entry. A crash may leave
// such a log: Raft stores a snapshot of the leader first, and then deletes the entries. The next entry would
// make a gap, or follow entries that no leader has. So the caller calls RemoveBehind with the newest snapshot
// before it starts Raft.
func (s *Store) RemoveBehind(snapshot raft.SnapshotMeta) error {
	last, err := s.LastIndex()
	if err != nil || last == 0 {
		return err
	}
	if last >= snapshot.Index {
		var l raft.Log
		switch err := s.GetLog(snapshot.Index, &l); {
		case errors.Is(err, raft.ErrLogNotFound): // the log begins after the snapshot
			return nil
		case err != nil || l.Term == snapshot.Term:
			return err
		}
	}
	return s.DeleteRange(0, last)
}

// removeAll removes all files, on disk too: the next entries may have the same indexes. It begins with the
// last file: then the files that a crash leaves still follow the last snapshot.
func (s *Store) removeAll() error {
	if err := s.lowerMark(s.first); err != nil {
		return err
	}
	if err := s.closeTail(); err != nil {
		return err
	}
	s.setFirst(0)
	for n := len(s.segments) - 1; n >= 0; n-- {
		if err := s.remove(n, true); err != nil {
			return err
		}
	}
	return nil
}

// removeBeginning hides the entries before an index, and removes the files that have hidden entries only.
func (s *Store) removeBeginning(first uint64) error {
	s.setFirst(first)
	for s.segments[0].end() <= first {
		if err := s.remove(0, s.options.Sync); err != nil {
			return err
		}
	}
	return nil
}

// removeEnd removes all entries from an index on, which is not the first one. It begins with the last file.
func (s *Store) removeEnd(from uint64) error {
	if err := s.lowerMark(from); err != nil {
		return err
	}
	if err := s.closeTail(); err != nil {
		return err
	}
	for n := len(s.segments) - 1; s.segments[n].first >= from; n-- {
		if err := s.remove(n, true); err != nil {
			return err
		}
	}
	seg := s.segments[len(s.segments)-1]
	s.mu.Lock()
	if n := from - seg.first; n < uint64(len(seg.offsets)) {
		seg.size = int64(seg.offsets[n])
		seg.offsets = seg.offsets[:n]
	}
	s.mu.Unlock()
	if err := seg.truncate(s.files); err != nil {
		return err
	}
	if err := s.syncNames(); err != nil {
		return err
	}
	return s.openTail()
}

func (s *Store) setFirst(index uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first = index
}

// remove removes a file, on disk too if sync is true.
func (s *Store) remove(n int, sync bool) error {
	seg := s.segments[n]
	s.mu.Lock()
	s.segments = append(s.segments[:n:n], s.segments[n+1:]...)
	s.mu.Unlock()
	if err := seg.file.Close(); err != nil {
		return err
	}
	if err := s.files.Remove(seg.path); err != nil || !sync {
		return err
	}
	return s.syncNames()
}

// openTail opens the last file for appending.
func (s *Store) openTail() (err error) {
	if n := len(s.segments); n > 0 {
		s.tail, err = s.files.Open(s.segments[n-1].path, os.O_WRONLY|os.O_APPEND)
	}
	return err
}
