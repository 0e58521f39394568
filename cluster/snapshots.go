package cluster

import (
	"errors"
	"sync/atomic"
	"time"

	"cellserver/cluster/group"

	"github.com/hashicorp/raft"
)

// snapshots is the work on snapshots of Raft.
type snapshots struct {
	begun   atomic.Bool  // one is being written
	waiting atomic.Bool  // one is to be written as soon as possible
	from    atomic.Int64 // bytes of the log after the last one
	failed  atomic.Bool  // the last one failed
}

// growthInterval is the time between two checks of the size of the log.
const growthInterval = time.Second

// growth takes a snapshot whenever the log has grown enough.
func (m *Member) growth() {
	for m.ctx.Err() == nil {
		if m.snapshots.waiting.Swap(false) || m.due() {
			m.takeSnapshot()
		}
		m.pause(growthInterval)
	}
}

// due reports whether the log has grown enough since the last snapshot.
func (m *Member) due() bool {
	d := m.disk() // see Metrics
	if m.taking() == nil || d.err() != nil {
		return false
	}
	percent, least := m.o.Growth()
	grown := d.logs.Size() - m.snapshots.from.Load()
	last, _ := d.newest()
	return percent > 0 && grown >= least && grown >= last.Size/100*percent
}

// ErrBusy means that a snapshot is being written already.
var ErrBusy = errors.New("a snapshot of the cluster is being written already")

// Snapshot begins to write a snapshot of Raft. An error means that it has not begun.
func (m *Member) Snapshot() error {
	switch {
	case m.taking() == nil:
		return errNoPlace
	case m.disk().err() != nil:
		return m.disk().err()
	case m.snapshots.begun.Load():
		return ErrBusy
	}
	m.working.Go(m.takeSnapshot)
	return nil
}

// ScheduleSnapshot writes a snapshot soon.
func (m *Member) ScheduleSnapshot() { m.snapshots.waiting.Store(true) }

// DiskFailed reports whether the disk cannot be written.
func (m *Member) DiskFailed() bool { return m.disk().err() != nil }

// SnapshotState says whether a snapshot is being written, whether one is scheduled, and whether the last one failed.
func (m *Member) SnapshotState() (writing, scheduled, failed bool) {
	s := &m.snapshots
	return s.begun.Load(), s.waiting.Load(), s.failed.Load()
}

func (m *Member) takeSnapshot() {
	s := &m.snapshots
	if s.begun.Swap(true) {
		return
	}
	defer s.begun.Store(false)
	d := m.disk() // see Metrics
	g := m.taking()
	if g == nil {
		return
	}
	switch err := g.TakeSnapshot(); {
	case err == nil, errors.Is(err, raft.ErrNothingNewToSnapshot):
		s.from.Store(d.logs.Size())
		s.failed.Store(false)
	case errors.Is(err, group.ErrBusy):
		s.waiting.Store(true)
	case m.ctx.Err() == nil && m.taking() == g && !s.failed.Swap(true):
		m.log.Warn("a snapshot of the cluster could not be written, so the log grows: see the reason", "reason", err)
	}
}
