package cluster

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cellserver/persistence/fs"
	"cellserver/persistence/rdb"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// recovery returns the recovery of a stopped machine.
func (m *machine) recovery() *Recovery {
	return &Recovery{
		Disk: DiskOptions{FS: fs.OS{}, Dir: filepath.Join(m.dir, "raft"), BootID: "boot"}, Store: store.New(store.Options{Databases: 2, Seed: 1}),
		Self: m.at(), Now: m.wall(), Log: slog.New(slog.DiscardHandler),
	}
}

// A power cut of all nodes leaves nobody who may vote, and each node says so. One of them goes on with what it has, and the
// others join it as new nodes.
func TestRecoveryAfterTheLossOfAMajority(t *testing.T) {
	for name, powerCut := range map[string]bool{"power cut of all": true, "two disks lost": false} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 3, func(w *world) {
				w.form(w.machines...)
				require.NoError(t, w.leader().set("a", 1))
				require.NoError(t, w.leader().group.Load().TakeSnapshot())
				require.NoError(t, w.leader().set("b", 2))
				w.awaitKey("b", 2)
				for _, m := range w.machines {
					m.stop()
				}
				m := w.machines[0]
				if powerCut {
					for _, m := range w.machines {
						m.loseClean()
						m.boot++
						m.start(w.machines...)
					}
					require.ErrorContains(t, <-m.Refused(), "--cluster-recover")
					for _, m := range w.machines {
						m.stop()
					}
				}
				found, err := m.recovery().FromDisk()
				require.NoError(t, err)
				require.Contains(t, found, "up to entry")
				for _, other := range w.machines[1:] {
					require.NoError(t, os.RemoveAll(filepath.Join(other.dir, "raft")))
				}
				m.start(w.machines...)
				w.eventually("it does not lead", func() bool { return m.Epoch() != 0 })
				require.NoError(t, m.set("c", 3))
				for _, other := range w.machines[1:] {
					other.start(w.machines...)
				}
				w.awaitVoters(w.machines...)
				for key, value := range map[string]int64{"a": 1, "b": 2, "c": 3} {
					w.awaitKey(key, value)
				}
				m.stop()
				require.NoError(t, w.leader().set("d", 4))
				m.start(w.machines...)
				w.awaitVoters(w.machines...)
				w.awaitKey("d", 4)
			})
		})
	}
}

// An RDB file becomes the keys of a new cluster.
func TestImport(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		m := w.machines[0]
		_, err := m.recovery().FromDisk()
		require.ErrorIs(t, err, errNothing)
		take := func(file []byte) error {
			r := m.recovery()
			return r.From(func() error {
				_, err := rdb.Load(bytes.NewReader(file), r.Store, rdb.LoadOptions{Now: r.Now})
				return err
			})
		}
		require.Error(t, take([]byte("no file of keys")))
		require.NoError(t, take(dump(t)))
		require.ErrorContains(t, take(dump(t)), "move it away first")
		m.start(w.machines...)
		w.eventually("it does not lead", func() bool { return m.Epoch() != 0 })
		for _, other := range w.machines[1:] {
			other.start(w.machines...)
		}
		w.awaitVoters(w.machines...)
		w.awaitKey("imported", 7)
		time.Sleep(time.Minute)
		require.NoError(t, w.leader().set("imported", 8))
		w.awaitKey("imported", 8)
	})
}

// dump returns an RDB file with a key.
func dump(t *testing.T) []byte {
	s := store.New(store.Options{Databases: 2, Seed: 1})
	tx := s.NewTx()
	tx.BeginAll(0, 0)
	e := tx.Peek([]byte("imported"))
	e.SetInt(7, store.NoExpiry)
	tx.End()
	frozen, err := s.Snapshot(0, func() {})
	require.NoError(t, err)
	defer frozen.Close()
	var out bytes.Buffer
	wr := rdb.NewWriter(&out, false)
	wr.Select(0, 1, 0)
	require.NoError(t, frozen.Each(wr.Key))
	require.NoError(t, wr.Finish())
	return out.Bytes()
}
