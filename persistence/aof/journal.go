package aof

import (
	"sync"
	"sync/atomic"

	"cellserver/persistence/fs"
	"cellserver/store"
)

// Policy says when a file is forced to disk (appendfsync).
type Policy int32

// The policies.
const (
	EverySecond Policy = iota // in the background, once a second
	Always                    // before anything is acknowledged
	Never                     // when the system sees fit
)

// Journal writes what transactions change into the file at hand. It observes a store: the
// order of the log is the order of the changes.
//
// Changes collect in memory, and are written together by whoever is the first to wait for
// them ([Journal.Wait]): while one writes, the next ones gather. Once a write or a sync has
// failed, the file is never trusted again. The journal then records nothing, until it is
// given another file together with a snapshot of the whole store ([Journal.Switch]).
type Journal struct {
	failed func(error) // is told of a failure, before anyone who waits is

	mu   sync.Mutex // guards what follows; taken while the store's locks are held, so held for no I/O
	enc  *encoder   // what was committed and not yet taken to be written, after the room for a header
	tail []byte     // what is to be written into the file before the next one; nil for nothing
	next *File      // the file from now on; nil for none

	recording atomic.Bool // changed with mu held
	policy    atomic.Int32
	begun     atomic.Uint64 // batches, the one that collects included; changed with mu held
	written   atomic.Uint64 // of these, how many are safe: with the kernel, with Always on disk, or given up
	lost      atomic.Uint64 // failures under Always: what was not told by then must not be told
	failures  atomic.Uint64
	missed    atomic.Int64 // changes that were not recorded because of a failure

	turn    sync.Mutex // guards what follows, and written's changes
	change  *sync.Cond // of turn: leading, written or late have changed
	leading bool       // someone writes
	spare   []byte     // a buffer for the next time; the leader's
	file    *File      // being written to; the leader's

	current atomic.Pointer[File] // file, for others
	syncs   syncs
}

// NewJournal returns a journal that records nothing until it is given a file. failed is
// told of each failure.
func NewJournal(p Policy, failed func(error)) *Journal {
	j := &Journal{enc: newEncoder(), failed: failed}
	j.change = sync.NewCond(&j.turn)
	j.policy.Store(int32(p))
	return j
}

// SetPolicy changes when files are forced to disk.
func (j *Journal) SetPolicy(p Policy) { j.policy.Store(int32(p)) }

// Policy returns when files are forced to disk.
func (j *Journal) Policy() Policy { return Policy(j.policy.Load()) }

// Committed records a transaction's effects; it implements [store.Observer].
func (j *Journal) Committed(_ *store.Tx, effects []store.Effect) {
	if !j.recording.Load() {
		if j.failures.Load() > 0 {
			j.missed.Add(int64(len(effects)))
		}
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.recording.Load() {
		return
	}
	if len(j.enc.buf) == headerSize {
		j.begun.Add(1)
	}
	j.enc.transaction(effects)
}

// Switch makes what is committed from now on go to another file. It is called at a moment
// at which no transaction is under way: that of a snapshot, or before the first one.
// [Journal.Flush] is to follow. It reports whether changes were recorded up to then.
func (j *Journal) Switch(to *File) (recorded bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	recorded = j.recording.Load()
	if recorded && len(j.enc.buf) > headerSize {
		j.tail = j.enc.buf
		j.enc.buf = nil
	}
	j.enc.reset()
	j.next = to
	j.recording.Store(true)
	return recorded
}

// reset begins a file.
func (e *encoder) reset() {
	e.db = unselected
	e.buf = append(e.buf[:0], emptyHeader[:]...)
}

// Recording reports whether changes are recorded.
func (j *Journal) Recording() bool { return j.recording.Load() }

// Mark returns what [Journal.Wait] needs to know about the time before the commands that
// are about to run.
func (j *Journal) Mark() uint64 { return j.lost.Load() }

// Wait returns when everything that was committed before the call is with the kernel, so
// that it survives the end of the process; with [Always], on disk. It reports whether what
// ran since mark may be told: false means that some of it may be lost though replies
// say otherwise, which is so under [Always] only.
func (j *Journal) Wait(mark uint64) bool {
	if need := j.begun.Load(); j.written.Load() < need {
		j.settle(need)
	}
	if j.syncs.late.Load() {
		j.awaitSync()
	}
	return j.lost.Load() == mark
}

// settle waits until so many batches are safe, and writes when nobody does.
func (j *Journal) settle(need uint64) {
	j.turn.Lock()
	defer j.turn.Unlock()
	for j.written.Load() < need {
		if j.leading {
			j.change.Wait()
		} else {
			j.lead()
		}
	}
}

// Flush writes what there is to write, and takes over the file that was switched to.
func (j *Journal) Flush() {
	j.turn.Lock()
	defer j.turn.Unlock()
	j.await()
	j.lead()
}

// lead writes for everybody; turn is held, but not meanwhile.
func (j *Journal) lead() {
	j.leading = true
	j.turn.Unlock()
	defer func() {
		j.turn.Lock()
		j.leading = false
		j.change.Broadcast()
	}()
	upTo, err := j.write()
	if err != nil {
		j.fail(err)
		return
	}
	j.written.Store(upTo)
}

// Sync forces everything that was committed to disk, and reports whether it is there.
func (j *Journal) Sync() bool {
	j.Flush()
	if f := j.current.Load(); f != nil {
		if err := fs.Aside(f.sync); err != nil {
			j.giveUp(f, err)
		}
	}
	return j.Recording()
}

// Stop forces everything to disk and ends recording.
func (j *Journal) Stop() {
	j.mu.Lock()
	j.recording.Store(false)
	j.mu.Unlock()
	j.Flush()
	j.turn.Lock()
	defer j.turn.Unlock()
	f := j.current.Swap(nil)
	if f == nil {
		return
	}
	j.file = nil
	if err := f.finish(); err != nil {
		j.failures.Add(1)
		j.failed(err)
	}
}

// Discard ends recording into a file that is not to be kept.
func (j *Journal) Discard() {
	j.turn.Lock()
	defer j.turn.Unlock()
	j.await()
	j.drop()
}

// await waits until nobody writes; turn is held.
func (j *Journal) await() {
	for j.leading {
		j.change.Wait()
	}
}

// Size returns the bytes of the file at hand.
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
	return max(len(j.enc.buf)-headerSize, 0)
}

// Missed returns how many changes were not recorded because of failures.
func (j *Journal) Missed() int64 { return j.missed.Load() }
