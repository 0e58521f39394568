package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAmongBinary: a string that begins with a zero byte shows at the other keys of its partition and database, whichever way it
// came there.
func TestAmongBinary(t *testing.T) {
	binary := []byte("\x00text")
	for name, set := range map[string]func(e Entry){
		"new":       func(e Entry) { e.SetBytes(binary, NoExpiry) },
		"room":      func(e Entry) { e.SetBytesWithRoom(binary, 8, 8, NoExpiry) },
		"overwrite": func(e Entry) { require.NotNil(t, e.overwrite(binary, 0, NoExpiry)) },
	} {
		s := New(Options{Databases: 2})
		tx := s.NewTx()
		at := func(db int, key string, f func(e Entry)) {
			var fp Footprint
			fp.AddKey([]byte(key))
			tx.Begin(1, db, &fp)
			defer tx.End()
			f(tx.Write([]byte(key)))
		}
		among := func(db int, key string) (is bool) {
			at(db, key, func(e Entry) { is = e.AmongBinary() })
			return is
		}
		at(0, "{k}text", func(e Entry) { e.SetBytes([]byte("text\x00"), NoExpiry) })
		require.False(t, among(0, "{k}other"), name)
		at(0, "{k}key", func(e Entry) {
			if name == "overwrite" {
				e.SetBytes([]byte("other"), NoExpiry)
			}
		})
		at(0, "{k}key", set)
		require.True(t, among(0, "{k}other"), name)
		require.False(t, among(1, "{k}other"), name)
		at(0, "{k}copy", func(e Entry) {
			from := tx.Write([]byte("{k}key"))
			tx.Select(1)
			from.CopyTo(1, []byte("{k}copy"))
		})
		require.True(t, among(1, "{k}other"), name)
	}
}

// TestAmongBinaryMoves: SWAPDB takes the fact to the other database with the strings, and FLUSHDB ends it.
func TestAmongBinaryMoves(t *testing.T) {
	s := New(Options{Databases: 2})
	tx := s.NewTx()
	at := func(db int, f func(e Entry)) {
		tx.BeginAll(1, db)
		defer tx.End()
		f(tx.Write([]byte("{k}key")))
	}
	among := func(db int) (is bool) {
		at(db, func(e Entry) { is = e.AmongBinary() })
		return is
	}
	at(0, func(e Entry) { e.SetBytes([]byte("\x00text"), NoExpiry) })
	at(0, func(Entry) { tx.Swap(0, 1) })
	require.False(t, among(0))
	require.True(t, among(1))
	at(1, func(Entry) { tx.Flush() })
	require.False(t, among(1))
}
