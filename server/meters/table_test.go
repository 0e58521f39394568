package meters

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"cellserver/limiters/adaptive"

	"github.com/stretchr/testify/require"
)

// begun is a window that has begun.
func begun(samples int) *adaptive.Meter {
	return &adaptive.Meter{End: 1, Samples: int32(samples)}
}

// at returns the window of a key, and its place.
func (t *Table) at(db int, key []byte, place int) (m adaptive.Meter, now int) {
	at := adaptive.Place{Number: place}
	t.Get(&m, db, key, &at)
	return m, at.Number
}

// of returns the window of a key of database 0.
func (t *Table) of(key []byte) adaptive.Meter {
	m, _ := t.at(0, key, 0)
	return m
}

// keep keeps the window of a key.
func (t *Table) keep(db int, key []byte, m *adaptive.Meter, ended *adaptive.Ended) {
	var at adaptive.Place
	t.Get(&adaptive.Meter{}, db, key, &at)
	t.Put(m, db, key, &at, ended)
}

func (t *Table) size() (n int) {
	for i := range t.parts {
		n += len(t.parts[i].at)
	}
	return n
}

// TestTable keeps the windows of keys by database.
func TestTable(t *testing.T) {
	all := New()
	require.Zero(t, all.of([]byte("k")).End)
	all.keep(0, []byte("k"), begun(1), &adaptive.Ended{})
	all.keep(1, []byte("k"), begun(2), &adaptive.Ended{})
	require.EqualValues(t, 1, all.of([]byte("k")).Samples)
	two, _ := all.at(1, []byte("k"), 0)
	require.EqualValues(t, 2, two.Samples)
	all.Forget()
	require.Zero(t, all.of([]byte("k")).End)
}

// TestTableIsBounded: more keys than the table has places evict others, and a key in use stays.
func TestTableIsBounded(t *testing.T) {
	all := New()
	for i := range 10 * Keys {
		all.keep(0, fmt.Append(nil, i), begun(i), &adaptive.Ended{})
		require.EqualValues(t, 0, all.of([]byte("0")).Samples)
		require.NotZero(t, all.of([]byte("0")).End, "%d", i)
	}
	require.Equal(t, Keys, all.size())
	for i := range all.parts {
		require.Len(t, all.parts[i].at, partKeys)
	}
}

// TestTableOfLongKeys: the table keeps a part of a long key, and knows it from others that begin as it does.
func TestTableOfLongKeys(t *testing.T) {
	all, begin := New(), bytes.Repeat([]byte("x"), 1<<20)
	one, two := append(bytes.Clone(begin), '1'), append(bytes.Clone(begin), '2')
	all.keep(0, one, begun(1), &adaptive.Ended{})
	all.keep(0, two, begun(2), &adaptive.Ended{})
	all.keep(0, begin[:longestKey], begun(3), &adaptive.Ended{})
	require.EqualValues(t, 1, all.of(one).Samples)
	require.EqualValues(t, 2, all.of(two).Samples)
	require.EqualValues(t, 3, all.of(begin[:longestKey]).Samples)
	require.Equal(t, 3, all.size())
	for i := range all.parts {
		for one := range all.parts[i].at {
			require.LessOrEqual(t, len(one.key), longestKey+8)
		}
	}
	for _, row := range all.MostRefused(Keys) {
		require.Equal(t, string(begin[:longestKey]), row.Key)
	}
}

// TestTableOneMore: one more key than a part has places evicts one.
func TestTableOneMore(t *testing.T) {
	var p part
	for i := range partKeys + 1 {
		r := &row{name: name{0, fmt.Sprint(i)}}
		r.used.Store(true)
		p.add(r)
		require.Len(t, p.at, min(i+1, partKeys))
	}
	require.Len(t, p.at, partKeys)
}

