package aof

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"cellserver/persistence/aof/format"
	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// startLanes is start as on four processors.
func startLanes(t *testing.T) *log {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	l := start(t, memory(), EverySecond)
	require.Len(t, l.journal.lanes, 16)
	return l
}

// keysOfLanes returns a key for each lane.
func keysOfLanes(lanes int) [][]byte {
	keys := make([][]byte, lanes)
	for i, found := 0, 0; found < lanes; i++ {
		key := fmt.Append(nil, "key:", i)
		if lane := store.PartitionOf(store.Slot(key)) % lanes; keys[lane] == nil {
			keys[lane] = key
			found++
		}
	}
	return keys
}

// setOne gives a key an integer, in a transaction on its partition alone.
func setOne(tx *store.Tx, db int, key []byte, n int64) {
	tx.BeginKey(now, db, key)
	defer tx.End()
	e := tx.Write(key)
	e.SetInt(n, store.NoExpiry)
}

// TestNoLockOfAllChanges: no change of one partition or of two waits for those of others, and none of them
// waits for the leader.
func TestNoLockOfAllChanges(t *testing.T) {
	l := startLanes(t)
	keys := keysOfLanes(len(l.journal.lanes))
	tx := l.store.NewTx()
	for held := range keys {
		l.journal.lanes[held].mu.Lock()
		for lane, key := range keys {
			if lane != held {
				setOne(tx, 0, key, int64(held))
			}
			if next := (lane + 1) % len(keys); held != 0 && lane != held && next != held {
				tx.Begin(now, 1, footprint(key, keys[next]))
				e := tx.Write(key)
				e.SetInt(int64(held), store.NoExpiry)
				tx.End()
			}
		}
		l.journal.lanes[held].mu.Unlock()
	}
	l.commit()
	l.journal.Stop()
	again, _, err := load(t, l.files)
	require.NoError(t, err)
	requireSame(t, contents(l.store), contents(again.store))
}

// TestLanesKeepTheOrder makes random changes of one key, of two keys, and of all. After each write, the files
// have all changes.
func TestLanesKeepTheOrder(t *testing.T) {
	l := startLanes(t)
	r := seeded(t)
	for round := range 60 {
		for range r.IntN(20) {
			l.changeSome(r)
		}
		if round%20 == 19 {
			l.switchFile()
		}
		l.commit()
		again, _, err := load(t, l.files)
		require.NoError(t, err)
		requireSame(t, contents(l.store), contents(again.store), round)
	}
	l.journal.Stop()
	require.NoError(t, l.err)
}

// changeSome changes one key, two keys, or any.
func (l *log) changeSome(r *rand.Rand) {
	tx, from, to := l.store.NewTx(), randomKey(r), randomKey(r)
	switch r.IntN(10) {
	case 0:
		write(l.store, now, func(tx *store.Tx) { randomWrite(r, tx) })
	case 1, 2:
		tx.Begin(now, r.IntN(3), footprint(from, to))
		defer tx.End()
		e := tx.Write(from)
		if e.Exists() && string(from) != string(to) {
			e.Rename(to)
		} else {
			e.SetBytes([]byte("new"), store.NoExpiry)
		}
	default:
		setOne(tx, r.IntN(3), from, r.Int64())
	}
}

func footprint(keys ...[]byte) *store.Footprint {
	var fp store.Footprint
	for _, key := range keys {
		fp.AddKey(key)
	}
	return &fp
}

// TestAWriteIsOneMoment has goroutines change one lane after the other. After each batch of the file, no change
// is there without those before it.
func TestAWriteIsOneMoment(t *testing.T) {
	l := startLanes(t)
	keys := keysOfLanes(len(l.journal.lanes))
	var running sync.WaitGroup
	for db := range 3 {
		running.Go(func() {
			tx := l.store.NewTx()
			for n := range int64(1000) {
				for _, key := range keys {
					setOne(tx, db, key, n)
				}
				l.journal.Wait(0)
			}
		})
	}
	running.Wait()
	l.journal.Stop()
	var last [3]string // by database: the key that changed last, and its value
	db, changes := 0, 0
	for _, batch := range batchesOf(t, l.files.(*fstest.Memory)) {
		seen := [3]map[string]bool{{}, {}, {}}
		for _, args := range batch {
			if string(args[0]) == "SELECT" {
				db = int(args[1][0] - '0')
				continue
			}
			seen[db][string(args[1])+" "+string(args[2])] = true
			changes++
		}
		for db := range seen {
			last[db] = requireNext(t, keys, last[db], seen[db])
		}
	}
	require.Equal(t, 3*1000*len(keys), changes)
}

// requireNext requires that the changes of one goroutine follow the last one. It returns the last of them.
func requireNext(t *testing.T, keys [][]byte, last string, seen map[string]bool) string {
	key, n := len(keys)-1, int64(-1)
	if last != "" {
		_, err := fmt.Sscan(last, &key, &n)
		require.NoError(t, err)
	}
	for range seen {
		if key++; key == len(keys) {
			key, n = 0, n+1
		}
		require.Contains(t, seen, fmt.Sprintf("%s %d", keys[key], n))
	}
	return fmt.Sprint(key, n)
}

// TestLargeBuffersAreNotKept: a large change leaves no large buffer behind, though a change of two partitions
// has moved it to another lane.
func TestLargeBuffersAreNotKept(t *testing.T) {
	l := startLanes(t)
	keys, large := keysOfLanes(len(l.journal.lanes)), bytes.Repeat([]byte("v"), 1<<20)
	tx := l.store.NewTx()
	for _, first := range []bool{false, true} { // is the lane 0 empty?
		for i, key := range keys {
			if first {
				setOne(tx, 0, keys[0], 1)
			}
			write(l.store, now, func(tx *store.Tx) {
				e := tx.Write(key)
				e.SetBytes(large[:1000*(i+1)], store.NoExpiry)
			})
			tx.BeginKey(now, 0, key)
			e := tx.Write(key)
			e.SetBytes(large, store.NoExpiry)
			tx.End()
			set(l.store, "all", int64(i))
			l.commit()
			kept := cap(l.journal.joined)
			for i := range l.journal.lanes {
				kept += cap(l.journal.lanes[i].enc.buf) + cap(l.journal.lanes[i].spare)
			}
			require.LessOrEqual(t, kept, 3*maxSpare)
		}
	}
	again, _, err := load(t, l.files)
	require.NoError(t, err)
	requireSame(t, contents(l.store), contents(again.store))
}

// batchesOf returns the commands of each batch of the only file of changes.
func batchesOf(t *testing.T, files *fstest.Memory) (all [][][][]byte) {
	raw := files.Get(parent + "/appendonlydir/appendonly.aof.1.incr.aof")
	for len(raw) > 0 {
		_, size, err := format.ParseHeader(raw)
		require.NoError(t, err)
		rest := raw[format.HeaderSize : format.HeaderSize+size]
		raw = raw[format.HeaderSize+size:]
		var batch [][][]byte
		for len(rest) > 0 {
			if rest[0] == '#' { // the time
				rest = rest[bytes.IndexByte(rest, '\n')+1:]
				continue
			}
			args, n, err := format.ParseCommand(rest, nil)
			require.NoError(t, err)
			batch, rest = append(batch, args), rest[n:]
		}
		all = append(all, batch)
	}
	return all
}
