package table

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUndosComeBackInTheirOrder puts the keys of a table into a log, and the undos of the log into a list, as transactions
// and their observers do. The list must show what the table showed.
func TestUndosComeBackInTheirOrder(t *testing.T) {
	r := seeded(t)
	for range scaled(100) {
		s, log, list := newTable(^uint64(0)), &UndoLog{}, &UndoList{}
		s.db = int32(r.Intn(300))
		var want []Undo
		wholes := 0
		for range 1 + r.Intn(20) {
			for i := range r.Intn(4) {
				want = append(want, logAny(s, log, fmt.Sprint(i, " ", r.Int()), r.Intn(7), r.Int63()))
			}
			list.Append(log.Undos())
			log.End()
			if r.Intn(4) == 0 {
				u := Undo{Before: Image{DB: r.Intn(3)}, Held: 7, Whole: &Whole{}}
				list.Add(u)
				want, wholes = append(want, u), wholes+1
			}
		}
		require.Equal(t, want, list.All(nil))
		require.Equal(t, len(want) == 0, list.Empty())
		var moved UndoList
		moved.Move(list)
		moved.Append(list)
		require.Equal(t, append(want, want...), moved.All(nil))
		require.Equal(t, 2*list.Bytes(), moved.Bytes())
		require.Len(t, list.Reset(), wholes)
		require.Zero(t, list.Bytes())
		require.Empty(t, list.All(nil))
	}
}

// logAny makes a key, and tells the log that the key changes. It returns the undo to expect.
func logAny(s *standalone, log *UndoLog, name string, kind int, v int64) Undo {
	key := []byte(name)
	if kind == 0 {
		log.keepAbsent(&s.Table, key)
		log.keepAbsent(&s.Table, key) // a second change says nothing
		return Undo{Before: Image{DB: int(s.db), Key: key, ExpireAt: NoExpiry}, Held: UndoBytes + int64(len(key))}
	}
	if kind == 1 {
		key = append(key, bytes.Repeat([]byte("long"), inlineKeyMax)...)
	}
	expireAt := []int64{NoExpiry, NoExpiry, CeilMillis(v), v, NoExpiry, NoExpiry, v}[kind]
	p := s.place(key)
	if kind < 4 {
		p.SetInt(v, expireAt)
	} else {
		p.SetBytes(bytes.Repeat([]byte("text"), kind), expireAt)
	}
	p = s.place(key)
	c := p.Cell()
	c.SetAccess(uint32(v) & 0xffffff)
	u := Undo{Before: Image{DB: int(s.db), Key: key}, Access: c.Access(), Held: UndoBytes + int64(len(key))}
	s.show(&u.Before, c)
	log.keep(&s.Table, c, false)
	log.keep(&s.Table, c, true)
	if c.refers() {
		u.Held += s.objects.at(c.Int()).size()
	}
	return u
}

// TestTheRoomOfUndosIsBounded: a list keeps no more room than its owner wants.
func TestTheRoomOfUndosIsBounded(t *testing.T) {
	var l UndoList
	fill := func() {
		for range 100 {
			l.addAbsent(0, make([]byte, 10))
			l.Add(Undo{})
		}
		l.Reset()
	}
	fill()
	l.Trim(100_000, 1000)
	require.GreaterOrEqual(t, cap(l.records.packed), 1000)
	require.GreaterOrEqual(t, cap(l.others), 100)
	l.Trim(1000, 99)
	require.Zero(t, cap(l.records.packed))
	require.Zero(t, cap(l.others))
}
