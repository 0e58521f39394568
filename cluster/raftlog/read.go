package raftlog

import (
	"sort"

	"github.com/hashicorp/raft"
)

// FirstIndex returns the index of the first entry, and 0 without entries.
func (s *Store) FirstIndex() (uint64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.first, nil
}

// LastIndex returns the index of the last entry, and 0 without entries.
func (s *Store) LastIndex() (uint64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.last(), nil
}

// last returns the index of the last entry, and 0 without entries. The caller holds a lock of the log.
func (s *Store) last() uint64 {
	if s.first == 0 {
		return 0
	}
	return s.segments[len(s.segments)-1].end() - 1
}

// GetLog reads an entry. The error is raft.ErrLogNotFound if the log does not have it. The data is a copy,
// which the caller may keep.
func (s *Store) GetLog(index uint64, l *raft.Log) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if index == 0 || index < s.first || index > s.last() {
		return raft.ErrLogNotFound
	}
	return s.segments[s.find(index)].read(index, l)
}

// find returns the position in segments of the file that has an entry.
func (s *Store) find(index uint64) int {
	return sort.Search(len(s.segments), func(n int) bool { return s.segments[n].first > index }) - 1
}
