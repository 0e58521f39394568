package aof

import (
	"fmt"
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// put writes keys to a database, in transactions of five hundred. It returns the memory of the store.
func (l *log) put(db, from, to int, do func(e *store.Entry, i int)) (used int64) {
	for ; from < to; from += 500 {
		write(l.store, now, func(tx *store.Tx) {
			tx.Select(db)
			for i := from; i < min(from+500, to); i++ {
				e := tx.Write(fmt.Appendf(nil, "user:%012d", i))
				do(&e, i)
			}
		})
		l.commit()
	}
	return l.store.Used()
}

func setTAT(e *store.Entry, i int) {
	tat := now + 1e12 + int64(i)
	e.SetInt(tat, (tat+999_999)/1e6)
}

// TestRoomForKeysThatDoNotComeIsGivenUp loads logs whose beginnings lead to right or wrong estimates. The keys and the
// memory after the loading must be the same as without estimates. The memory during the loading is bounded.
func TestRoomForKeysThatDoNotComeIsGivenUp(t *testing.T) {
	remove := func(e *store.Entry, _ int) { e.Delete() }
	for what, fill := range map[string]func(l *log) (most int64){
		"nothing but new keys": func(l *log) int64 { return l.put(0, 0, 100_000, setTAT) },
		"the same keys again and again": func(l *log) int64 {
			for range 5 {
				l.put(0, 0, 20_000, setTAT)
			}
			return l.store.Used()
		},
		"keys that are removed": func(l *log) int64 {
			most := l.put(0, 0, 50_000, setTAT)
			l.put(0, 0, 49_000, remove)
			return most
		},
		"databases in turn": func(l *log) int64 {
			for i := range 12 {
				l.put(i%3, 6000*i, 6000*(i+1), setTAT)
			}
			return l.store.Used()
		},
		"databases that are swapped": func(l *log) int64 {
			l.put(0, 0, 5000, setTAT)
			l.put(1, 0, 20_000, setTAT)
			write(l.store, now, func(tx *store.Tx) { tx.Swap(0, 1) })
			for range 30 {
				l.put(0, 0, 2000, setTAT)
			}
			return l.store.Used()
		},
	} {
		t.Run(what, func(t *testing.T) {
			files := memory()
			l := start(t, files, EverySecond)
			most := fill(l)
			l.journal.Stop()
			dir, err := Open(files, parent, "appendonlydir", "appendonly.aof")
			require.NoError(t, err)
			loaded, peak := newStore(), int64(0)
			_, err = dir.Load(loaded, LoadOptions{Now: now, Replayer: replayer(loaded), Progress: func(int64) { peak = max(peak, loaded.Used()) }})
			require.NoError(t, err)
			requireSame(t, contents(l.store), contents(loaded))
			require.LessOrEqual(t, loaded.Used(), l.store.Used()*5/4+1<<16)
			require.LessOrEqual(t, peak, 5*most)
		})
	}
}

// TestEstimatesMakeRoom samples files of ten megabytes after the first megabyte.
func TestEstimatesMakeRoom(t *testing.T) {
	for keys, expected := range map[int]int64{20_000: 200_000, 1000: 10_000, 10: 0, 0: 0} {
		s := newStore()
		l := &log{t: t, store: s, journal: NewJournal(EverySecond, func(error) {})}
		k := keyEstimator{store: s, tx: s.NewTx(), now: now}
		k.begin(0, 10<<20)
		k.last.db = 1
		require.EqualValues(t, firstSample, k.next)
		l.put(1, 0, keys, setTAT)
		filled := s.Used()
		k.update(firstSample, 1)
		room := s.Used() - filled
		require.GreaterOrEqual(t, room, 6*(expected-int64(keys)), "%d keys", keys)
		require.LessOrEqual(t, room, 14*expected, "%d keys", keys)
		k.update(k.next, 1) // no key has come since
		require.LessOrEqual(t, s.Used(), 2*filled)
		require.Len(t, contents(s), keys)
	}
}

// TestEstimatesAreBounded by the rest of the file, and by the keys that exist.
func TestEstimatesAreBounded(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		size     int64
		last     sample
		seen     sample
		expected int
	}{
		{10 * mb, sample{0, 0, 0}, sample{mb, 0, 1000}, 9000},
		{10 * mb, sample{mb, 0, 500}, sample{2 * mb, 0, 1000}, 4000},
		{1 << 40, sample{0, 0, 0}, sample{mb, 0, 1000}, 15_000},
		{2 * mb, sample{0, 0, 0}, sample{mb, 0, 1e6}, mb / minCommandSize}, // two databases were swapped
		{10 * mb, sample{0, 0, 0}, sample{mb, 1, 1000}, 0},
		{mb, sample{0, 0, 0}, sample{mb, 0, 1000}, 0},
	} {
		k := keyEstimator{size: c.size, last: c.last}
		require.Equal(t, c.expected, k.estimate(c.seen), "%+v", c)
	}
	k := keyEstimator{size: 10 * mb, last: sample{0, 0, 5000}}
	require.Negative(t, k.estimate(sample{mb, 0, 10}))
}
