package raftlog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"cellserver/persistence/fs/fstest"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// pair is a store and its model, a raft.InmemStore. The history also has the entries that were deleted at the beginning of
// the log, because those of a file come back at the next start.
type pair struct {
	t       *testing.T
	r       *rand.Rand
	files   *fstest.Memory
	options Options
	store   *Store
	model   *raft.InmemStore
	history map[uint64]*raft.Log
	term    uint64
	snaps   uint64 // the index of the newest snapshot, which has what the log does not have at its beginning
	failed  int    // calls of OnFailure
}

func newPair(t *testing.T, r *rand.Rand, sync bool) *pair {
	p := &pair{t: t, r: r, files: &fstest.Memory{}, model: raft.NewInmemStore(), history: map[uint64]*raft.Log{}, term: 1}
	p.options = Options{
		Sync: sync, SegmentSize: 200 + r.Int64N(2000), OnFailure: func(error) { p.failed++ },
		Snapshot: func() (raft.SnapshotMeta, error) { return raft.SnapshotMeta{Index: p.snaps}, nil },
	}
	p.store = open(t, p.files, p.options)
	return p
}

// An action is a change of the log, and the bounds of the log before and after it.
type action struct {
	name                  string
	firstBefore, lastIs   uint64
	firstAfter, lastAfter uint64
	do                    func(raft.LogStore) error
	logs                  []*raft.Log // that the action stores
}

// random returns a change that Raft could make.
func (p *pair) random() action {
	first, last := bounds(p.t, p.model)
	a := action{firstBefore: first, lastIs: last, firstAfter: first, lastAfter: last}
	middle := first
	if last > first {
		middle += 1 + p.r.Uint64N(last-first)
	}
	switch op := p.r.IntN(20); {
	case op < 13 || first == 0:
		p.appends(&a)
	case op < 16 && middle > first:
		a.name, a.firstAfter = "delete the beginning", middle
		p.snaps = max(p.snaps, middle-1)
		a.do = func(s raft.LogStore) error { return s.DeleteRange(first, middle-1) }
	case op < 19 && middle > first:
		a.name, a.lastAfter = "delete the end", middle-1
		a.do = func(s raft.LogStore) error { return s.DeleteRange(middle, last) }
	case op == 19:
		a.name, a.firstAfter, a.lastAfter = "delete all", 0, 0
		a.do = func(s raft.LogStore) error { return s.DeleteRange(first, last) }
	default:
		p.appends(&a)
	}
	return a
}

// appends makes an action that stores some entries of a new term.
func (p *pair) appends(a *action) {
	next := a.lastIs + 1
	if a.lastIs == 0 {
		if p.r.IntN(2) == 0 {
			p.snaps += p.r.Uint64N(50) // the leader has sent one
		}
		next = p.snaps + 1
	}
	p.term++
	a.logs = make([]*raft.Log, 1+p.r.IntN(6))
	for i := range a.logs {
		a.logs[i] = &raft.Log{Index: next + uint64(i), Term: p.term, Type: raft.LogType(p.r.IntN(6)), Data: randomBytes(p.r, []int{0, 1, 40, 600}[p.r.IntN(4)])}
	}
	a.name = fmt.Sprint("store ", len(a.logs), " from ", next)
	a.lastAfter = next + uint64(len(a.logs)) - 1
	if a.firstAfter == 0 {
		a.firstAfter = next
	}
	a.do = func(s raft.LogStore) error { return s.StoreLogs(a.logs) }
}

// note puts the entries of an action into the history.
func (p *pair) note(a action) {
	for _, l := range a.logs {
		p.history[l.Index] = l
	}
}

// requireSame requires that the store is as its model.
func (p *pair) requireSame() {
	p.t.Helper()
	first, last := bounds(p.t, p.model)
	requireBounds(p.t, p.store, first, last)
	for i := first; i <= last && i > 0; i++ {
		requireEntry(p.t, p.store, p.history[i])
	}
}

