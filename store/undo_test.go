package store

import (
	"bytes"
	"fmt"
	"testing"

	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// undoLog takes the undos of all transactions, as a log does that may not commit.
type undoLog struct {
	all   []Undo
	batch uint64
}

func (l *undoLog) Committed(tx *Tx, _ []Effect) {
	var own UndoList // the store uses the room of its list again
	own.Append(tx.TakeUndo())
	l.all = own.All(l.all)
	l.batch++
}

// bytes returns how much memory the log says that it keeps alive.
func (l *undoLog) bytes() (n int64) {
	for i := range l.all {
		n += l.all[i].Held
	}
	return n
}

// undoing returns a store that keeps undos, and their log.
func undoing(databases int) (*Store, *undoLog) {
	s, l := New(Options{Databases: databases, Seed: 1}), &undoLog{}
	s.Observe(l)
	s.KeepUndo(true)
	return s, l
}

// do runs a transaction on the whole store, with the entry of a key.
func do(s *Store, key string, f func(e *Entry)) {
	tx := whole(s, testNow)
	defer tx.End()
	e := tx.Write([]byte(key))
	f(&e)
}

// final makes everything in the log final.
func (l *undoLog) final(s *Store) {
	s.DropUndo(l.all)
	l.all = nil
}

// undo reverts everything in the log, and checks the store.
func (l *undoLog) undo(t *testing.T, s *Store, want map[string]string) {
	t.Helper()
	s.Revert(l.all)
	l.all = nil
	requireSame(t, want, dump(s), 0)
	tx := whole(s, testNow)
	defer tx.End()
	checkInvariants(t, tx)
}

func setInt(v, at int64) func(*Entry) { return func(e *Entry) { e.SetInt(v, at) } }
func setText(text string) func(e *Entry) {
	return func(e *Entry) { e.SetBytes([]byte(text), NoExpiry) }
}
func appendText(text string) func(*Entry) {
	return func(e *Entry) { e.SetRange(len(e.Bytes(nil)), []byte(text)) }
}
func zadd(members int) func(e *Entry) {
	return func(e *Entry) {
		for i := range members {
			e.ZAdd(float64(i), fmt.Append(nil, "m", i))
		}
	}
}

// TestUndoOfStrings undoes changes of integers and strings, many in one transaction.
func TestUndoOfStrings(t *testing.T) {
	s, l := undoing(1)
	for _, key := range []string{"text", "long", "gone"} {
		do(s, key, func(e *Entry) { e.SetBytes([]byte("the text of "+key), testNow/1e6+10) })
	}
	do(s, "int", setInt(1, NoExpiry))
	do(s, "short", setText("one word"))
	l.final(s)
	want := dump(s)
	do(s, "short", setText("no words"))
	tx := whole(s, testNow)
	change := func(key string, change ...func(e *Entry)) {
		for _, f := range change {
			e := tx.Write([]byte(key))
			f(&e)
		}
	}
	persist := func(e *Entry) { e.SetExpiry(NoExpiry) }
	inMiddle := func(e *Entry) { e.SetRange(4, []byte("word")) }
	remove := func(e *Entry) { e.Delete() }
	change("int", setInt(2, testNow/1e6+5), persist, setInt(3, NoExpiry))
	change("text", inMiddle, inMiddle)
	change("long", appendText(" appended"), persist, inMiddle)
	change("gone", remove, setText("back"))
	change("new", setInt(7, NoExpiry), remove, setInt(8, NoExpiry))
	tx.End()
	require.EqualValues(t, 7, l.batch)
	l.undo(t, s, want)
}

// TestUndoOfBatches undoes the newest transactions only, and makes the oldest ones final.
func TestUndoOfBatches(t *testing.T) {
	s, l := undoing(1)
	var dumps []map[string]string
	var ends []int
	for i := range 10 {
		dumps, ends = append(dumps, dump(s)), append(ends, len(l.all))
		do(s, "key", zadd(i+1))
		do(s, fmt.Sprint("key ", i%3), setInt(int64(i), NoExpiry))
	}
	s.Revert(l.all[ends[7]:])
	requireSame(t, dumps[7], dump(s), 7)
	s.DropUndo(l.all[:ends[4]])
	s.Revert(l.all[ends[4]:ends[7]])
	requireSame(t, dumps[4], dump(s), 4)
}

// TestUndoLeavesSnapshots undoes an append. The snapshot sees more of the string than the store, so the
// next append must not write there.
func TestUndoLeavesSnapshots(t *testing.T) {
	s, l := undoing(1)
	do(s, "key", setText("text"))
	do(s, "key", appendText("..............")) // makes room for more
	l.final(s)
	do(s, "key", appendText("12"))
	n, want := snapshot(t, s, testNow)
	defer n.Close()
	s.Revert(l.all)
	l.all = nil
	s.KeepUndo(false)
	do(s, "key", appendText("34"))
	requireSame(t, want, n.collect(t, func() {}), 0)
}

// TestUndoOfFlushAndSnapshot makes a flush final while a snapshot still has to read the keys.
func TestUndoOfFlushAndSnapshot(t *testing.T) {
	s, l := undoing(1)
	putInts(s, 0, 3000)
	n, want := snapshot(t, s, testNow)
	do(s, "", func(e *Entry) { e.tx.Flush() })
	l.final(s)
	putInts(s, 3000, 9000) // would take the memory of the flushed keys
	requireSame(t, want, n.collect(t, func() {}), 0)
	n.Close()
	do(s, "", func(e *Entry) { e.tx.Flush() })
	l.final(s)
	require.NoError(t, s.blocks.Check(0), "all blocks were given back")
}

// TestUndoOfFlushBeforeSnapshot undoes a flush while a snapshot runs that does not see the keys. Then it
// changes them.
func TestUndoOfFlushBeforeSnapshot(t *testing.T) {
	s, l := undoing(1)
	putInts(s, 0, 3000)
	do(s, "{t}text", setText("text"))
	l.final(s)
	want := dump(s)
	do(s, "", func(e *Entry) { e.tx.Flush() })
	n, moment := snapshot(t, s, testNow)
	l.undo(t, s, want)
	do(s, "{t}text", appendText("s"))
	putInts(s, 2000, 6000)
	requireSame(t, moment, n.collect(t, func() {}), 0)
	n.Close()
}

// TestUndoOfFlushDuringSnapshot flushes and undoes while a snapshot runs that sees the keys. Then it
// changes them.
func TestUndoOfFlushDuringSnapshot(t *testing.T) {
	s, l := undoing(1)
	putInts(s, 0, 3000)
	do(s, "{t}text", setText("text"))
	l.final(s)
	want := dump(s)
	n, moment := snapshot(t, s, testNow)
	do(s, "", func(e *Entry) { e.tx.Flush() })
	l.undo(t, s, want)
	do(s, "{t}text", appendText("s"))
	putInts(s, 2000, 6000)
	requireSame(t, moment, n.collect(t, func() {}), 0)
	n.Close()
}

// TestUndoNobodyTakes checks that an undo ends with its transaction.
func TestUndoNobodyTakes(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	s.KeepUndo(true)
	putInts(s, 0, 3000)
	do(s, "", func(e *Entry) { e.tx.Flush() })
	require.NoError(t, s.blocks.Check(0), "all blocks were given back")
}

// TestUndoOfWhatIsNoChange checks that silent and applied transactions leave no undo behind, not even
// for the transaction that follows them.
func TestUndoOfWhatIsNoChange(t *testing.T) {
	for _, silent := range []bool{true, false} {
		s, l := undoing(1)
		do(s, "set", zadd(1))
		do(s, "key", setInt(1, NoExpiry))
		l.final(s)
		apply := func(key string, f func(e *Entry)) {
			tx := whole(s, testNow)
			tx.Silent, tx.Applied = silent, !silent
			defer tx.End()
			e := tx.Write([]byte(key))
			f(&e)
		}
		apply("key", setInt(2, NoExpiry))
		apply("set", func(e *Entry) { e.ZRem([]byte("m0")) })
		require.Empty(t, l.all)
		want := dump(s)
		do(s, "other", setInt(1, NoExpiry))
		l.undo(t, s, want)

		do(s, "a", setInt(1, NoExpiry))
		do(s, "b", setInt(1, NoExpiry))
		l.all = l.all[:0]
		apply("", func(e *Entry) { e.tx.Flush() })
		require.Empty(t, l.all)
		want = dump(s)
		do(s, "b", setInt(2, NoExpiry))
		l.undo(t, s, want)
		require.NoError(t, s.blocks.Check(0), "all blocks were given back")
	}
}

// TestUndoAfterAddsOfApplied undoes a flush, since which an applied transaction has added keys.
func TestUndoAfterAddsOfApplied(t *testing.T) {
	s, l := undoing(1)
	do(s, "key", setInt(1, NoExpiry))
	l.final(s)
	want := dump(s)
	do(s, "", func(e *Entry) { e.tx.Flush() })
	tx := whole(s, testNow)
	tx.Applied = true
	e := tx.Write([]byte("{key}2"))
	e.SetInt(1, NoExpiry)
	tx.End()
	l.undo(t, s, want)
}

// TestUndoOfWatchedFlush checks that watchers and observers learn of keys that come back after a flush.
func TestUndoOfWatchedFlush(t *testing.T) {
	s, l := undoing(2)
	h := &heard{keys: map[string]bool{}, dbs: map[int]bool{}}
	s.observers = append([]Observer{h}, s.observers...)
	tx := whole(s, testNow)
	tx.Select(1)
	e := tx.Write([]byte("key"))
	e.SetInt(1, NoExpiry)
	tx.Flush()
	tx.End()
	l.final(s)
	tx = whole(s, testNow)
	tx.Select(1)
	e = tx.Write([]byte("key"))
	e.SetInt(1, NoExpiry)
	tx.End()
	tx.Begin(testNow, 1, &tx.fp)
	tx.Flush()
	tx.End()
	var w, other Watcher
	tx.Begin(testNow, 1, &tx.fp)
	tx.Watch(&w, []byte("key"))
	tx.Watch(&other, []byte("another key"))
	tx.End()
	s.Revert(l.all[1:])
	require.True(t, w.dirty.Load())
	require.False(t, other.dirty.Load())
	require.Equal(t, map[int]bool{0: true, 1: true}, h.dbs)
}

// TestUndoKeepsAccessAndExpiredKeys: a key comes back with its access clock, also if it has expired.
func TestUndoKeepsAccessAndExpiredKeys(t *testing.T) {
	s, l := undoing(1)
	do(s, "key", setText("text"))
	do(s, "tat", setInt(testNow+1e9, table.CeilMillis(testNow+1e9)))
	l.final(s)
	want := dump(s)
	tx := whole(s, testNow+100e9)
	tx.NoTouch = true
	e := tx.Write([]byte("key"))
	e.Delete()
	tx.FindIn(&e, []byte("tat"), true)
	require.True(t, e.Exists(), "it has expired, but is there")
	e.SetInt(testNow+200e9, table.CeilMillis(testNow+200e9))
	tx.End()
	l.undo(t, s, want)
	tx = whole(s, testNow+100e9)
	e = tx.Peek([]byte("key"))
	require.EqualValues(t, 100, e.Idle())
	tx.End()
	require.Zero(t, s.Counters().Expired)
}

// TestUndoBytes checks what undos say of their memory.
func TestUndoBytes(t *testing.T) {
	const large = 1_000_000
	for _, c := range []struct {
		name        string
		change      func(e *Entry)
		least, most int64
	}{
		{"an integer", setInt(2, NoExpiry), 100, 300},
		{"another value", setInt(2, NoExpiry), large, large + 1000},
		{"a string that goes", func(e *Entry) { e.Delete() }, large, large + 1000},
		{"a string that stays", func(e *Entry) { e.SetExpiry(testNow / 1e6) }, 100, 300},
		{"a string that grows", appendText("x"), 100, 300},
		{"a string that changes", func(e *Entry) { e.SetRange(0, []byte("x")); e.SetRange(1, []byte("y")) }, large, large + 1000},
		{"a few members", zadd(10), 100, 1000},
		{"a member of a compact set", func(e *Entry) { e.ZAdd(-1, []byte("x")) }, 100 * 5, 5000},
		{"a few of many members", func(e *Entry) { e.ZAdd(-1, []byte("x")); e.ZRem([]byte("m3")) }, 100, 5000},
		{"nearly all members", func(e *Entry) { e.ZRemRange(0, 19_999) }, large, 4 * large},
		{"all keys", func(e *Entry) { e.tx.Flush() }, large, 10 * large},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, l := undoing(1)
			do(s, "an integer", setInt(1, NoExpiry))
			do(s, "another value", func(e *Entry) { e.SetBytes(make([]byte, large), NoExpiry) })
			for _, key := range []string{"a string that goes", "a string that stays", "a string that grows", "a string that changes"} {
				do(s, key, func(e *Entry) { e.SetBytes(bytes.Repeat([]byte("x"), large), NoExpiry) })
			}
			do(s, "a string that grows", appendText("x")) // makes room for more
			do(s, "a member of a compact set", zadd(100))
			do(s, "a few of many members", zadd(20_000))
			do(s, "nearly all members", zadd(20_000))
			l.final(s)
			do(s, c.name, c.change)
			require.GreaterOrEqual(t, l.bytes(), c.least)
			require.LessOrEqual(t, l.bytes(), c.most)
		})
	}
}

