package aof

import (
	"fmt"
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// put writes keys to a database, in transactions of five hundred.
func (l *log) put(db, from, to int, do func(e *store.Entry, i int)) {
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
}

func setTAT(e *store.Entry, i int) {
	tat := now + 1e12 + int64(i)
	e.SetInt(tat, (tat+999_999)/1e6)
}

// TestRoomForKeysThatDoNotComeIsGivenUp loads logs whose beginnings promise what follows, or do not: what is loaded, and the
// memory that it takes in the end, are as if nothing had been expected.
func TestRoomForKeysThatDoNotComeIsGivenUp(t *testing.T) {
	remove := func(e *store.Entry, _ int) { e.Delete() }
	for what, fill := range map[string]func(l *log){
		"nothing but new keys": func(l *log) { l.put(0, 0, 100_000, setTAT) },
		"the same keys again and again": func(l *log) {
			for range 5 {
				l.put(0, 0, 20_000, setTAT)
			}
		},
		"keys that go": func(l *log) {
			l.put(0, 0, 50_000, setTAT)
			l.put(0, 0, 49_000, remove)
		},
		"databases in turn": func(l *log) {
			for i := range 12 {
				l.put(i%3, 6000*i, 6000*(i+1), setTAT)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			files := memory()
			l := start(t, files, EverySecond)
			fill(l)
			l.journal.Stop()
			loaded, _, err := load(t, files)
			require.NoError(t, err)
			requireSame(t, contents(l.store), contents(loaded.store))
			require.LessOrEqual(t, loaded.store.Used(), l.store.Used()*5/4+1<<16)
		})
	}
}

// TestWhatAFileHasMadeLetsExpectTheRest looks at files of ten megabytes after the first.
func TestWhatAFileHasMadeLetsExpectTheRest(t *testing.T) {
	for keys, expected := range map[int]int64{20_000: 200_000, 1000: 10_000, 10: 0, 0: 0} {
		s := newStore()
		l := &log{t: t, store: s, journal: NewJournal(EverySecond, func(error) {})}
		g := growth{store: s, tx: s.NewTx(), now: now, db: 1}
		g.begin(0, 10<<20)
		require.EqualValues(t, firstLook, g.next)
		l.put(1, 0, keys, setTAT)
		filled := s.Used()
		g.look(firstLook, 1)
		room := s.Used() - filled
		require.GreaterOrEqual(t, room, 6*(expected-int64(keys)), "%d keys", keys)
		require.LessOrEqual(t, room, 14*expected, "%d keys", keys)
		before := s.Used()
		g.look(g.next, 1) // there have been no more since
		require.Equal(t, before, s.Used())
		require.Len(t, contents(s), keys)
		g.settle()
		require.LessOrEqual(t, s.Used(), 2*filled)
	}
}