// requireStarted requires that a new start has found the log as it was after an action, or, if the action was interrupted,
// anything between before and after. If lossy is true, entries at the end may be lost. Then the model follows the store.
func (p *pair) requireStarted(a action, interrupted, lossy bool) {
	p.t.Helper()
	first, last := bounds(p.t, p.store)
	for i := first; i <= last && i > 0; i++ {
		requireEntry(p.t, p.store, p.history[i])
	}
	firstMost, lastLeast, lastMost := a.firstAfter, a.lastAfter, a.lastAfter
	if interrupted {
		lastLeast, lastMost = min(a.lastIs, a.lastAfter), max(a.lastIs, a.lastAfter)
	}
	switch {
	case last == 0:
		require.True(p.t, lastLeast == 0 || lossy, "after %s, entries up to %d are lost", a.name, lastLeast)
	case lastMost == 0 && !lossy:
		require.Zero(p.t, last, "after %s", a.name)
	default:
		require.LessOrEqual(p.t, last, lastMost, "after %s", a.name)
		if !lossy {
			require.GreaterOrEqual(p.t, last, lastLeast, "after %s", a.name)
			require.True(p.t, first <= firstMost || lastLeast == 0, "after %s the log begins with %d, not with %d", a.name, first, firstMost)
		}
	}
	p.follow(first, last)
}

// follow makes the model have the entries of the store.
func (p *pair) follow(first, last uint64) {
	p.model = raft.NewInmemStore()
	p.snaps = max(p.snaps, max(first, 1)-1) // a power cut may lose the beginning of a log that is not synced
	for i := first; i <= last && i > 0; i++ {
		require.NoError(p.t, p.model.StoreLog(p.history[i]))
	}
}

// start opens the store again.
func (p *pair) start(files *fstest.Memory, o Options) {
	p.t.Helper()
	p.files, p.failed = files, 0
	p.store = open(p.t, files, o)
}

// TestStoresAreAsTheirModel makes random changes, with clean restarts between them.
func TestStoresAreAsTheirModel(t *testing.T) {
	r := seeded(t)
	for range 100 {
		p := newPair(t, r, r.IntN(2) == 0)
		for range 60 {
			a := p.random()
			require.NoError(t, a.do(p.store), a.name)
			require.NoError(t, a.do(p.model), a.name)
			p.note(a)
			p.requireSame()
			switch r.IntN(20) {
			case 0:
				require.NoError(t, p.store.Close())
				p.start(p.files, p.options)
				p.requireStarted(a, false, false)
			case 1:
				p.start(p.files.Kill(), p.options)
				p.requireStarted(a, false, false)
			}
		}
	}
}

// TestFaultsAndPowerCuts makes random changes, of which one fails at a random operation on files. Nothing that was
// acknowledged with Sync is lost in a power cut. Without Sync nothing is lost when the process ends, and a power cut loses
// entries at the end only.
func TestFaultsAndPowerCuts(t *testing.T) {
	r := seeded(t)
	for round := range 1500 {
		p := newPair(t, r, round%2 == 0)
		for range 3 {
			a, interrupted := p.untilFault()
			power := r.IntN(2) == 0
			lossy := power && !p.options.Sync
			o, files := p.options, p.files.Kill()
			if power {
				files = p.files.PowerCut(p.r)
			}
			if lossy {
				o.Snapshot = nil // a recovery takes what is there
				if !opens(t, files, o) {
					break // the node joins the cluster as a new one
				}
			}
			p.start(files, o)
			p.requireStarted(a, interrupted, lossy)
			if lossy {
				break // its mark is ahead of its log
			}
		}
	}
}

// opens reports whether a store opens. If it does not, its log is damaged.
func opens(t *testing.T, files *fstest.Memory, o Options) bool {
	s, err := Open(files.Kill(), dir, o)
	if err == nil {
		require.NoError(t, s.Close())
		return true
	}
	var damage *DamageError
	require.ErrorAs(t, err, &damage)
	return false
}

// untilFault makes random changes until one fails, or for some time. It returns the last one.
func (p *pair) untilFault() (a action, interrupted bool) {
	fault := p.files.Ops() + p.r.IntN(60)
	p.files.Fault = p.fault(fault)
	for range 1 + p.r.IntN(30) {
		a = p.random()
		err := a.do(p.store)
		p.note(a)
		if err != nil {
			p.requireFailed(err)
			return a, true
		}
		require.NoError(p.t, a.do(p.model))
	}
	p.files.Fault = nil
	return a, false
}

