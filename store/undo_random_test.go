package store

import (
	"fmt"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"

	"cellserver/store/memory"
	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// dump returns every key as it lies in the store, also the expired ones, and the counts of keys.
func dump(s *Store) map[string]string {
	tx := whole(s, 0)
	defer tx.End()
	all := map[string]string{}
	for i := range s.partitions {
		for _, of := range s.partitions[i].tables {
			var place table.Place
			of.Table.Each(&place, func() {
				im := place.Image()
				text := shown(&im)
				if im.Collection != nil {
					text += im.Collection.Encoding()
				}
				all[fmt.Sprint(im.DB, " ", string(im.Key))] = text
			})
		}
	}
	for db := range s.Databases() {
		all[fmt.Sprint("counts of ", db)] = fmt.Sprint(s.Len(db), " ", s.Volatile(db))
	}
	return all
}

// rewinder changes a store at random, and undoes the changes at random. It compares the store with the
// dumps that it has made on the way.
type rewinder struct {
	t      *testing.T
	r      *rand.Rand
	s      *Store
	log    *undoLog
	heard  *heard
	marks  []mark
	now    int64
	cursor SweepCursor
	refuse bool // the system gives no memory
	did    map[string]int
}

// mark is a moment between two transactions.
type mark struct {
	end  int // of the log
	dump map[string]string
}

// heard is an observer that remembers of which keys it was told in transactions with Applied.
type heard struct {
	keys map[string]bool
	dbs  map[int]bool
}

func (h *heard) Committed(tx *Tx, effects []Effect) {
	if !tx.Applied {
		return
	}
	for i := range effects {
		f := &effects[i]
		h.keys[fmt.Sprint(f.DB, " ", string(f.Key))] = true
		if f.Op == OpFlush || f.Op == OpSwapDB {
			h.dbs[f.DB], h.dbs[int(f.Int)] = true, true
		}
	}
}

func newRewinder(t *testing.T, r *rand.Rand) *rewinder {
	w := &rewinder{t: t, r: r, now: testNow, heard: &heard{}, did: map[string]int{}}
	refuse := func(int) bool { return w.refuse && r.Intn(2) == 0 }
	w.s, w.log = New(Options{Databases: 3, Seed: 1, Refuse: refuse}), &undoLog{}
	w.s.SetLimits(limitsOf(2, 64))
	w.s.Observe(w.log)
	w.s.Observe(w.heard)
	w.s.KeepUndo(true)
	w.marks = []mark{{0, dump(w.s)}}
	return w
}

// step does one thing. Most steps are transactions.
func (w *rewinder) step() {
	w.now += w.r.Int63n(20e6)
	switch n := w.r.Intn(200); {
	case n < 3:
		w.did["sweep"]++
		w.s.Sweep(w.now, &w.cursor, w.r.Intn(2000))
	case n < 6:
		w.did["evict"]++
		w.s.Evict(w.now, evictingPolicies[w.r.Intn(len(evictingPolicies))], 5, w.s.Used()-int64(w.r.Intn(2000)))
	case n < 8:
		w.revert(w.r.Intn(len(w.marks)))
	case n < 10:
		w.drop(w.r.Intn(len(w.marks)))
	case n == 10:
		w.startAgain()
	default:
		w.write()
	}
	if w.r.Intn(4) == 0 {
		w.marks = append(w.marks, mark{len(w.log.all), dump(w.s)})
	}
}

// write is one transaction. The memory may run out in its middle.
func (w *rewinder) write() {
	tx := whole(w.s, w.now)
	defer func() {
		w.refuse = false
		if reason := recover(); reason != nil && reason != error(memory.ErrExhausted) {
			panic(reason)
		}
	}()
	defer tx.End()
	w.refuse = w.r.Intn(20) == 0
	for range 1 + w.r.Intn(8) {
		tx.Select(w.r.Intn(3))
		switch n := w.r.Intn(200); {
		case n < 2:
			w.did["flush"]++
			tx.Flush()
		case n < 6:
			w.did["swap"]++
			tx.Swap(w.r.Intn(3), w.r.Intn(3))
		case n == 6:
			churn(w.r, tx)
		default:
			writeOneOf(w.r, tx, 20)
		}
	}
}

// revert undoes everything since a mark.
func (w *rewinder) revert(to int) {
	w.did["revert"]++
	m := w.marks[to]
	var watchers [5]Watcher
	tx := whole(w.s, w.now)
	for i := range watchers {
		tx.Select(w.r.Intn(3))
		tx.Watch(&watchers[i], randomKey(w.r, 20))
	}
	tx.End()
	w.heard.keys, w.heard.dbs = map[string]bool{}, map[int]bool{}
	before := dump(w.s)
	w.s.Revert(w.log.all[m.end:])
	w.log.all, w.marks = w.log.all[:m.end], w.marks[:to+1]
	after := dump(w.s)
	requireSame(w.t, m.dump, after, w.did["revert"])
	w.checkHeard(before, after, &watchers)
	tx = whole(w.s, w.now)
	for i := range watchers {
		tx.Unwatch(&watchers[i])
	}
	w.checkTables(tx)
	tx.End()
}

// checkHeard checks that observers and watchers learned of each key that differs.
func (w *rewinder) checkHeard(before, after map[string]string, watchers *[5]Watcher) {
	changed := map[string]bool{}
	for _, keys := range []map[string]string{before, after} {
		for key := range keys {
			var db int
			n, _ := fmt.Sscanf(key, "%d key", &db)
			if before[key] == after[key] || n == 0 {
				continue
			}
			changed[key] = true
			require.True(w.t, w.heard.keys[key] || w.heard.dbs[db], "nobody heard of %.20q", key)
		}
	}
	for i := range watchers {
		for k := range watchers[i].keys {
			if changed[fmt.Sprint(k.db, " ", k.key)] {
				require.True(w.t, watchers[i].dirty.Load(), "the watcher of %.20q is clean", k.key)
				w.did["dirty"]++
			}
		}
	}
}

// checkTables checks every table. Blocks of flushed keys are in use, but in no table.
func (w *rewinder) checkTables(tx *Tx) {
	used := int64(0)
	for i := range tx.s.partitions {
		for _, of := range tx.s.partitions[i].tables {
			sum, err := of.Table.Check()
			require.NoError(w.t, err)
			used += sum.Bytes
		}
	}
	require.Equal(w.t, used, tx.s.Used())
}

// drop makes everything before a mark final.
func (w *rewinder) drop(before int) {
	w.did["drop"]++
	end := w.marks[before].end
	w.s.DropUndo(w.log.all[:end])
	w.log.all = append([]Undo{}, w.log.all[end:]...)
	w.marks = w.marks[before:]
	for i := range w.marks {
		w.marks[i].end -= end
	}
}

// startAgain keeps no undo for a few transactions.
func (w *rewinder) startAgain() {
	w.s.DropUndo(w.log.all)
	w.log.all = nil
	w.s.KeepUndo(false)
	for range 5 {
		w.write()
	}
	require.Empty(w.t, w.log.all)
	w.s.KeepUndo(true)
	w.marks = []mark{{0, dump(w.s)}}
}

// TestRevertIsExact undoes random changes, while snapshots run and the clock moves. The store must hold
// what it held before, to the last key. The snapshots must show their moment.
func TestRevertIsExact(t *testing.T) {
	w := newRewinder(t, seeded(t))
	for range scaled(150) {
		for range w.r.Intn(60) {
			w.step()
		}
		n, want := snapshot(t, w.s, w.now)
		often := 1 + w.r.Intn(10)
		got := n.collect(t, func() {
			if w.r.Intn(often) == 0 {
				w.step()
			}
		})
		n.Close()
		requireSame(t, want, got, 0)
	}
	w.revert(0)
	tx := whole(w.s, w.now)
	checkInvariants(t, tx)
	tx.End()
	if !testing.Short() {
		for _, what := range []string{"sweep", "evict", "flush", "swap", "revert", "drop", "dirty"} {
			require.Positive(t, w.did[what], what)
		}
	}
	tx = whole(w.s, w.now)
	for db := range 3 {
		tx.Select(db)
		tx.Flush()
	}
	tx.End()
	w.drop(len(w.marks) - 1)
	w.s.DropUndo(w.log.all)
	require.NoError(t, w.s.blocks.Check(0), "all blocks were given back")
}

// TestRevertAfterConcurrentTransactions undoes what many goroutines have done at the same time on
// different partitions, while snapshots run, and oldest undos end.
func TestRevertAfterConcurrentTransactions(t *testing.T) {
	s, l := New(Options{Databases: 3, Seed: 1}), &undoLog{}
	all := &locked{o: l}
	s.Observe(all)
	s.SetLimits(limitsOf(30, 64))
	tx := whole(s, testNow)
	for i := range accounts {
		e := tx.Write(account(i))
		e.SetInt(accountBalance, NoExpiry)
	}
	tx.End()
	s.KeepUndo(true)
	want := dump(s)
	seed := seeded(t).Int63()
	var clock atomic.Int64
	clock.Store(testNow)
	for round := range 5 {
		var work sync.WaitGroup
		for g := range 8 {
			work.Go(func() {
				r, tx := rand.New(rand.NewSource(seed+int64(8*round+g))), s.NewTx()
				for range scaled(500) {
					transfer(r, tx, clock.Add(10e3))
				}
			})
		}
		work.Go(func() {
			var cursor SweepCursor
			for range scaled(100) {
				s.Sweep(clock.Load(), &cursor, 10_000)
				s.Evict(clock.Load(), VolatileLRU, 5, s.Used()-2000)
			}
		})
		n, moment := snapshot(t, s, clock.Load())
		shown := n.collect(t, func() {})
		n.Close()
		requireSame(t, moment, shown, round)
		work.Wait()
		s.Revert(l.all)
		l.all = nil
		requireSame(t, want, dump(s), round)
		tx = whole(s, clock.Load())
		checkInvariants(t, tx)
		tx.End()
	}
}
