package aof

import (
	"runtime"
	"sync"
	"sync/atomic"

	"cellserver/store"
)

// Policy says when a file is forced to disk (appendfsync).
type Policy int32

// The policies.
const (
	EverySecond Policy = iota // in the background, once a second
	Always                    // before any reply
	Never                     // when the kernel decides
)

// Journal writes the changes of transactions into the current file. It observes a store: the
// order of the log is the order of the changes of each partition.
//
// Changes collect in memory, in lanes. The first goroutine that waits for them ([Journal.Wait]) is the
// leader: it writes them all at once, while further changes collect. After a write or a sync has failed, the
// file is never trusted again. The journal then records nothing, until [Journal.Switch] gives it another file
// together with a snapshot of the whole store.
//
// The group lock is taken before the locks of lanes.
type Journal struct {
	onFailure func(error) // is called for each failure, before any waiting goroutine goes on
	gathering
	progress
	writing
	current atomic.Pointer[File] // the current file, for all but the leader
	syncs   syncs
}

// gathering is what the log has not written yet. The locks of all lanes guard tail and next.
type gathering struct {
	lanes []lane // of the partitions; their number is a power of two
	tail  []part // to be written into the current file before the next file begins; may be empty
	next  *File  // the file that replaces the current one; may be nil
}

// progress says how far the log is. Anyone may read it.
type progress struct {
	recording atomic.Bool // changed with all lanes locked
	switching atomic.Bool // next is set, or a leader forces the end of the file before it to disk
	policy    atomic.Int32
	begun     atomic.Uint64 // the number of batches, with the one that collects; changed with a lane locked
	taken     atomic.Uint64 // the number of batches that leaders have taken; changed with all lanes locked
	// written is how many batches are with the kernel, with Always on disk, or given up; changed with group
	// held.
	written atomic.Uint64
	// lost is the number of failures under Always: changes that were not acknowledged before must not be
	// acknowledged any more.
	lost     atomic.Uint64
	failures atomic.Uint64
	missed   atomic.Int64 // changes that were not recorded because of a failure
	held     backlog
}

// writing is what the goroutine that writes uses.
type writing struct {
	group  sync.Mutex // guards leader, later, and the fields of the syncs that are not atomic
	change *sync.Cond // of group: leader, written or syncs.late has changed
	leader bool       // a goroutine writes
	later  later
	file   *File // the current file; only the leader uses it
	joiner
}

// syncs is what the journal knows about the syncs that [EverySecond] asks for. Times are
// monotonic nanoseconds.
type syncs struct {
	running atomic.Bool // changed with group held
	begun   int64       // when the last sync began
	clean   int64       // everything that was written before this time is on disk
	synced  uint64      // the number of batches on disk
	late    atomic.Bool
	delayed atomic.Int64 // how many syncs took so long that clients waited
}

// NewJournal returns a journal that records nothing until it gets a file. onFailure is
// called for each failure.
func NewJournal(p Policy, onFailure func(error)) *Journal {
	j := &Journal{onFailure: onFailure}
	j.lanes = newLanes(runtime.GOMAXPROCS(0))
	j.change = sync.NewCond(&j.group)
	j.policy.Store(int32(p))
	return j
}

// SetPolicy changes when files are forced to disk.
func (j *Journal) SetPolicy(p Policy) { j.policy.Store(int32(p)) }

// Policy returns when files are forced to disk.
func (j *Journal) Policy() Policy { return Policy(j.policy.Load()) }

// Committed records a transaction's effects. It implements [store.Observer].
func (j *Journal) Committed(tx *store.Tx, effects []store.Effect) {
	if !j.recording.Load() {
		if j.failures.Load() > 0 {
			j.missed.Add(int64(len(effects)))
		}
		return
	}
	// Large effects are encoded before the lock. The transaction still holds its partitions, so neither an
	// effect on the same keys nor another file can come between.
	var large *encoder
	if e := &effects[0]; (len(effects) > 1 || e.Collection != nil || len(e.Value) >= largeValue) && isLarge(effects) {
		large = encodeAlone(effects)
	}
	l := &j.lanes[0]
	if p, ok := tx.OnlyPartition(); ok {
		l = &j.lanes[p&(len(j.lanes)-1)]
		l.mu.Lock()
		defer l.mu.Unlock()
	} else {
		lanes := j.lanesOf(tx)
		j.lockLanes(lanes)
		defer j.unlockLanes(lanes)
		j.gather(lanes)
	}
	if !j.recording.Load() {
		return
	}
	if l.isEmpty() {
		j.beginBatch()
	}
	l.enc.stamp(tx.Now())
	if large != nil {
		l.enc.adopt(large)
	} else {
		l.enc.transaction(effects)
	}
	if size := len(l.enc.buf); size-l.noted >= noteEvery {
		j.held.collected.Add(int64(size - l.noted))
		l.noted = size
	}
}

