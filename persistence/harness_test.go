package persistence

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/internal/randtest"
	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// begin is the time at which every test begins, in Unix nanoseconds.
const begin int64 = 1_700_000_000_123_456_789

// patience is how long a test waits for an event that must come.
const patience = time.Minute

// server is a store and its manager. Only the test moves their clock.
type server struct {
	*Manager
	t         testing.TB
	files     fs.FS
	store     *store.Store
	now       atomic.Int64
	gap       atomic.Int64 // by which now is ahead of the wall clock
	effects   atomic.Int64
	condition atomic.Pointer[Condition]
}

func (s *server) Now() int64       { return s.now.Load() }
func (s *server) Monotonic() int64 { return s.now.Load() - begin }

// Continue implements Clock, with a limit of ten seconds.
func (s *server) Continue(at int64) (gap int64) {
	if gap = at - s.Now(); gap <= 10e9 {
		return 0
	}
	s.now.Store(at)
	s.gap.Store(gap)
	return gap
}

func (s *server) Steps() (back, gap int64) { return 0, s.gap.Load() }

func (s *server) Committed(_ *store.Tx, effects []store.Effect) { s.effects.Add(int64(len(effects))) }

// newServer returns a server with save points that has not started.
func newServer(t testing.TB, files fs.FS, change ...func(*Settings)) *server {
	s := &server{t: t, files: files, store: store.New(store.Options{Databases: 3, Seed: 1})}
	s.now.Store(begin)
	s.condition.Store(&Condition{})
	s.store.Observe(s)
	set := Settings{Dir: "dir", DBFilename: "dump.rdb", Save: []SavePoint{{3600, 1}, {60, 100}}, Checksum: true, StopWrites: true,
		AppendDir: "appendonlydir", AppendName: "appendonly.aof"}
	for _, c := range change {
		c(&set)
	}
	s.Manager = New(Options{
		Store: s.store, FS: files, Clock: s, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Settings: set, Version: "7.0.15",
		Condition: func(c Condition) { s.condition.Store(&c) },
	})
	return s
}

// started returns a server that has loaded its files.
func started(t testing.TB, files fs.FS, change ...func(*Settings)) *server {
	t.Helper()
	s := newServer(t, files, change...)
	require.NoError(t, s.Start(context.Background()))
	return s
}

// put gives keys the integers n, n+1 …
func (s *server) put(n int, keys ...string) {
	tx := s.begin()
	defer tx.End()
	for i, key := range keys {
		e := tx.Write([]byte(key))
		e.SetInt(int64(n+i), store.NoExpiry)
	}
}

func (s *server) begin() *store.Tx {
	tx := s.store.NewTx()
	tx.BeginAll(s.Now(), 0)
	return tx
}

// contents returns the values of all keys, by "database/key".
func (s *server) contents() map[string]string {
	tx := s.begin()
	defer tx.End()
	all := map[string]string{}
	for db := range s.store.Databases() {
		tx.Select(db)
		tx.Each(func(e *store.Entry) {
			all[fmt.Sprint(db, "/", string(e.Key()))] = string(e.Bytes(nil))
		})
	}
	return all
}

// info returns a field of INFO.
func (s *server) info(field string) string {
	value := "none"
	s.Info(func(name string, v any) {
		if name == field {
			value = fmt.Sprint(v)
		}
	})
	return value
}

// wait waits until no job runs.
func (s *server) wait() {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.Writing() == "" }, patience, time.Millisecond)
}

func newRand(t testing.TB) *rand.Rand {
	return rand.New(randtest.Source(t))
}

// failFrom makes every operation from the n-th on fail, as if the process had been killed.
func failFrom(n int, err error) func(fstest.Op) error {
	return func(op fstest.Op) error {
		if op.N >= n {
			return err
		}
		return nil
	}
}
