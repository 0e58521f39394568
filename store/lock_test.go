package store

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// footprintOf returns the footprint of some keys.
func footprintOf(keys ...string) *Footprint {
	var fp Footprint
	for _, key := range keys {
		fp.AddKey([]byte(key))
	}
	return &fp
}

// TestOthersPassALongTransaction: who tries does not wait for a long transaction, and holds nothing afterwards. Who waits
// for it holds nothing meanwhile.
func TestOthersPassALongTransaction(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	keys := []string{"a", "b", "c", "d", "e"} // in five partitions
	for _, held := range keys {
		long, tx := s.NewTx(), s.NewTx()
		long.BeginLong(testNow, 0, footprintOf(held))
		require.False(t, tx.TryBegin(testNow, 0, footprintOf(keys...)))
		require.False(t, tx.TryBeginKey(testNow, 0, []byte(held)))
		waited := make(chan struct{})
		go func() {
			defer close(waited)
			waiting := s.NewTx()
			waiting.Begin(testNow, 0, footprintOf(keys...))
			waiting.End()
		}()
		for _, free := range keys {
			if free != held {
				requireOn(t, s, free)
			}
		}
		long.End()
		<-waited
		require.True(t, tx.TryBegin(testNow, 0, footprintOf(keys...)))
		tx.End()
		require.True(t, tx.TryBeginKey(testNow, 0, []byte(held)))
		tx.End()
	}
}

// requireOn requires that many transactions on a key run, one after the other.
func requireOn(t *testing.T, s *Store, key string) {
	t.Helper()
	tx := s.NewTx()
	for range 1000 {
		tx.BeginKey(testNow, 0, []byte(key))
		e := tx.Write([]byte(key))
		e.SetInt(1, NoExpiry)
		tx.End()
	}
}

// TestBackgroundPassesALongTransaction: evictions and sweeps leave out the partitions of a long transaction.
func TestBackgroundPassesALongTransaction(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := s.NewTx()
	for _, key := range []string{"a", "b"} {
		tx.BeginKey(testNow, 0, []byte(key))
		e := tx.Write([]byte(key))
		e.SetBytes([]byte("value"), testNow/1e6+1)
		tx.End()
	}
	long := s.NewTx()
	long.BeginLong(testNow, 0, footprintOf("a"))
	var c SweepCursor
	expired, _ := s.Sweep(testNow+1e9, &c, 1e6)
	require.Equal(t, 1, expired)
	require.True(t, s.Evict(testNow, AllKeysRandom, 5, 0), "the only key may go later")
	require.Equal(t, 1, s.Len(0))
	long.End()
	require.True(t, s.Evict(testNow, AllKeysRandom, 5, 0))
	require.Zero(t, s.Len(0))
	require.False(t, s.Evict(testNow, AllKeysRandom, 5, -1), "no key is left")
}

// TestASnapshotHoldsNothingWhileItWaits: a snapshot needs every partition at one moment.
func TestASnapshotHoldsNothingWhileItWaits(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	long := s.NewTx()
	long.BeginLong(testNow, 0, footprintOf("b"))
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		n, err := s.Snapshot(testNow, nil)
		if err == nil {
			n.Close()
		}
	}()
	for _, key := range []string{"a", "c", "d"} {
		requireOn(t, s, key)
	}
	long.End()
	<-begun
}

// TestNobodySleepsDuringALongTransaction: somebody may sleep until a short transaction ends. Then a long one lets him pass
// before it begins.
func TestNobodySleepsDuringALongTransaction(t *testing.T) {
	for range 20 {
		var l lock
		l.Lock()
		tried, began := make(chan bool, 1), make(chan struct{})
		go func() { tried <- l.try() }()
		for l.sleepers.Load() == 0 {
			runtime.Gosched()
		}
		go func() {
			defer close(began)
			l.lockLong(isLong)
		}()
		for l.wanted.Load() == 0 {
			runtime.Gosched()
		}
		require.False(t, l.try(), "a long transaction waits")
		l.Unlock()
		require.True(t, <-tried)
		require.Zero(t, l.long.Load())
		l.Unlock()
		<-began
		require.False(t, l.try())
		require.False(t, l.tryLong(isLong))
		require.False(t, l.sleep())
	}
}

// TestSleepersPassLongTransactions: many try the same lock, and half of them are long. A short one that slept during a long
// one would sleep until its end, and this one ends only after it.
func TestSleepersPassLongTransactions(t *testing.T) {
	var l lock
	var shorts, longs atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := 0; i < scaled(500) || shorts.Load() == 0; i++ {
				if l.try() {
					shorts.Add(1)
					runtime.Gosched()
					l.Unlock()
				} else {
					runtime.Gosched()
				}
			}
		})
		wg.Go(func() {
			for i := 0; i < scaled(100) || longs.Load() == 0; i++ {
				if l.tryLong(isLong) {
					for l.sleepers.Load() > 0 {
						runtime.Gosched()
					}
					longs.Add(1)
					l.long.Store(0)
					l.Unlock()
				} else {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	require.Positive(t, shorts.Load())
	require.Positive(t, longs.Load())
}

// TestNobodySleepsOnLocksOfAWaiter: a transaction that has met too many long ones holds locks while it waits. No other
// transaction sleeps on these locks.
func TestNobodySleepsOnLocksOfAWaiter(t *testing.T) {
	first, second := new(lock), new(lock)
	all := &locks{first, second}
	var both Footprint
	both.add(0)
	both.add(1)
	require.True(t, second.tryLong(isLong))
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		all.lockAll(&both, 0)
	}()
	for first.TryLock() {
		first.Unlock()
		runtime.Gosched()
	}
	require.False(t, first.try())
	second.long.Store(0)
	second.Unlock()
	<-waited
	require.Zero(t, first.long.Load()+second.long.Load())
	all.unlock(&both)
	require.True(t, first.try())
}
