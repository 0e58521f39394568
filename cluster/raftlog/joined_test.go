package raftlog

import (
	"bytes"
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

// scripted sends the messages of a leader to a follower.
type scripted struct {
	t         *testing.T
	term      uint64
	transport *raft.InmemTransport
	servers   raft.Configuration
	follower  *member
}

// restart cuts the power of the follower, and starts it again.
func (s *scripted) restart() {
	s.follower.stop(s.t, s.follower.files.PowerCut(nil))
	s.follower.start(s.t, nil)
	s.transport.Connect("c", s.follower.transport)
}

// textEntries returns the entries from first to last, with the texts of apply: entry 1 is "text 0".
func textEntries(first, last, term uint64) (all []*raft.Log) {
	for i := first; i <= last; i++ {
		all = append(all, &raft.Log{Index: i, Term: term, Data: fmt.Append(nil, "text ", i-1)})
	}
	return all
}

func (s *scripted) header() raft.RPCHeader {
	return raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax, ID: []byte("a"), Addr: []byte("a")}
}

// append sends entries after previous, and requires that the follower takes them.
func (s *scripted) append(previous, previousTerm, commit uint64, entries []*raft.Log) {
	s.t.Helper()
	var reply raft.AppendEntriesResponse
	require.NoError(s.t, s.transport.AppendEntries("c", "c", &raft.AppendEntriesRequest{
		RPCHeader: s.header(), Term: s.term, PrevLogEntry: previous, PrevLogTerm: previousTerm, Entries: entries, LeaderCommitIndex: commit,
	}, &reply))
	require.True(s.t, reply.Success, "entry %d of term %d is before the new ones", previous, previousTerm)
}

// install sends a snapshot up to index.
func (s *scripted) install(index, term uint64) {
	s.t.Helper()
	time.Sleep(time.Millisecond) // the name of a snapshot has its time
	data, err := json.Marshal(textsBefore(int(index)))
	require.NoError(s.t, err)
	var reply raft.InstallSnapshotResponse
	require.NoError(s.t, s.transport.InstallSnapshot("c", "c", &raft.InstallSnapshotRequest{
		RPCHeader: s.header(), SnapshotVersion: 1, Term: s.term, LastLogIndex: index, LastLogTerm: term, Size: int64(len(data)),
		Configuration: raft.EncodeConfiguration(s.servers), ConfigurationIndex: 1,
	}, &reply, bytes.NewReader(data)))
	require.True(s.t, reply.Success)
}

// TestEntriesAfterASnapshotOfTheLeader: a follower that has installed a snapshot of its leader takes the entries after it,
// also if replies are lost. Raft alone refuses them.
func TestEntriesAfterASnapshotOfTheLeader(t *testing.T) {
	for _, test := range []struct {
		name    string
		story   func(s *scripted)
		applied int
	}{
		{"an empty log", func(s *scripted) {
			s.install(100, 2)
			s.append(100, 2, 105, textEntries(101, 110, 3))
			s.append(110, 3, 110, nil)
		}, 110},
		{"a log that ends before the snapshot", func(s *scripted) {
			s.append(0, 0, 10, textEntries(1, 20, 2))
			s.install(100, 2)
			s.append(100, 2, 110, textEntries(101, 110, 3))
		}, 110},
		{"the reply to the first entries is lost", func(s *scripted) {
			s.install(100, 2)
			s.append(100, 2, 100, textEntries(101, 110, 3))
			s.append(100, 2, 110, textEntries(101, 120, 3))
			s.append(120, 3, 120, nil)
		}, 120},
		{"the replies are lost again and again", func(s *scripted) {
			s.append(0, 0, 10, textEntries(1, 20, 2))
			s.install(100, 2)
			for range 3 {
				s.append(100, 2, 100, textEntries(101, 110, 3))
			}
			s.append(100, 2, 105, textEntries(101, 150, 3))
			s.append(150, 3, 150, nil)
		}, 150},
		{"the reply to the snapshot is lost", func(s *scripted) {
			s.install(100, 2)
			s.install(100, 2)
			s.append(100, 2, 100, textEntries(101, 110, 3))
			s.append(100, 2, 110, textEntries(101, 110, 3))
		}, 110},
		{"a late copy of the snapshot", func(s *scripted) {
			s.install(100, 2)
			s.append(100, 2, 100, textEntries(101, 110, 3))
			s.install(100, 2)
			s.append(110, 3, 110, textEntries(111, 120, 3))
			s.install(100, 2)
			s.append(120, 3, 120, nil)
		}, 120},
		{"a late copy of a snapshot before another one", func(s *scripted) {
			s.append(0, 0, 10, textEntries(1, 20, 2))
			s.install(50, 2)
			s.append(50, 2, 60, textEntries(51, 60, 2))
			s.install(100, 2)
			s.install(50, 2)
			s.append(100, 2, 105, textEntries(101, 110, 3))
			s.install(50, 2)
			s.append(110, 3, 110, nil)
		}, 110},
		{"a snapshot in the middle of the log", func(s *scripted) {
			s.append(0, 0, 10, textEntries(1, 50, 2))
			s.install(30, 2)
			s.append(50, 2, 50, nil)
		}, 50},
		{"an older snapshot is opened late, to send it", func(s *scripted) {
			s.install(50, 2)
			older, err := s.follower.snapshots.List()
			require.NoError(s.t, err)
			s.install(100, 2)
			_, in, err := s.follower.history.Open(older[0].ID)
			require.NoError(s.t, err)
			require.NoError(s.t, in.Close())
			s.append(100, 2, 100, textEntries(101, 110, 3))
			s.append(100, 2, 110, textEntries(101, 110, 3))
		}, 110},
		{"a snapshot of its own, and a restart", func(s *scripted) {
			s.install(100, 2)
			s.append(100, 2, 104, textEntries(101, 104, 3))
			synctest.Wait()
			require.NoError(s.t, s.follower.raft.Snapshot().Error())
			s.restart()
			s.append(100, 2, 104, textEntries(101, 110, 3))
			s.append(110, 3, 110, nil)
		}, 110},
		{"another leader repeats other entries", func(s *scripted) {
			s.install(100, 2)
			lost := textEntries(101, 150, 3)
			for _, l := range lost {
				l.Data = []byte("never committed")
			}
			s.append(100, 2, 100, lost)
			s.term = 4
			s.append(100, 2, 110, textEntries(101, 110, 4))
		}, 110},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMember(t, "c")
				m.start(t, nil)
				_, transport := raft.NewInmemTransport("a")
				transport.Connect("c", m.transport)
				s := &scripted{t, 3, transport, raft.Configuration{Servers: []raft.Server{{ID: "a", Address: "a"}, {ID: "c", Address: "c"}}}, m}
				test.story(s)
				synctest.Wait()
				m.requireTexts(t, test.applied)

				s.restart()
				last := uint64(test.applied)
				s.append(last, m.lastTerm(t), last+1, textEntries(last+1, last+1, s.term))
				synctest.Wait()
				m.requireTexts(t, test.applied+1)
				m.stop(t, nil)
				require.NoError(t, m.store.Close())
			})
		})
	}
}

