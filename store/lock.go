package store

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// lock is the lock of a partition. A long transaction marks the locks that it holds, so that others can
// avoid to wait for it. A short one does not: it ends before a goroutine could do anything else.
type lock struct {
	sync.Mutex
	long     atomic.Int64 // 0, or isLong if a long transaction has the lock, or its Tx.Since
	sleepers atomic.Int32 // how many goroutines sleep in try. A long transaction lets them pass.
	wanted   atomic.Int32 // how many long transactions wait for the lock. Nobody begins to sleep meanwhile.
}

// isLong marks the lock of a long transaction without a script.
const isLong = 1

// lockTries is how often a goroutine tries a lock that is taken, before it sleeps. That takes
// about as long as a few commands on one key. To wake a goroutine takes far longer.
const lockTries = 256

// longTries is how often a goroutine gives way to long transactions.
const longTries = 16

// wait locks.
func (l *lock) wait() {
	for range lockTries {
		if l.TryLock() {
			return
		}
	}
	l.Lock()
}

// try locks, but does not wait for a long transaction. It reports whether it has locked.
func (l *lock) try() bool {
	locked, tired := l.spin()
	if !tired || locked {
		return locked
	}
	return l.wanted.Load() == 0 && l.sleep()
}

// spin tries often. It ends early if it meets a long transaction, otherwise it is tired.
func (l *lock) spin() (locked, tired bool) {
	for range lockTries {
		if l.TryLock() {
			return true, false
		}
		if l.long.Load() != 0 {
			return false, false
		}
	}
	return false, true
}

// sleep locks. It never sleeps while a long transaction has the lock: either it sees the mark, or the
// transaction sees that it sleeps.
func (l *lock) sleep() bool {
	l.sleepers.Add(1)
	defer l.sleepers.Add(-1)
	if l.long.Load() != 0 {
		return false
	}
	l.Lock()
	return true
}

// tryLong is try for a long transaction: it marks the lock.
func (l *lock) tryLong(mark int64) bool {
	l.wanted.Add(1)
	defer l.wanted.Add(-1)
	for {
		locked, tired := l.spin()
		if !locked && !(tired && l.sleep()) {
			return false
		}
		if l.mark(mark) {
			return true
		}
	}
}

// lockLong is tryLong, but waits for another long transaction.
func (l *lock) lockLong(mark int64) {
	l.wanted.Add(1)
	defer l.wanted.Add(-1)
	for l.Lock(); !l.mark(mark); l.Lock() {
	}
}

// mark marks a lock as that of a long transaction. If somebody sleeps, it unlocks instead, and lets others
// run.
func (l *lock) mark(mark int64) bool {
	l.long.Store(mark)
	if l.sleepers.Load() == 0 {
		return true
	}
	l.long.Store(0)
	l.Unlock()
	runtime.Gosched()
	return false
}

// await waits until somebody else unlocks.
func (l *lock) await() {
	l.Lock()
	defer l.Unlock()
}

// locks are the locks of all partitions.
type locks [Partitions]*lock

// waitFor locks the partitions of a footprint in ascending order. It holds none of them while it waits
// for a long transaction, because others would wait as well. If it meets too many of them, it calls lockAll.
// mark is that of a long transaction, otherwise 0.
func (all *locks) waitFor(fp *Footprint, mark int64) {
	for range longTries {
		busy := all.try(fp, mark)
		if busy == nil {
			return
		}
		busy.await()
	}
	all.lockAll(fp, mark)
}

// lockAll is waitFor, but holds partitions while it waits for others. Those are marked meanwhile.
func (all *locks) lockAll(fp *Footprint, mark int64) {
	fp.each(func(p int) { all[p].lockLong(max(mark, isLong)) })
	if mark == 0 {
		fp.each(func(p int) { all[p].long.Store(0) })
	}
}

// try locks the partitions of a footprint in ascending order. If a long transaction has one of
// them, try locks none, and returns that lock.
func (all *locks) try(fp *Footprint, mark int64) (busy *lock) {
	for i, w := range fp {
		for ; w != 0; w &= w - 1 {
			p := i*64 + bits.TrailingZeros64(w)
			l := all[p]
			if mark == 0 && !l.TryLock() && !l.try() || mark != 0 && !l.tryLong(mark) { // the compiler inlines TryLock
				all.unlock(fp.below(p))
				return l
			}
		}
	}
	return nil
}

// unlock unlocks the partitions of a footprint.
func (all *locks) unlock(fp *Footprint) {
	fp.each(func(p int) {
		l := all[p]
		if l.long.Load() != 0 { // a needless store would take as long as the unlock
			l.long.Store(0)
		}
		l.Unlock()
	})
}
