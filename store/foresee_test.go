package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What was foreseen serves the transaction after the next, and no other.
func TestForesee(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	buffer := []byte("key:1key:2")
	one, two := buffer[:5], buffer[5:]
	tx.Foresee(0, two)
	require.False(t, tx.soon.is(two), "one transaction comes before")
	tx.Foresee(0, one)
	require.True(t, tx.soon.is(two))
	require.Equal(t, Slot(two), tx.soon.slot)
	tx.soon.slot++ // a mark that shows where it is used
	require.Equal(t, Slot(two)+1, tx.slot(two))
	require.Equal(t, Slot(one), tx.slot(one), "another key")
	require.Equal(t, Slot(two), tx.slot([]byte("key:2")), "another place")
	require.Equal(t, Slot([]byte("key:")), tx.slot(two[:4]), "another length")
	tx.Foresee(0, nil)
	require.False(t, tx.soon.is(two))
	require.True(t, tx.soon.is(one))
	tx.ForgetForeseen()
	require.False(t, tx.soon.is(one))
	tx.Foresee(0, nil)
	require.False(t, tx.soon.is(nil), "no key is not foreseen")
}

// A key that is foreseen while others write is found as it is.
func TestForeseenKeysAreFound(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	keys := make([][]byte, 5000)
	for i := range keys {
		keys[i] = []byte{byte(i), byte(i >> 8), 'k'}
	}
	for round := range int64(3) {
		for i, key := range keys {
			if i+1 < len(keys) {
				tx.Foresee(0, keys[i+1])
			} else {
				tx.Foresee(0, nil)
			}
			tx.BeginKey(1, 0, key)
			e := tx.Write(key)
			require.Equal(t, round, e.Int())
			e.SetInt(round+1, NoExpiry)
			tx.End()
		}
	}
	require.Equal(t, len(keys), s.Len(0))
}