// TestTableByMany: many goroutines use keys of their own at once.
func TestTableByMany(t *testing.T) {
	all := New()
	all.Watch([]string{"0", "1"})
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			key := fmt.Append(nil, g)
			for i := range 1000 {
				m := all.of(key)
				m.End, m.Denied = 1, m.Denied+int64(g)
				all.keep(0, key, &m, &adaptive.Ended{Result: adaptive.Grew, At: int64(i) * 1e9})
				all.MostRefused(10)
			}
		})
	}
	wait.Wait()
	top := all.MostRefused(2)
	require.Equal(t, []string{"3", "2"}, []string{top[0].Key, top[1].Key})
	require.EqualValues(t, 3000, top[0].Meter.Denied)
}

// TestWatched: totals and the last hour of the listed keys.
func TestWatched(t *testing.T) {
	all := New()
	all.Watch([]string{"a", "b"})
	m := begun(0)
	m.Last = 20e6
	for i := range int64(5000) {
		all.keep(0, []byte("a"), m, &adaptive.Ended{
			Result: adaptive.Held, At: i * 1e9, Limit: i, Base: 10e6, Drops: 1, Refused: 2,
		})
		all.keep(1, []byte("a"), m, &adaptive.Ended{Result: adaptive.Fell, At: i * 1e9})
		all.keep(0, []byte("c"), m, &adaptive.Ended{Result: adaptive.Fell, At: i * 1e9})
	}
	all.Watch([]string{"b", "a"})
	list := all.WatchedKeys()
	require.Equal(t, "b", list[0].Key)
	one := list[1]
	require.Equal(t, []int64{5000, 10000, 5000, 0}, []int64{one.Drops, one.Refused, one.Windows[adaptive.Held], one.Windows[adaptive.Fell]})
	require.Len(t, one.Points, points)
	require.Equal(t, Point{4999e9, 4999, 0, 10e6, 20e6, 40}, one.Points[points-1])
	require.EqualValues(t, 1499, one.Points[0].Limit)
	all.Watch(nil)
	require.Empty(t, all.WatchedKeys())
}

// TestTablePlaces: a place is only where a search begins. That of another key, or of another time, does no harm.
func TestTablePlaces(t *testing.T) {
	all := New()
	for i := range 100 {
		all.keep(0, fmt.Append(nil, i), begun(i), &adaptive.Ended{})
	}
	_, place := all.at(0, []byte("7"), 0)
	for i := range 100 {
		m, found := all.at(0, fmt.Append(nil, i), place)
		require.EqualValues(t, i, m.Samples)
		require.Equal(t, i == 7, found == place)
		m, _ = all.at(1, fmt.Append(nil, i), place)
		require.Zero(t, m)
	}
	all.Forget()
	m, _ := all.at(0, []byte("7"), place)
	require.Zero(t, m)
}

// TestTableLostPlace: a window whose row another key has taken between Get and Put is lost, and changes no
// other window.
func TestTableLostPlace(t *testing.T) {
	all := New()
	all.keep(0, []byte("k"), begun(1), &adaptive.Ended{})
	var m adaptive.Meter
	var at adaptive.Place
	all.Get(&m, 0, []byte("k"), &at)
	for i := range 10 * Keys {
		all.keep(0, fmt.Append(nil, i), begun(7), &adaptive.Ended{})
	}
	all.Put(begun(2), 0, []byte("k"), &at, &adaptive.Ended{})
	require.Zero(t, all.of([]byte("k")))
	for _, one := range all.MostRefused(Keys) {
		require.EqualValues(t, 7, one.Meter.Samples, one.Key)
	}
}

// TestTableWithoutKeys: a server without adaptive limits has no memory for windows, and a question about a
// key takes none.
func TestTableWithoutKeys(t *testing.T) {
	all := New()
	m, _ := all.at(0, []byte("k"), 0)
	require.Zero(t, m)
	require.Empty(t, all.MostRefused(10))
	for i := range all.parts {
		require.Nil(t, all.parts[i].at)
		require.Nil(t, all.parts[i].rows.Load())
	}
	require.LessOrEqual(t, unsafe.Sizeof(*all), uintptr(2<<10))
}
