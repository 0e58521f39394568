package aof

import (
	"sync"
	"sync/atomic"

	"cellserver/persistence/aof/format"
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
// order of the log is the order of the changes.
//
// Changes collect in memory. The first goroutine that waits for them ([Journal.Wait]) is the leader: it
// writes them all at once, while further changes collect. After a write or a sync has failed, the file is
// never trusted again. The journal then records nothing, until [Journal.Switch] gives it another file
// together with a snapshot of the whole store.
//
// Of its two locks, the group lock is taken first.
type Journal struct {
	onFailure func(error) // is called for each failure, before any waiting goroutine goes on
	gathering
	progress
	writing
	current atomic.Pointer[File] // the current file, for all but the leader
	syncs   syncs
}

// gathering is what the log has not written yet.
type gathering struct {
	mu   sync.Mutex // guards the fields below; taken while the store's locks are held, so never during I/O
	enc  *encoder   // the changes that no leader has taken, after the space for a header
	tail []byte     // to be written into the current file before the next file begins; may be nil
	next *File      // the file that replaces the current one; may be nil
}

// progress says how far the log is. Anyone may read it.
type progress struct {
	recording atomic.Bool // changed with mu held
	switching atomic.Bool // next is set, or a leader forces the end of the file before it to disk
	policy    atomic.Int32
	begun     atomic.Uint64 // the number of batches, with the one that collects; changed with mu held
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
	spare  []byte     // a buffer for the next batches; only the leader uses it
	later  later
	file   *File // the current file; only the leader uses it
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
	j.enc = newEncoder()
	j.enc.joins = true
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
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.recording.Load() {
		return
	}
	if len(j.enc.buf) == format.HeaderSize {
		j.begun.Add(1)
	}
	j.enc.stamp(tx.Now())
	if large != nil {
		j.enc.adopt(large)
	} else {
		j.enc.transaction(effects)
	}
	j.held.note(len(j.enc.buf))
}

// Switch makes all later changes go to another file. The caller makes sure that no transaction runs: it
// calls Switch at the moment of a snapshot, or before the first transaction, and then
// [Journal.Flush]. Switch reports whether changes were recorded before.
func (j *Journal) Switch(to *File) (recorded bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	recorded = j.recording.Load()
	if recorded && len(j.enc.buf) > format.HeaderSize {
		j.tail = j.enc.buf
		j.enc.buf = nil
	}
	j.enc.reset()
	j.next = to
	j.switching.Store(true)
	j.recording.Store(true)
	return recorded
}

// batches is what a leader takes to write.
type batches struct {
	tail, batch []byte // their headers are still empty; nil: nothing to write
	next        *File
	upTo        uint64 // the number of batches, with this one
}

// take takes everything that has collected.
func (j *Journal) take() (b batches) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b = batches{tail: j.tail, next: j.next, upTo: j.begun.Load()}
	j.tail, j.next = nil, nil
	if len(j.enc.buf) > format.HeaderSize {
		b.batch = j.enc.buf
		j.enc.begin(j.spare)
		j.spare = nil
	}
	j.held.taken(len(b.tail) + len(b.batch))
	return b
}

// stopRecording ends the recording, and counts a failure if there was one.
func (j *Journal) stopRecording(failed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if failed {
		j.failures.Add(1)
	}
	j.recording.Store(false)
}

// discard ends the recording and drops everything that has collected. It returns the file that was to be the
// next one.
func (j *Journal) discard() (next *File) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.recording.Store(false)
	next = j.next
	j.tail, j.next = nil, nil
	j.switching.Store(false)
	j.held.taken(0)
	j.enc.reset()
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
func (j *Journal) Waiting() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return max(len(j.enc.buf)-format.HeaderSize, 0)
}

// Missed returns how many changes were not recorded because of failures.
func (j *Journal) Missed() int64 { return j.missed.Load() }

// Delayed returns how many syncs took so long that clients had to wait.
func (j *Journal) Delayed() int64 { return j.syncs.delayed.Load() }

// Syncing reports whether the file is being forced to disk in the background.
func (j *Journal) Syncing() bool {
	return j.syncs.running.Load()
}