// fault makes an operation fail and, at random, all later ones.
func (p *pair) fault(at int) func(fstest.Op) error {
	full, forever := p.r.IntN(2) == 0, p.r.IntN(2) == 0
	return func(op fstest.Op) error {
		switch {
		case op.N < at, op.N > at && !forever:
			return nil
		case op.Kind == "write" && full:
			return &fstest.Short{Bytes: p.r.IntN(100), Err: syscall.ENOSPC}
		case op.Kind == "sync":
			return &fstest.Forgotten{Err: syscall.EIO}
		}
		return syscall.EIO
	}
}

// requireFailed requires that a store refuses all changes after one has failed, and that reads still work.
func (p *pair) requireFailed(err error) {
	require.Equal(p.t, 1, p.failed, err)
	require.Equal(p.t, err, p.store.failure())
	require.ErrorContains(p.t, err, "takes no changes")
	p.files.Fault = nil
	_, last := bounds(p.t, p.store)
	require.Equal(p.t, err, p.store.StoreLog(entry(last+1)))
	require.Equal(p.t, err, p.store.SetUint64([]byte("CurrentTerm"), 99))
	if first, _ := bounds(p.t, p.store); first > 0 {
		require.Equal(p.t, err, p.store.DeleteRange(first, first))
		require.NoError(p.t, p.store.GetLog(last, &raft.Log{}))
	}
	require.Equal(p.t, 1, p.failed, "the failure is told once")
}

// TestAFailedSyncIsNotTrustedAfterARestart has a process whose sync fails, and whose successor on the same machine finds
// the bytes in the page cache. The kernel does not write them by itself.
func TestAFailedSyncIsNotTrustedAfterARestart(t *testing.T) {
	m := &fstest.Memory{}
	s := open(t, m, Options{Sync: true})
	require.NoError(t, s.StoreLogs(entries(1, 3)))
	m.Fault = func(op fstest.Op) error {
		if op.Kind == "sync" {
			return &fstest.Forgotten{Err: syscall.EIO}
		}
		return nil
	}
	require.ErrorIs(t, s.StoreLogs(entries(4, 5)), syscall.EIO)
	require.ErrorIs(t, s.Close(), syscall.EIO)
	_, err := Open(m, dir, Options{Sync: true})
	require.ErrorIs(t, err, syscall.EIO, "the disk still fails")
	m.Fault = nil
	s = open(t, m, Options{Sync: true})
	requireEntries(t, s, 1, 5)
	require.NoError(t, s.StoreLogs(entries(6, 8)))
	requireEntries(t, open(t, m.PowerCut(nil), Options{}), 1, 8)
}

// TestTheSwitchToSyncForcesAllFilesToDisk has a process without Sync that ends, and one with Sync.
func TestTheSwitchToSyncForcesAllFilesToDisk(t *testing.T) {
	m := &fstest.Memory{}
	s := open(t, m, Options{SegmentSize: 100})
	require.NoError(t, s.StoreLogs(entries(1, 20)))
	require.Greater(t, len(logFiles(m)), 3)
	open(t, m, Options{Sync: true})
	requireEntries(t, open(t, m.PowerCut(nil), Options{}), 1, 20)
}

func TestAnOpenThatFails(t *testing.T) {
	m, _ := threeFiles(t)
	torn := m.Kill()
	torn.Put(dir+"/log/00000000000000000013.log", []byte("torn"))
	for n := 0; ; n++ {
		files := torn.Kill()
		files.Fault = func(op fstest.Op) error {
			if op.N == n {
				return errors.New("no")
			}
			return nil
		}
		s, err := Open(files, dir, Options{Sync: true})
		files.Fault = nil
		if err == nil {
			require.Greater(t, n, 20)
			requireEntries(t, s, 1, 12)
			return
		}
		require.ErrorContains(t, err, "no", "operation %d", n)
		requireEntries(t, open(t, files.PowerCut(nil), Options{Sync: true}), 1, 12)
	}
}
