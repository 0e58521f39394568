package entry

import (
	"bytes"
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func set(s *store.Store, key string, value int64) {
	tx := s.NewTx()
	var fp store.Footprint
	fp.AddKey([]byte(key))
	tx.Begin(0, 0, &fp)
	defer tx.End()
	e := tx.Write([]byte(key))
	e.SetInt(value, store.NoExpiry)
}

func get(s *store.Store, key string) int64 {
	tx := s.NewTx()
	var fp store.Footprint
	fp.AddKey([]byte(key))
	tx.Begin(0, 0, &fp)
	defer tx.End()
	e := tx.Write([]byte(key))
	if !e.Exists() {
		return -1
	}
	return e.Int()
}

func newStore() *store.Store { return store.New(store.Options{Databases: 1, Seed: 1}) }

func TestASnapshotHasWhatIsCommitted(t *testing.T) {
	s := newStore()
	set(s, "same", 1)
	set(s, "changed", 3)
	set(s, "new", 4)
	facts := Facts{Cluster: [20]byte{1}, Index: 10, Term: 3, Batch: 7, Time: 99, Level: 5, Nodes: [][]byte{[]byte("one"), []byte("two")}, Gone: []string{"three"}}
	snapshot, err := s.Snapshot(0, func() {})
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, SaveImage(&file, snapshot, facts, Committed{
		{DB: 0, Name: "changed"}: {Kind: store.Int, Key: []byte("changed"), Int: 2, ExpireAt: store.NoExpiry},
		{DB: 0, Name: "new"}:     {Kind: store.None, Key: []byte("new")},
		{DB: 0, Name: "removed"}: {Kind: store.Int, Key: []byte("removed"), Int: 5, ExpireAt: store.NoExpiry},
	}))

	loaded := newStore()
	got, err := LoadImage(bytes.NewReader(file.Bytes()), loaded, facts.Cluster)
	require.NoError(t, err)
	require.Equal(t, facts, got)
	for key, want := range map[string]int64{"same": 1, "changed": 2, "new": -1, "removed": 5} {
		require.Equal(t, want, get(loaded, key), key)
	}

	_, err = LoadImage(bytes.NewReader(file.Bytes()), newStore(), [20]byte{2})
	require.ErrorContains(t, err, "it is of cluster 01")
	_, err = LoadImage(bytes.NewReader(file.Bytes()[:file.Len()-12]), newStore(), facts.Cluster)
	require.Error(t, err)
	for _, fact := range []string{factCluster, factGroups, factTime, factEntry, factLevel} {
		other := bytes.Replace(file.Bytes(), []byte(fact), bytes.Repeat([]byte("x"), len(fact)), 1)
		clear(other[len(other)-8:]) // 0 is the checksum of a file without one
		_, err = LoadImage(bytes.NewReader(other), newStore(), facts.Cluster)
		require.ErrorContains(t, err, "it is not the snapshot of a cluster", fact)
	}
}