// TestUndoOfSweeps checks that a cursor with Applied sweeps without undo, and that observers learn of it.
func TestUndoOfSweeps(t *testing.T) {
	for _, applied := range []bool{false, true} {
		s, l := undoing(1)
		h := &heard{keys: map[string]bool{}, dbs: map[int]bool{}}
		s.observers = append([]Observer{h}, s.observers...)
		do(s, "key", setInt(1, testNow/1e6+1))
		l.final(s)
		expired, _ := s.Sweep(testNow+1e9, &SweepCursor{Applied: applied}, 1<<20)
		require.Equal(t, 1, expired)
		require.Equal(t, applied, len(l.all) == 0)
		require.Equal(t, applied, h.keys["0 key"])
	}
}

// TestUndoBesideSnapshots switches undo on and off while a snapshot runs.
func TestUndoBesideSnapshots(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	l := &undoLog{}
	s.Observe(l)
	putInts(s, 0, 3000)
	n, want := snapshot(t, s, testNow)
	putInts(s, 0, 10)
	s.KeepUndo(true)
	s.KeepUndo(true)
	putInts(s, 10, 20)
	require.Len(t, l.all, 10)
	s.KeepUndo(false)
	putInts(s, 20, 3000)
	require.Len(t, l.all, 10)
	requireSame(t, want, n.collect(t, func() {}), 0)
	n.Close()
	require.Nil(t, s.partitions[0].keeper)
	require.Equal(t, []Observer{l}, s.observers)
}

// undoCount counts undos, and keeps none.
type undoCount struct {
	all   int
	list  UndoList
	undos []Undo
}

func (c *undoCount) Committed(tx *Tx, _ []Effect) {
	c.list.Reset()
	c.list.Append(tx.TakeUndo())
	c.undos = c.list.All(c.undos[:0])
	c.all += len(c.undos)
}

func TestUndoOfAnIntegerAllocatesNothing(t *testing.T) {
	s, c := New(Options{Databases: 1, Seed: 1}), &undoCount{}
	s.Observe(c)
	s.KeepUndo(true)
	keys, tx := throttleKeys(1000), s.NewTx()
	now, i := int64(testNow), 0
	write := func() {
		update(tx, keys[i%len(keys)], now)
		i, now = i+1, now+1
	}
	for range 10 * len(keys) {
		write()
	}
	require.Zero(t, testing.AllocsPerRun(10_000, write), "the room for a key serves the next one")
	require.Equal(t, 10*len(keys)+10_001, c.all)
}
