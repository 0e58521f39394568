package rdb

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cellserver/resp/resptest"
	"cellserver/store"
	"cellserver/store/hash"

	"github.com/stretchr/testify/require"
)

// withOwn returns a store whose own database has keys of two types, and whose databases have others.
func withOwn(t testing.TB) *store.Store {
	s := store.New(store.Options{Databases: 3, Seed: 1})
	write(s, store.Own, func(tx *store.Tx) {
		for _, fields := range []int{1, 3000} {
			e := tx.Write([]byte(strings.Repeat("k", fields)))
			for i := range fields {
				e.Change(hash.Set, store.Operands{Value: []byte(strings.Repeat("f", i)), More: []byte("1")})
			}
		}
		e := tx.Write([]byte("text"))
		e.SetBytes([]byte("12"), store.NoExpiry)
	})
	for _, db := range []int{0, 2} {
		write(s, db, func(tx *store.Tx) {
			e := tx.Write([]byte("k"))
			e.SetInt(7, store.NoExpiry)
		})
	}
	return s
}

// TestOwnKeysAreFacts requires that the server's own keys come back, and that a Redis loads the file without
// them.
func TestOwnKeysAreFacts(t *testing.T) {
	s := withOwn(t)
	n, err := s.Snapshot(0, nil)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, Save(&out, n, SaveOptions{}))
	require.NoError(t, Verify(bytes.NewReader(out.Bytes())))
	again := store.New(store.Options{Databases: 3, Seed: 1})
	loaded, err := Load(bytes.NewReader(out.Bytes()), again, LoadOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 5, loaded.Keys)
	require.Equal(t, contentsOf(s), contentsOf(again))
	require.Equal(t, []int{3, 1, 0, 1}, []int{again.Len(store.Own), again.Len(0), again.Len(1), again.Len(2)})

	dir := t.TempDir()
	path := filepath.Join(dir, "dump.rdb")
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
	check, err := exec.LookPath("redis-check-rdb")
	require.NoError(t, err)
	text, err := exec.Command(check, path).CombinedOutput()
	require.NoError(t, err, "%.2000s", text)
	redis := resptest.Dial(t, resptest.StartRedis(t, "--dir", dir))
	require.Equal(t, []any{"k"}, redis.Do("KEYS", "*"))
	require.Equal(t, resptest.Simple("OK"), redis.Do("SELECT", "2"))
	require.Equal(t, []any{"k"}, redis.Do("KEYS", "*"))
}

// TestDamagedFactsOfOwnKeys requires an error for each cut of such a fact.
func TestDamagedFactsOfOwnKeys(t *testing.T) {
	var whole bytes.Buffer
	s := store.New(store.Options{Databases: 1})
	write(s, store.Own, func(tx *store.Tx) {
		e := tx.Write([]byte("key"))
		e.Change(hash.Set, store.Operands{Value: []byte("field"), More: []byte("value")})
		w := NewWriter(&whole, true)
		image := e.Image()
		require.NoError(t, w.Image(&image, nil))
		require.NoError(t, w.enc.Flush())
	})
	at := bytes.Index(whole.Bytes(), []byte(ownFact)) + len(ownFact) + 1
	fact := whole.Bytes()[at:]
	fact = append(fact, 0)
	for size := range len(fact) + 1 {
		if size == len(fact)-1 {
			continue // the whole fact
		}
		var out bytes.Buffer
		w := NewWriter(&out, false)
		require.NoError(t, w.Aux(ownFact, string(fact[:size])))
		require.NoError(t, w.Finish())
		_, err := Load(&out, store.New(store.Options{Databases: 1}), LoadOptions{})
		require.Error(t, err, "%d bytes", size)
	}
}
