package store

import (
	"fmt"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"

	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

const (
	accounts       = 200
	accountBalance = 1000
)

func account(i int) []byte { return fmt.Append(nil, "account:", i) }

// balances returns the sum of all accounts as one transaction sees it.
func balances(s *Store, now int64) (sum int64) {
	tx := whole(s, now)
	defer tx.End()
	for i := range accounts {
		e := tx.Read(account(i))
		sum += e.Int()
	}
	return sum
}

// transfer moves an amount between two accounts and touches keys that come and go.
func transfer(r *rand.Rand, tx *Tx, now int64) {
	a, b := account(r.Intn(accounts)), account(r.Intn(accounts))
	churn, zset := fmt.Append(nil, "churn:", r.Intn(5000)), fmt.Append(nil, "log:", r.Intn(50))
	var fp Footprint
	for _, k := range [][]byte{a, b, churn, zset} {
		fp.AddKey(k)
	}
	tx.Begin(now, 0, &fp)
	defer tx.End()
	amount := r.Int63n(10)
	from := tx.Write(a)
	from.SetInt(from.Int()-amount, NoExpiry)
	to := tx.Write(b)
	to.SetInt(to.Int()+amount, NoExpiry)
	tx.Select(r.Intn(2))
	c := tx.Write(churn)
	c.SetInt(now+r.Int63n(50e6), table.CeilMillis(now+r.Int63n(50e6)))
	z := tx.Write(zset)
	z.ZAdd(float64(now), churn)
	if n := z.Sorted().Len(); n > 100 {
		z.ZRemRange(0, n/2)
	}
	z.SetExpiry(table.CeilMillis(now + 20e6))
}

// TestConcurrentTransactions runs transactions that keep a sum over all partitions, while sweeps,
// evictions and scans run. The sum must be the same at any time.
func TestConcurrentTransactions(t *testing.T) {
	s := New(Options{Databases: 3, Seed: 1})
	to := New(Options{Databases: 3, Seed: 2})
	s.Observe(&locked{o: replayer{to}})
	tx := whole(s, testNow)
	for i := range accounts {
		e := tx.Write(account(i))
		e.SetInt(accountBalance, NoExpiry)
	}
	tx.End()
	steps := scaled(1500)
	seed := seeded(t).Int63()
	var clock atomic.Int64
	clock.Store(testNow)
	var work, beside sync.WaitGroup
	for g := range 16 {
		work.Go(func() {
			r, tx := rand.New(rand.NewSource(seed+int64(g))), s.NewTx()
			for range steps {
				transfer(r, tx, clock.Add(10e3))
			}
		})
	}
	var stop atomic.Bool
	var partial atomic.Int64
	background := func(f func(now int64)) {
		beside.Go(func() {
			for !stop.Load() {
				f(clock.Load())
			}
		})
	}
	var cursor SweepCursor
	background(func(now int64) { s.Sweep(now, &cursor, 10_000) })
	background(func(now int64) { s.Evict(now, VolatileLRU, 5, s.Used()-2000) })
	background(func(now int64) {
		if balances(s, now) != accounts*accountBalance {
			partial.Add(1)
		}
	})
	background(func(now int64) {
		tx := whole(s, now)
		defer tx.End()
		tx.Scan(uint64(now)&(1<<52-1), 50, func(e *Entry) { e.ExpireAt() })
		tx.Swap(1, 2)
		tx.Select(2)
		tx.Flush()
	})
	work.Wait()
	stop.Store(true)
	beside.Wait()
	require.Zero(t, partial.Load(), "transactions that saw another one half done")
	require.EqualValues(t, accounts*accountBalance, balances(s, clock.Load()))
	end := whole(s, clock.Load())
	checkInvariants(t, end)
	end.End()
	requireSame(t, contents(s), contents(to), steps)
}

// locked calls an observer from one goroutine at a time.
type locked struct {
	mu sync.Mutex
	o  Observer
}

func (l *locked) Committed(tx *Tx, effects []Effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.o.Committed(tx, effects)
}

// faulty is an observer that panics.
type faulty struct{}

func (faulty) Committed(*Tx, []Effect) { panic("a fault") }

// TestFaultyObserver checks that an observer's panic leaves no lock and no effect behind.
func TestFaultyObserver(t *testing.T) {
	s := New(Options{Databases: 1})
	s.Observe(faulty{})
	tx := s.NewTx()
	for _, keys := range [][]string{{"a"}, {"a", "b", "c"}} {
		var fp Footprint
		for _, k := range keys {
			fp.AddKey([]byte(k))
		}
		require.Panics(t, func() {
			tx.Begin(testNow, 0, &fp)
			defer tx.End()
			e := tx.Write([]byte("a"))
			e.SetInt(1, NoExpiry)
		})
		require.Zero(t, tx.Changes())
		fp.each(func(p int) {
			require.True(t, s.partitions[p].mu.TryLock(), p)
			s.partitions[p].mu.Unlock()
		})
	}
}
