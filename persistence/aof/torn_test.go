package aof

import (
	"bytes"
	"fmt"
	"testing"

	"cellserver/persistence/aof/format"
	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// forgedBatch returns a batch with a right checksum, of which a client may make a value.
func forgedBatch(t *testing.T) []byte {
	forged := append(make([]byte, format.HeaderSize), commandLines("SET x 1")...)
	require.NoError(t, format.Seal(forged))
	return forged
}

// logOfOneBatch starts a log with one batch. It returns the keys of the log, and its size.
func logOfOneBatch(t *testing.T, policy Policy) (files *fstest.Memory, l *log, keys map[string]string, end int) {
	files = memory()
	l = start(t, files, policy)
	set(l.store, "a", 1)
	l.commit()
	return files, l, map[string]string{"0 a": "string 1 until -9223372036854775808"}, len(files.Get(incr1))
}

// TestZerosAfterValuesThatLookLikeBatches has a power cut that leaves zeros for the rest of a value that a client has
// made of batches. They are no damage, wherever the zeros end.
func TestZerosAfterValuesThatLookLikeBatches(t *testing.T) {
	forged := forgedBatch(t)
	files, l, keys, end := logOfOneBatch(t, Always)
	write(l.store, now, func(tx *store.Tx) {
		for _, key := range []string{"k", "l"} {
			e := tx.Write([]byte(key))
			e.SetBytes(bytes.Repeat(forged, 60), store.NoExpiry)
		}
	})
	l.commit()
	whole := files.Get(incr1)
	for cut := (end/blockSize + 1) * blockSize; cut < len(whole); cut += blockSize {
		for _, size := range []int{cut, cut + 1, (cut + len(whole)) / 2, len(whole) - 1, len(whole), len(whole) + 4096} {
			torn := append(whole[:cut:cut], make([]byte, max(0, size-cut))...)
			kept := requireTailCut(t, torn, keys, fmt.Sprint("cut at ", cut, ", zeros to ", size))
			require.Equal(t, torn[end:], kept)
		}
	}

	// Without zeros, or with a whole batch behind it, the batch is damaged.
	last := len(whole) - 1
	set(l.store, "b", 2)
	l.commit()
	whole = bytes.Clone(files.Get(incr1))
	for _, at := range []int{end + format.HeaderSize + 3, last, end + len(format.HeaderMark), end + len(format.HeaderMark) + 12} {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		files.Put(incr1, damaged)
		_, _, err := load(t, files)
		var damage *Damage
		require.ErrorAs(t, err, &damage, at)
		require.EqualValues(t, end, damage.Offset)
	}
}

// TestDamageBeforeTheLastBatchIsNoTornTail writes bytes other than zeros anywhere before the last batch.
func TestDamageBeforeTheLastBatchIsNoTornTail(t *testing.T) {
	r := seeded(t)
	files, states := history(t, r, 8)
	whole, last := files.Get(incr1), 0
	for end := range states {
		if end < len(whole) {
			last = max(last, end)
		}
	}
	for range 300 {
		damaged, at, digits := bytes.Clone(whole), r.IntN(last), r.IntN(2) == 0
		for i := at; i < min(last, at+1+r.IntN(60)); i++ {
			damaged[i] = byte(1 + r.IntN(255))
			if digits {
				damaged[i] = byte('0' + r.IntN(10))
			}
		}
		files.Put(incr1, damaged)
		l, loaded, err := load(t, files)
		if err == nil { // a comment, or the same bytes
			require.Empty(t, loaded.Torn, "bytes from %d on", at)
			requireSame(t, states[len(whole)], contents(l.store), "bytes from", at)
		}
	}
}
