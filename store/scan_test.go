package store

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// scanAll scans a whole database and checks that each key comes once.
func scanAll(t *testing.T, tx *Tx, count int) map[string]bool {
	seen := map[string]bool{}
	for cursor := uint64(0); ; {
		cursor = tx.Scan(cursor, count, func(e *Entry) {
			require.False(t, seen[string(e.Key())], "each key once")
			seen[string(e.Key())] = true
		})
		if cursor == 0 {
			return seen
		}
		require.Less(t, cursor, uint64(1)<<53)
	}
}

// TestScanWhileTheTableChanges checks that a scan sees a key once if the key is there all the
// time, while segments split and merge.
func TestScanWhileTheTableChanges(t *testing.T) {
	r := seeded(t)
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	write := func(prefix string, i int, on bool) {
		e := tx.Write(fmt.Append(nil, prefix, "{tag}", i))
		if on {
			e.SetInt(1, NoExpiry)
		} else {
			e.Delete()
		}
	}
	for i := range 1000 {
		write("stays", i, true)
	}
	for round := range 2 + scaled(10) {
		seen := map[string]int{}
		for cursor := uint64(0); ; {
			cursor = tx.Scan(cursor, 10, func(e *Entry) {
				if bytes.HasPrefix(e.Key(), []byte("stays")) {
					seen[string(e.Key())]++
				}
			})
			if cursor == 0 {
				break
			}
			for range 50 {
				write("comes", r.Intn(scaled(20_000)), round%2 == 0 || r.Intn(8) == 0)
			}
		}
		require.Len(t, seen, 1000)
		for k, n := range seen {
			require.Equal(t, 1, n, k)
		}
		checkInvariants(t, tx)
	}
}

func TestRandomKeyReachesAll(t *testing.T) {
	s := New(Options{Databases: 2, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	require.Nil(t, tx.RandomKey())
	for i := range 50 {
		e := tx.Write(fmt.Append(nil, "{tag}", i))
		e.SetInt(1, NoExpiry)
	}
	e := tx.Write([]byte("expired"))
	e.SetInt(1, testNow/1e6-1)
	seen := map[string]bool{}
	for range 5000 {
		seen[string(tx.RandomKey())] = true
	}
	require.Len(t, seen, 50)
	require.False(t, seen["expired"])
}
