package reservation

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// appendOld appends a record as the older version did.
func appendOld(to []byte, r *Record) []byte {
	to = binary.LittleEndian.AppendUint16(to, uint16(oldMarksAt+len(r.Marks)*markBytes+len(r.Scopes)+len(r.ID)))
	flags := flag(r.Settled, oldSettled) | flag(r.Reserved.Limited, oldLimited) | flag(r.Real.Limited, oldRealLimited) |
		flag(r.Releases, oldReleases) | flag(len(r.Scopes) > 0, oldScopes)
	to = append(to, flags, byte(len(r.ID)), byte(len(r.Marks)))
	for _, n := range [...]int64{int64(r.Hash), r.At, r.End, r.Quantity,
		r.Reserved.Limit, r.Reserved.Remaining, r.Reserved.RetryAfter, r.Reserved.ResetAfter,
		r.Real.Limit, r.Real.Remaining, r.Real.RetryAfter, r.Real.ResetAfter} {
		to = binary.LittleEndian.AppendUint64(to, uint64(n))
	}
	for _, m := range r.Marks {
		to = append(binary.LittleEndian.AppendUint32(to, m.Limit), flag(m.IsTime, 1))
		to = binary.LittleEndian.AppendUint64(to, uint64(m.Value))
		to = binary.LittleEndian.AppendUint64(to, uint64(m.Period))
	}
	return append(append(to, r.Scopes...), r.ID...)
}

// TestOldBuckets: all records of a bucket of the older version are found, also after a step of the clock.
func TestOldBuckets(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 200 {
		old, n := []byte(oldHeader), 1+r.IntN(MaxRecords)
		var want []*Record
		for i := range n {
			one := random(r, fmt.Sprint("id", i), 1+r.Int64N(1e15))
			want, old = append(want, one), appendOld(old, one)
		}
		require.True(t, Is(old))
		for i, one := range want {
			var got Record
			found, err := Find(&got, Numbered, Renew(old), one.Hash, one.ID, one.End-1)
			require.NoError(t, err)
			require.True(t, found.OK)
			require.Equal(t, i, found.Position)
			require.Equal(t, *one, got)
		}
		_, err := Find(new(Record), Numbered, old, 1, []byte("id"), 0)
		require.ErrorIs(t, err, ErrNoBucket)
	}
}

// TestAnOldBucket: the bytes of an older version, with RELEASE, an id of two bytes and one mark.
func TestAnOldBucket(t *testing.T) {
	old, err := hex.DecodeString("007265736572766174696f6e7301" + // the header
		"7c0008020105000000000000000700000000000000e8030000000000002a00000000000000" + // 124 bytes
		strings.Repeat("00", 64) + "0900000001" + "e703000000000000" + "0a00000000000000" + "6964")
	require.NoError(t, err)
	var got Record
	found, err := Find(&got, Numbered, Renew(old), 5, []byte("id"), 8)
	require.NoError(t, err)
	require.True(t, found.OK)
	require.Equal(t, Record{ID: []byte("id"), Hash: 5, At: 7, End: 1000, Quantity: 42, Releases: true, Marks: []Mark{{9, true, 999, 10}}}, got)
}

// FuzzOldBucket: no bytes make the functions panic, and these always return a bucket of this version.
func FuzzOldBucket(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	bucket := appendOld(appendOld([]byte(oldHeader), random(r, "a", 10)), random(r, "bc", 20))
	f.Add(bucket)
	f.Add(bucket[:len(bucket)-1])
	f.Fuzz(func(t *testing.T, old []byte) {
		if !IsOld(old) {
			return
		}
		require.True(t, isNew(Renew(old)))
	})
}