// beginBatch begins a batch, unless one collects already. The lock of a lane is held.
func (j *Journal) beginBatch() {
	if taken := j.taken.Load(); j.begun.Load() == taken {
		j.begun.CompareAndSwap(taken, taken+1)
	}
}

// Switch makes all later changes go to another file. The caller makes sure that no transaction runs: it
// calls Switch at the moment of a snapshot, or before the first transaction, and then
// [Journal.Flush]. Switch reports whether changes were recorded before.
func (j *Journal) Switch(to *File) (recorded bool) {
	j.lockLanes(j.allLanes())
	defer j.unlockLanes(j.allLanes())
	recorded = j.recording.Load()
	j.gather(j.allLanes())
	if l := &j.lanes[0]; recorded && !l.isEmpty() {
		j.tail = []part{{l.enc.buf, l.from, l.enc.db}}
		l.enc.buf = nil
	}
	j.resetLanes()
	j.next = to
	j.switching.Store(true)
	j.recording.Store(true)
	return recorded
}

// batches is what a leader takes to write.
type batches struct {
	tail, batch []part // empty: nothing to write
	next        *File
	upTo        uint64 // the number of batches, with this one
}

// take takes everything that has collected, at one moment: a change is in a later batch than those before it,
// or in the same.
func (j *Journal) take() (b batches) {
	j.lockLanes(j.allLanes())
	defer j.unlockLanes(j.allLanes())
	b = batches{tail: j.tail, batch: j.parts[:0], next: j.next, upTo: j.begun.Load()}
	j.tail, j.next = nil, nil
	for i := range j.lanes {
		l := &j.lanes[i]
		if l.isEmpty() {
			continue
		}
		taken := l.enc.buf
		b.batch = append(b.batch, part{taken, l.from, l.enc.db})
		l.restart(l.spare) // the leader has written it
		l.spare = j.kept(taken)
	}
	j.parts = b.batch
	j.taken.Store(b.upTo)
	j.held.writing.Store(j.held.collected.Swap(0))
	return b
}

// Suspend ends the recording until [Journal.Switch]: the file cannot say what changes now.
func (j *Journal) Suspend() {
	j.lockLanes(j.allLanes())
	defer j.unlockLanes(j.allLanes())
	j.recording.Store(false)
}

// countFailure ends the recording, and begins a batch, which [Journal.drop] gives up. So the replies to
// changes that are not recorded wait until [Journal.fail] has counted what is lost.
func (j *Journal) countFailure() {
	j.lockLanes(j.allLanes())
	defer j.unlockLanes(j.allLanes())
	j.failures.Add(1)
	j.beginBatch()
	j.recording.Store(false)
}

// discard ends the recording and drops everything that has collected. It returns the file that was to be the
// next one.
func (j *Journal) discard() (next *File) {
	j.lockLanes(j.allLanes())
	defer j.unlockLanes(j.allLanes())
	j.recording.Store(false)
	next = j.next
	j.tail, j.next = nil, nil
	j.switching.Store(false)
	j.held.collected.Store(0)
	j.resetLanes()
	j.taken.Store(j.begun.Load())
	j.written.Store(j.begun.Load()) // the dropped batches are given up
	return next
}

// Recording reports whether changes are recorded.
func (j *Journal) Recording() bool { return j.recording.Load() }

// Mark returns the state before some commands run. [Journal.Wait] takes it after they ran.
func (j *Journal) Mark() uint64 { return j.lost.Load() }

// Begun returns the position of the last change so far, for [Journal.Later]: the number of its batch.
func (j *Journal) Begun() uint64 { return j.begun.Load() }

// ReadsWait reports whether replies that only show changes wait for these, because a power cut could undo
// what a client has seen.
func (j *Journal) ReadsWait() bool { return j.Policy() == Always }

// Current returns the file that the journal writes, or nil.
func (j *Journal) Current() *File { return j.current.Load() }

// Size returns the bytes of the current file.
func (j *Journal) Size() int64 {
	if f := j.current.Load(); f != nil {
		return f.size.Load()
	}
	return 0
}

// Waiting returns how many bytes wait to be written.
func (j *Journal) Waiting() (n int) {
	for i := range j.lanes {
		n += j.lanes[i].waiting()
	}
	return n
}

// Missed returns how many changes were not recorded because of failures.
func (j *Journal) Missed() int64 { return j.missed.Load() }

// Delayed returns how many syncs took so long that clients had to wait.
func (j *Journal) Delayed() int64 { return j.syncs.delayed.Load() }

// Syncing reports whether the file is being forced to disk in the background.
func (j *Journal) Syncing() bool {
	return j.syncs.running.Load()
}
