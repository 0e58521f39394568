package store

import (
	"fmt"
	"testing"
	"unsafe"

	"cellserver/store/hash"
	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// The hash of a prefetched key serves the transaction on that key, once.
func TestPrefetchedHashesAreUsedOnce(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	buffer := []byte("key:1key:2key:3key:4key:5")
	key := func(i int) []byte { return buffer[5*i : 5*i+5] }
	knows := func(key []byte) bool { return tx.hashes.later.take(key) != nil }

	tx.Prefetch(0, key(0))
	require.False(t, knows(key(1)), "another place")
	require.False(t, knows([]byte("key:1")), "another place")
	require.False(t, knows(key(0)[:4]), "another length")
	f := tx.hashes.later.take(key(0))
	require.NotNil(t, f)
	require.Equal(t, HashedKey{&key(0)[0], len(key(0)), Slot(key(0)), s.anyTable().Hash(key(0))}, *f)
	require.False(t, knows(key(0)), "it was used already")

	tx.Prefetch(0, key(1))
	tx.Prefetch(0, key(2))
	require.True(t, knows(key(2)))
	require.False(t, knows(key(1)), "its transaction would have come before")

	for i := range 5 {
		tx.Prefetch(0, key(i))
	}
	require.False(t, knows(key(0)), "there is room for four")
	require.True(t, knows(key(1)))
	tx.DropPrefetched()
	require.False(t, knows(key(2)))
}

// One call finds the object of the key two calls before, and the next one finds its value.
func TestPrefetchFindsValues(t *testing.T) {
	s := New(Options{Databases: 2})
	tx := s.NewTx()
	keys := [][]byte{[]byte("hash"), []byte("text"), []byte("number"), []byte("absent")}
	tx.BeginAll(1, 0)
	e := tx.Write(keys[0])
	e.Change(hash.Set, Operands{Value: []byte("field"), More: []byte("value")})
	c := e.Collection()
	e = tx.Write(keys[1])
	e.SetBytes([]byte("text"), NoExpiry)
	text := unsafe.SliceData(e.Bytes(nil))
	e = tx.Write(keys[2])
	e.SetInt(1, NoExpiry)
	tx.End()

	objectOf := func(db int, key []byte) unsafe.Pointer {
		tx.Prefetch(db, key)
		k := tx.hashes.later.back(0)
		for range 2 {
			tx.Prefetch(db, []byte("another"))
		}
		return k.object
	}
	require.Equal(t, [2]unsafe.Pointer(*(*[2]unsafe.Pointer)(unsafe.Pointer(&c)))[1], table.ValueAddress(objectOf(0, keys[0])))
	require.Equal(t, unsafe.Pointer(text), table.ValueAddress(objectOf(0, keys[1])))
	for _, key := range keys[2:] {
		require.Nil(t, objectOf(0, key), "%s", key)
	}
	require.Nil(t, objectOf(1, keys[0]), "the other database has no tables")
	tx.BeginAll(1, 0)
	require.Nil(t, objectOf(0, keys[0]), "another transaction has the lock")
	tx.End()
}

// A key that was prefetched while others write is found as it is.
func TestPrefetchedKeysAreFound(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	keys := make([][]byte, 5000)
	for i := range keys {
		keys[i] = []byte{byte(i), byte(i >> 8), 'k'}
	}
	for round := range int64(3) {
		for i, key := range keys {
			if i+2 < len(keys) {
				tx.Prefetch(0, keys[i+2])
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

// Prefetch reads the segment map and cells without the partition's lock, while the table grows and shrinks.
func TestPrefetchWhileOthersWrite(t *testing.T) {
	s := New(Options{Databases: 2})
	keys := make([][]byte, 3000)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "{one partition}%d", i)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tx := s.NewTx()
		for _, write := range []func(e *Entry){
			func(e *Entry) { e.SetInt(1, NoExpiry) },
			func(e *Entry) { e.Delete() },
			func(e *Entry) { e.SetBytes([]byte("text"), NoExpiry) },
			func(e *Entry) {
				e.Delete()
				e.Change(hash.Set, Operands{Value: []byte("field"), More: []byte("value")})
			},
			func(e *Entry) { e.Change(hash.Set, Operands{Value: []byte("other"), More: []byte("value")}) },
			func(e *Entry) { e.Delete() },
		} {
			for _, key := range keys {
				tx.BeginKey(1, 0, key)
				e := tx.Write(key)
				write(&e)
				tx.End()
			}
		}
	}()
	tx := s.NewTx()
	for n := 0; ; n++ {
		select {
		case <-done:
			return
		default:
			tx.Prefetch(0, keys[n%len(keys)])
		}
	}
}

// A transaction finds keys that were hashed and prefetched as usual, whether there is a key, a table or neither.
func TestExpectedKeys(t *testing.T) {
	s := New(Options{Databases: 1})
	tx := s.NewTx()
	keys := [][]byte{[]byte("{a}1"), []byte("{a}2"), []byte("{a}3")}
	var hashed []HashedKey
	for _, key := range keys {
		hashed = append(hashed, UnhashedKey(key, Slot(key)))
	}
	for n := range keys {
		tx.PrefetchKeys(0, hashed)
		tx.BeginKey(1, 0, keys[0])
		tx.PrefetchCells(0, hashed)
		for i, key := range keys {
			tx.Expect(&hashed[i])
			e := tx.Write(key)
			require.Equal(t, i < n, e.Exists())
		}
		e := tx.Write(keys[n])
		e.SetInt(1, NoExpiry)
		tx.End()
	}
	require.Equal(t, len(keys), s.Len(0))
}
