package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// undoLog takes the undos of all transactions, as a log does that may not commit.
type undoLog struct {
	all   []Undo
	ends  []int // where the undos of each transaction end
	batch uint64
}

func (l *undoLog) Committed(tx *Tx, _ []Effect) {
	taken := tx.TakeUndo()
	if tx.Applied {
		return
	}
	l.batch++
	for i := range taken {
		taken[i].Batch = l.batch
	}
	l.all = append(l.all, taken...)
	l.ends = append(l.ends, len(l.all))
}

// undoing returns a store that keeps undos, and their log.
func undoing(databases int) (*Store, *undoLog) {
	s, l := New(Options{Databases: databases, Seed: 1}), &undoLog{}
	s.Observe(l)
	s.KeepUndo(true)
	return s, l
}

// TestRevertStrings undoes changes of integers and strings, one transaction for all.
func TestRevertStrings(t *testing.T) {
	s, l := undoing(1)
	tx := whole(s, testNow)
	for _, key := range []string{"int", "text", "long", "gone"} {
		e := tx.Write([]byte(key))
		e.SetBytes([]byte("the text of "+key), testNow/1e6+10)
	}
	e := tx.Write([]byte("int"))
	e.SetInt(1, NoExpiry)
	tx.End()
	s.DropUndo(l.all)
	l.all = nil
	want := contents(s)

	tx = whole(s, testNow)
	change := func(key string, f func(e *Entry)) {
		e := tx.Write([]byte(key))
		f(&e)
	}
	change("int", func(e *Entry) { e.SetInt(2, testNow/1e6+5); e.SetExpiry(NoExpiry); e.SetInt(3, NoExpiry) })
	change("text", func(e *Entry) { e.SetRange(4, []byte("word")); e.SetRange(4, []byte("WORD")) })
	change("long", func(e *Entry) { e.SetRange(16, []byte("appended")); e.SetExpiry(NoExpiry) })
	change("gone", func(e *Entry) { e.Delete(); e.SetBytes([]byte("back"), NoExpiry) })
	change("new", func(e *Entry) { e.SetInt(7, NoExpiry); e.Delete(); e.SetInt(8, NoExpiry) })
	tx.End()
	require.NotEqual(t, want, contents(s))
	s.Revert(l.all)
	requireSame(t, want, contents(s), 0)
	tx = whole(s, testNow)
	checkInvariants(t, tx)
	tx.End()
}
