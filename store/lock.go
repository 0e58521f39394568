package store

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// lock is the lock of a partition. A long transaction marks the locks that it holds, so that others can avoid to wait for
// it. A short one does not: it ends before a goroutine could do anything else.
type lock struct {
	sync.Mutex
	long atomic.Int64 // 0, or isLong if a long transaction has the lock, or its Tx.Since
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
	for range lockTries {
		if l.TryLock() {
			return true
		}
		if l.long.Load() != 0 {
			return false
		}
	}
	l.Lock()
	return true
}

// await waits until somebody else unlocks.
func (l *lock) await() {
	l.Lock()
	defer l.Unlock()
}

// lockOf returns the lock of a partition.
type lockOf func(partition int) *lock

// waitFor locks the partitions of a footprint in ascending order. It holds none of them while it waits
// for a long transaction, because others would wait as well. If it meets too many of them, it does.
func (of lockOf) waitFor(fp *Footprint) {
	for range longTries {
		busy := of.try(fp)
		if busy == nil {
			return
		}
		busy.await()
	}
	fp.each(func(p int) { of(p).Lock() })
}

// try locks the partitions of a footprint in ascending order. If a long transaction has one of
// them, try locks none, and returns that lock.
func (of lockOf) try(fp *Footprint) (busy *lock) {
	for i, w := range fp {
		for ; w != 0; w &= w - 1 {
			p := i*64 + bits.TrailingZeros64(w)
			if l := of(p); !l.try() {
				of.unlock(fp.below(p))
				return l
			}
		}
	}
	return nil
}

// unlock unlocks the partitions of a footprint.
func (of lockOf) unlock(fp *Footprint) {
	fp.each(func(p int) {
		l := of(p)
		l.long.Store(0)
		l.Unlock()
	})
}
