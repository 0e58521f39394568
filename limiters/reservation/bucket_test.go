package reservation

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// random returns a record with an id and an end.
func random(r *rand.Rand, id string, end int64) *Record {
	n := func() int64 { return int64(r.Uint64()) }
	one := &Record{ID: []byte(id), Hash: uint64(len(id)), At: n(), End: end, Quantity: n(), Settled: r.IntN(2) == 0, Releases: r.IntN(2) == 0,
		Reserved: Numbers{r.IntN(2) == 0, n(), n(), n(), n()}, Real: Numbers{r.IntN(2) == 0, n(), n(), n(), n()}}
	if !one.Settled {
		one.Real = Numbers{}
	}
	for range r.IntN(MaxMarks + 1) {
		one.Marks = append(one.Marks, Mark{r.Uint32(), r.IntN(2) == 0, n(), n()})
	}
	for range r.IntN(MaxMarks + 1) {
		one.Scopes = AppendScope(one.Scopes, strings.Repeat("s", r.IntN(65)))
	}
	return one
}

// TestScopes: a record keeps the names, also the empty one. Bytes that are no names are no record.
func TestScopes(t *testing.T) {
	var scopes []byte
	want := []string{"org", "", strings.Repeat("x", 255)}
	for _, name := range want {
		scopes = AppendScope(scopes, name)
	}
	for i, name := range EachScope(scopes) {
		require.Equal(t, want[i], string(name))
	}
	one := &Record{ID: []byte("id"), End: 9, Scopes: scopes}
	var got Record
	require.True(t, entry(one.AppendEntry(nil)).read(&got))
	for range MaxMarks - len(want) {
		one.Scopes = AppendScope(one.Scopes, "")
	}
	require.True(t, entry(one.AppendEntry(nil)).read(&got))
	for _, wrong := range [][]byte{{5}, {0, 3, 'a'}, AppendScope(one.Scopes, "")} {
		require.False(t, entry((&Record{ID: []byte("id"), End: 9, Scopes: wrong}).AppendEntry(nil)).read(&got))
	}
}

// TestBuckets compares a bucket with a map, under random changes.
func TestBuckets(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 300 {
		var bucket []byte
		model, now := map[string]*Record{}, int64(0)
		for range 60 {
			now += r.Int64N(3)
			id := fmt.Sprint("id", r.IntN(30))
			if r.IntN(2) == 0 {
				one := random(r, id, now+1+r.Int64N(40))
				next, last, err := Put(nil, Shared, bucket, one, now)
				require.NoError(t, err)
				model[id], bucket = one, next
				latest := int64(0)
				for _, m := range model {
					latest = max(latest, m.End)
				}
				require.Equal(t, latest, last)
			}
			var got Record
			f, err := Find(&got, Shared, bucket, uint64(len(id)), []byte(id), now)
			require.NoError(t, err)
			want := model[id]
			require.Equal(t, want != nil && now < want.End, f.OK)
			if f.OK {
				require.Equal(t, *want, got)
			}
			if f.OK && !got.Settled {
				want.Settled, want.Real = true, random(r, id, 0).Real
				bucket = append(bucket, AppendSettlement(nil, f.Position, &want.Real)...)
			}
			for id, m := range model {
				if now >= m.End {
					delete(model, id)
				}
			}
		}
	}
}

func TestBucketIsBounded(t *testing.T) {
	r := rand.New(randtest.Source(t))
	var bucket []byte
	for i := range MaxRecords {
		bucket, _, _ = Put(nil, Shared, bucket, random(r, fmt.Sprint(i), 100), 1)
	}
	_, _, err := Put(nil, Shared, bucket, random(r, "more", 100), 99)
	require.ErrorIs(t, err, ErrFull)
	_, _, err = Put(nil, Shared, bucket, random(r, "7", 100), 99)
	require.NoError(t, err)
	next, _, err := Put(nil, Shared, bucket, random(r, "more", 200), 100)
	require.NoError(t, err)
	require.Less(t, len(next), formBytes+longestEntry+settlementBytes)
}

// FuzzBucket: no bytes panic, and a record that is found gives the same bytes when it is put again.
func FuzzBucket(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	bucket, _, _ := Put(nil, Shared, nil, random(r, "a", 10), 0)
	bucket, _, _ = Put(nil, Shared, bucket, random(r, "bc", 20), 0)
	f.Add(bucket, "a")
	f.Add([]byte("text"), "a")
	f.Add([]byte(Shared+"\xff\xff"), "")
	f.Fuzz(func(t *testing.T, bucket []byte, id string) {
		var one, again Record
		found, err := Find(&one, Shared, bucket, uint64(len(id)), []byte(id), 0)
		if err != nil || !found.OK {
			return
		}
		next, _, err := Put(nil, Shared, bucket, &one, 0)
		if err != nil {
			return
		}
		found, err = Find(&again, Shared, next, uint64(len(id)), []byte(id), 0)
		require.NoError(t, err)
		require.True(t, found.OK)
		require.Equal(t, one, again)
		require.False(t, bytes.Equal(next, nil))
	})
}

// TestBytesAfterABucket: if somebody else has added bytes, a settlement after them would not be found, and could be repeated.
func TestBytesAfterABucket(t *testing.T) {
	r := random(rand.New(randtest.Source(t)), "id", 100)
	bucket, _, err := Put(nil, Shared, nil, r, 0)
	require.NoError(t, err)
	var got Record
	for _, more := range []string{"x", "\x03\x00\x01", "\x04\x00\xff\x00", "\xff\xff\x01\x00\x00"} {
		changed := append(bytes.Clone(bucket), more...)
		_, err := Find(&got, Shared, changed, r.Hash, r.ID, 0)
		require.ErrorIs(t, err, ErrNoBucket)
		changed, _, err = Put(nil, Shared, changed, r, 0)
		require.NoError(t, err)
		require.Equal(t, bucket, changed, "the next record drops them")
	}
	changed := bytes.Clone(bucket)
	for range MaxRecords {
		changed = append(changed, bucket[formBytes:]...)
	}
	_, err = Find(&got, Shared, changed, r.Hash, r.ID, 0)
	require.ErrorIs(t, err, ErrNoBucket, "too many records")
}