func (m *member) lastTerm(t *testing.T) uint64 {
	var l raft.Log
	last, err := m.store.LastIndex()
	require.NoError(t, err)
	require.NoError(t, m.store.GetLog(last, &l))
	return l.Term
}

// TestALeaderSendsNoEntryOfASnapshot: a leader whose log begins after a snapshot sends the snapshot to a new node.
func TestALeaderSendsNoEntryOfASnapshot(t *testing.T) {
	for _, index := range []uint64{1, 2, 100} {
		synctest.Test(t, func(t *testing.T) {
			a := newMember(t, "a")
			c := newMember(t, "c")
			both := []*member{a, c}
			_, encoder := raft.NewInmemTransport("a")
			alone := raft.Configuration{Servers: []raft.Server{{ID: "a", Address: "a"}}}
			sink, err := a.snapshots.Create(1, index, 2, alone, 1, encoder)
			require.NoError(t, err)
			require.NoError(t, json.NewEncoder(sink).Encode(textsBefore(int(index))))
			require.NoError(t, sink.Close())
			a.start(t, both)
			c.start(t, both)
			apply(t, both, int(index), int(index)+10)
			require.NoError(t, a.raft.AddVoter("c", "c", 0, time.Minute).Error())
			requireApplied(t, both, int(index)+10)
			for _, m := range both {
				m.stop(t, nil)
				require.NoError(t, m.store.Close())
			}
		})
	}
}

// TestAnEntryOfTheSnapshot: the log gives the data of an entry that it has, and the term of one that only the snapshot has.
func TestAnEntryOfTheSnapshot(t *testing.T) {
	snapshots := raft.NewInmemSnapshotStore()
	sink, err := snapshots.Create(1, 20, 4, raft.Configuration{}, 1, nil)
	require.NoError(t, err)
	require.NoError(t, sink.Close())
	store := open(t, &fstest.Memory{}, Options{})
	j := &Joined{LogStore: store, SnapshotStore: snapshots}
	var l raft.Log
	require.ErrorIs(t, j.GetLog(20, &l), raft.ErrLogNotFound, "nobody has opened the snapshot")
	_, in, err := j.Open(sink.ID())
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, in)
	require.NoError(t, err)
	require.NoError(t, j.GetLog(20, &l))
	require.Equal(t, raft.Log{Index: 20, Term: 4, Type: ofSnapshot}, l)
	require.ErrorIs(t, j.GetLog(19, &l), raft.ErrLogNotFound)

	require.NoError(t, store.StoreLogs(textEntries(15, 19, 3)))
	require.ErrorIs(t, j.GetLog(20, &l), raft.ErrLogNotFound, "a leader would send it after entry 19")
	require.NoError(t, store.StoreLogs(textEntries(20, 25, 3)))
	require.NoError(t, j.GetLog(20, &l))
	require.Equal(t, "text 19", string(l.Data))
	require.NoError(t, store.DeleteRange(15, 20))
	require.NoError(t, j.GetLog(20, &l))
	require.Equal(t, raft.Log{Index: 20, Term: 4, Type: ofSnapshot}, l)
	require.ErrorIs(t, j.StoreLogs(append(textEntries(26, 26, 4), &l)), errOfSnapshot)
	require.ErrorIs(t, j.StoreLog(&l), errOfSnapshot)
	require.NoError(t, j.StoreLogs(textEntries(26, 26, 4)))
	require.True(t, j.IsMonotonic())
}
