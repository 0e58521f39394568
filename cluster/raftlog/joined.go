package raftlog

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/hashicorp/raft"
)

// Joined makes a log and the snapshots before it one history. A leader names the entry before each message
// of entries. After a snapshot of the leader, the log is empty, and Raft 1.8.0 finds that entry only as
// long as the log remains empty. If the reply to the first entries is lost, the leader repeats them, and
// Raft refuses them. So the leader sends the snapshot again. Then Raft deletes these entries, believes that
// it has them, and panics when they are committed (hashicorp/raft#697). Joined finds the entry in the
// snapshot. Screen keeps these entries when a late copy of the snapshot arrives.
type Joined struct {
	raft.LogStore
	raft.SnapshotStore

	opened atomic.Pointer[raft.SnapshotMeta] // the newest one; nil: none
}

// IsMonotonic implements [raft.MonotonicLogStore].
func (j *Joined) IsMonotonic() bool {
	log, ok := j.LogStore.(raft.MonotonicLogStore)
	return ok && log.IsMonotonic()
}

// Open implements [raft.SnapshotStore]. Raft opens each snapshot that it installs or loads. It also opens
// one to send it. This may last until a newer one is installed.
func (j *Joined) Open(id string) (*raft.SnapshotMeta, io.ReadCloser, error) {
	meta, in, err := j.SnapshotStore.Open(id)
	for err == nil {
		newest := j.opened.Load()
		if newest != nil && newest.Index >= meta.Index || j.opened.CompareAndSwap(newest, meta) {
			break
		}
	}
	return meta, in, err
}

// ofSnapshot is the type of an entry that only a snapshot has. No other entry has it.
const ofSnapshot = raft.LogType(255)

// GetLog reads an entry. The entry before the log may be the last one of a snapshot. Then the result has
// the term of the snapshot, no data, and the type ofSnapshot. An empty log is after the newest snapshot
// that was opened.
//
// A leader must not send this result to others. Before it sends an entry, it reads the one before it, and
// fails. The first entry has no entry before it. So GetLog excepts it, and Found in package group begins
// with two entries. A leader may still send the result if its log loses entries while it reads. Then
// StoreLogs of the others refuses it.
func (j *Joined) GetLog(index uint64, l *raft.Log) error {
	err := j.LogStore.GetLog(index, l)
	if !errors.Is(err, raft.ErrLogNotFound) || index == 1 {
		return err
	}
	meta := j.ending(index)
	if meta == nil {
		return err
	}
	*l = raft.Log{Index: index, Term: meta.Term, Type: ofSnapshot}
	return nil
}

// ending returns the snapshot that ends with an index, if the log has no entry before the next one; otherwise
// nil. A node that has taken a snapshot itself still has the snapshot before it.
func (j *Joined) ending(index uint64) *raft.SnapshotMeta {
	var all []*raft.SnapshotMeta
	switch first, err := j.FirstIndex(); {
	case err == nil && first == 0:
		all = []*raft.SnapshotMeta{j.opened.Load()}
	case err == nil && first == index+1:
		all, _ = j.List()
	}
	for _, meta := range all {
		if meta != nil && meta.Index == index {
			return meta
		}
	}
	return nil
}

// errOfSnapshot is the error of an entry that its leader has only in a snapshot. The leader sends the
// snapshot then.
var errOfSnapshot = errors.New("an entry that only a snapshot has cannot be stored")

// StoreLog implements [raft.LogStore].
func (j *Joined) StoreLog(l *raft.Log) error { return j.StoreLogs([]*raft.Log{l}) }

// StoreLogs implements [raft.LogStore].
func (j *Joined) StoreLogs(logs []*raft.Log) error {
	for _, l := range logs {
		if l.Type == ofSnapshot {
			return errOfSnapshot
		}
	}
	return j.LogStore.StoreLogs(logs)
}
