package persistence

import (
	"errors"
	"io"
	"sync/atomic"

	"cellserver/persistence/aof"
	"cellserver/persistence/rdb"
	"cellserver/store"
)

// snapshots writes snapshots, and has their numbers.
type snapshots struct {
	*environment
	directory *directory
	jobs      *jobs
	journal   *aof.Journal

	lastSnapshot
	count     atomic.Int64
	scheduled atomic.Bool
	keys      atomic.Int64 // keys that the running snapshot has written
	total     atomic.Int64 // about how many keys it will write
	running   atomic.Pointer[store.Snapshot]
}

// lastSnapshot is what INFO shows of the last snapshot.
type lastSnapshot struct {
	saved    atomic.Int64 // the changes of the store ([store.Store.Changes]) at the last snapshot
	last     atomic.Int64 // Unix second of the last snapshot, or of the start
	took     atomic.Int64 // seconds of the last snapshot in the background, -1: none yet
	failed   atomic.Bool  // the last snapshot in the background has failed
	failures failures     // since the last snapshot
	tried    atomic.Int64 // Unix second at which the last snapshot in the background began
	copied   atomic.Int64 // the most bytes that were copied at once for it
}

// lastByWall returns when the last snapshot was written, by the wall clock: operators compare it with theirs.
func (s *snapshots) lastByWall() int64 {
	_, gap := s.clock.Steps()
	return s.last.Load() - gap/1e9
}

// unsaved returns the number of changes since the last snapshot.
func (s *snapshots) unsaved() int64 { return s.store.Changes() - s.saved.Load() }

// foreground writes a snapshot. If a rewrite runs, it waits until the rewrite has ended.
func (s *snapshots) foreground() error {
	return s.run(s.jobs.begin(savingJob, s.clock.Monotonic(), true))
}

// saveAgain is foreground, but stops a snapshot that runs.
func (s *snapshots) saveAgain() error {
	return s.run(s.jobs.interrupt(savingJob, s.clock.Monotonic(), savingJob))
}

// run writes a snapshot as a job, unless the job could not begin.
func (s *snapshots) run(j *job, err error) error {
	if err != nil {
		return err
	}
	defer s.jobs.end()
	return s.write(j)
}

// background begins to write a snapshot.
func (s *snapshots) background() error {
	j, err := s.jobs.begin(savingJob, s.clock.Monotonic(), false)
	if err != nil {
		return err
	}
	s.scheduled.Store(false)
	s.tried.Store(s.clock.Now() / 1e9)
	if s.failures.Load() == 0 {
		s.log.Info("writing a snapshot in the background")
	}
	go func() {
		defer s.jobs.end()
		err := s.write(j)
		s.took.Store((s.clock.Monotonic() - j.begun) / 1e9)
		if !errors.Is(err, errStopped) {
			s.failed.Store(err != nil)
			s.updateCondition()
		}
	}()
	return nil
}

// updateCondition refuses writes while snapshots fail.
func (s *snapshots) updateCondition() {
	set := s.settings.Load()
	s.update(func(c *Condition) {
		c.SaveFailed = s.failed.Load() && set.StopWrites && len(set.Save) > 0
	})
}

// write writes the dump. The old dump stays until the new one is complete and on disk.
func (s *snapshots) write(j *job) error {
	err := s.writeDump(j)
	switch {
	case errors.Is(err, errStopped):
		s.log.Info("snapshot stopped")
	case err != nil:
		if n, hasLine := s.failures.next(); hasLine {
			s.log.Error("snapshot failed: free disk space or repair the directory, then run SAVE", "error", err, "failures", n)
		}
	default:
		s.log.Info("snapshot is on disk", "milliseconds", (s.clock.Monotonic()-j.begun)/1e6)
	}
	return err
}

func (s *snapshots) writeDump(j *job) error {
	set := s.settings.Load()
	if set.DBFilename == "" {
		return errors.New("dbfilename is empty: set it to the name of the snapshot")
	}
	if err := s.directory.own(s.fs, set.Dir); err != nil {
		return err
	}
	var changes int64
	now := s.clock.Now()
	snapshot, err := s.store.Snapshot(now, func() { changes = s.store.Changes() })
	if err != nil {
		return err
	}
	defer snapshot.Close()
	defer s.track(snapshot)()
	s.journal.Sync() // a power cut must not leave a snapshot that is newer than the log
	err = replace(s.fs, set.dump(), j, func(out io.Writer) error {
		return rdb.Save(out, snapshot, rdb.SaveOptions{Facts: s.facts(now, "0"), NoChecksum: !set.Checksum, Keys: &s.keys})
	})
	if err != nil {
		return err
	}
	s.saved.Store(changes)
	s.last.Store(s.clock.Now() / 1e9)
	s.count.Add(1)
	s.failures.Store(0)
	s.failed.Store(false)
	s.updateCondition()
	return nil
}

// track shows a snapshot in INFO until done is called.
func (s *snapshots) track(n *store.Snapshot) (done func()) {
	s.running.Store(n)
	for _, c := range n.Counts() {
		s.total.Add(int64(c.Keys))
	}
	return func() {
		_, most := n.Copied()
		s.copied.Store(most)
		s.running.Store(nil)
		s.keys.Store(0)
		s.total.Store(0)
	}
}

// retryAfter is the number of seconds after which a failed snapshot is tried again.
const retryAfter = 5

// due reports whether a snapshot is due: it was scheduled, or a save point asks for it.
func (s *snapshots) due() bool {
	now := s.clock.Now() / 1e9
	if s.failed.Load() && !elapsed(now, s.tried.Load(), retryAfter) {
		return false
	}
	if s.scheduled.Load() {
		return true
	}
	changes := s.unsaved()
	for _, p := range s.settings.Load().Save {
		if changes >= p.Changes && elapsed(now, s.last.Load(), p.Seconds) {
			if s.failures.Load() == 0 {
				s.log.Info("save point reached", "changes", changes, "seconds", p.Seconds)
			}
			return true
		}
	}
	return false
}

// elapsed reports whether more than this number of seconds have passed. It also reports true if the clock
// was set back, because the time is then unknown.
func elapsed(now, since, seconds int64) bool { return now < since || now-since > seconds }
