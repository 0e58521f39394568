package raftlog

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/persistence/fs/fstest"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// texts is a state machine that collects what was applied. Only Raft's goroutine uses it while a node runs.
type texts struct{ All []string }

func (s *texts) Apply(l *raft.Log) any {
	s.All = append(s.All, string(l.Data))
	return nil
}

func (s *texts) Snapshot() (raft.FSMSnapshot, error) {
	text, err := json.Marshal(s)
	return persisted(text), err
}

func (s *texts) Restore(in io.ReadCloser) error {
	*s = texts{}
	return json.NewDecoder(in).Decode(s)
}

// persisted is a snapshot of texts.
type persisted []byte

func (p persisted) Persist(sink raft.SnapshotSink) error {
	if _, err := sink.Write(p); err != nil {
		return err
	}
	return sink.Close()
}

func (p persisted) Release() {}

// member is a node of a real Raft cluster.
type member struct {
	id        raft.ServerID
	files     *fstest.Memory
	store     *Store
	snapshots *raft.FileSnapshotStore // survives everything
	transport *raft.InmemTransport
	fsm       *texts
	raft      *raft.Raft
	history   *Joined
}

func newMember(t *testing.T, id raft.ServerID) *member {
	snapshots, err := raft.NewFileSnapshotStore(t.TempDir(), 2, io.Discard)
	require.NoError(t, err)
	return &member{id: id, files: &fstest.Memory{}, snapshots: snapshots}
}

func (m *member) start(t *testing.T, all []*member) {
	var err error
	m.store, err = Open(m.files, dir, Options{Sync: true, SegmentSize: 500})
	require.NoError(t, err)
	cached, err := raft.NewLogCache(16, m.store)
	require.NoError(t, err)
	_, m.transport = raft.NewInmemTransport(raft.ServerAddress(m.id))
	m.fsm = &texts{}
	config := raft.DefaultConfig()
	config.LocalID, config.LogOutput, config.TrailingLogs = m.id, io.Discard, 5
	m.history = &Joined{LogStore: cached, SnapshotStore: m.snapshots}
	m.raft, err = raft.NewRaft(config, m.fsm, m.history, m.store, m.history, screen(m.transport, m.history))
	require.NoError(t, err)
	for _, other := range all {
		if other != m && other.transport != nil {
			m.transport.Connect(other.transport.LocalAddr(), other.transport)
			other.transport.Connect(m.transport.LocalAddr(), m.transport)
		}
	}
}

// screening is a transport whose messages pass the screen of a history.
type screening struct {
	*raft.InmemTransport
	passed chan raft.RPC
	closed chan struct{}
}

func screen(t *raft.InmemTransport, history *Joined) *screening {
	s := &screening{t, make(chan raft.RPC), make(chan struct{})}
	go func() {
		for {
			select {
			case rpc := <-t.Consumer():
				s.passed <- history.Screen(rpc, s.closed)
			case <-s.closed:
				return
			}
		}
	}()
	return s
}

func (s *screening) Consumer() <-chan raft.RPC { return s.passed }

func (s *screening) Close() error {
	close(s.closed)
	return s.InmemTransport.Close()
}

func (m *member) stop(t *testing.T, files *fstest.Memory) {
	require.NoError(t, m.raft.Shutdown().Error())
	m.transport.DisconnectAll()
	m.files, m.transport = files, nil
}

// leader waits for a leader.
func leader(t *testing.T, all []*member) *raft.Raft {
	for range 1000 {
		for _, m := range all {
			if m.transport != nil && m.raft.State() == raft.Leader && m.raft.VerifyLeader().Error() == nil {
				return m.raft
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("there is no leader")
	return nil
}

func apply(t *testing.T, all []*member, from, to int) {
	for n := from; n < to; n++ {
		require.NoError(t, leader(t, all).Apply(fmt.Append(nil, "text ", n), time.Minute).Error())
	}
}

// requireApplied waits until every node has applied all texts.
func requireApplied(t *testing.T, all []*member, n int) {
	t.Helper()
	require.NoError(t, leader(t, all).Barrier(time.Minute).Error())
	time.Sleep(5 * time.Second)
	synctest.Wait()
	for _, m := range all {
		m.requireTexts(t, n)
	}
}

// requireTexts requires that a node has applied n texts.
func (m *member) requireTexts(t *testing.T, n int) {
	t.Helper()
	require.Equal(t, textsBefore(n), *m.fsm, m.id)
}

// textsBefore returns the state after n texts.
func textsBefore(n int) (s texts) {
	for i := range n {
		s.All = append(s.All, fmt.Sprint("text ", i))
	}
	return s
}

// TestRaft runs a cluster of three nodes on stores. A node misses so much that it gets a snapshot, which replaces its log.
// Then the power of all nodes is cut.
func TestRaft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []*member
		var config raft.Configuration
		for _, id := range []raft.ServerID{"a", "b", "c"} {
			all = append(all, newMember(t, id))
			config.Servers = append(config.Servers, raft.Server{ID: id, Address: raft.ServerAddress(id)})
		}
		for _, m := range all {
			m.start(t, all)
			require.NoError(t, m.raft.BootstrapCluster(config).Error())
		}
		apply(t, all, 0, 50)
		requireApplied(t, all, 50)

		late := all[2]
		late.stop(t, late.files.Kill())
		apply(t, all, 50, 150)
		for _, m := range all[:2] {
			require.NoError(t, m.raft.Snapshot().Error())
		}
		apply(t, all, 150, 160)
		late.start(t, all)
		requireApplied(t, all, 160)
		first, _ := bounds(t, late.store)
		require.Greater(t, first, uint64(100), "a snapshot has replaced the log")

		for _, m := range all {
			m.stop(t, m.files.PowerCut(nil))
		}
		for _, m := range all {
			m.start(t, all)
		}
		apply(t, all, 160, 170)
		requireApplied(t, all, 170)
		for _, m := range all {
			m.stop(t, nil)
			require.NoError(t, m.store.Close())
		}
	})
}
