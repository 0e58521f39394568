package peer

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// applied is a state machine that keeps what it applies.
type applied struct {
	mu  sync.Mutex
	all []string
}

func (a *applied) Apply(l *raft.Log) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, string(l.Data))
	return nil
}

func (a *applied) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.all)
}

func (a *applied) Snapshot() (raft.FSMSnapshot, error) { return nil, raft.ErrNothingNewToSnapshot }
func (a *applied) Restore(io.ReadCloser) error         { return nil }

// closer is a transport that can be closed.
type closer interface {
	raft.Transport
	raft.WithClose
}

// Three nodes of hashicorp/raft elect a leader and apply entries over peer ports. Entries have connections of their own, or not.
func TestRaftOverPeerPorts(t *testing.T) {
	t.Run("one kind of connections", func(t *testing.T) {
		replicate(t, func(_ *node, network *raft.NetworkTransport) closer { return network })
	})
	t.Run("connections for entries", func(t *testing.T) {
		replicate(t, func(b *node, network *raft.NetworkTransport) closer {
			entries, err := b.Entries(0, b.addr)
			require.NoError(t, err)
			return NewCarrier(network, entries, 10*time.Second, nil, nil, nil, hclog.NewNullLogger())
		})
	})
}

// replicate applies entries on three nodes, and waits until all of them have all entries.
func replicate(t *testing.T, over func(*node, *raft.NetworkTransport) closer) {
	noLeaks(t)
	var n network
	var servers []raft.Server
	var nodes []*node
	for i := range 3 {
		b := n.start(t, &fakeService{}, n.dialer(Limits{}))
		nodes = append(nodes, b)
		servers = append(servers, raft.Server{ID: raft.ServerID(fmt.Sprint(i)), Address: raft.ServerAddress(b.addr)})
	}
	var rafts []*raft.Raft
	var machines []*applied
	var transports []closer
	for i, b := range nodes {
		layer, err := b.Raft(0, b.addr)
		require.NoError(t, err)
		transport := over(b, raft.NewNetworkTransport(layer, 3, 10*time.Second, io.Discard))
		require.Equal(t, servers[i].Address, transport.LocalAddr())
		config := raft.DefaultConfig()
		config.LocalID, config.LogOutput = servers[i].ID, io.Discard
		store, snapshots, machine := raft.NewInmemStore(), raft.NewInmemSnapshotStore(), &applied{}
		require.NoError(t, raft.BootstrapCluster(config, store, store, snapshots, transport, raft.Configuration{Servers: servers}))
		r, err := raft.NewRaft(config, machine, store, store, snapshots, transport)
		require.NoError(t, err)
		rafts, machines, transports = append(rafts, r), append(machines, machine), append(transports, transport)
		t.Cleanup(func() {
			require.NoError(t, r.Shutdown().Error())
			require.NoError(t, transport.Close())
		})
	}
	const entries = 100
	for applied := 0; applied < entries; {
		for _, r := range rafts {
			if r.State() == raft.Leader && r.Apply([]byte("x"), time.Minute).Error() == nil {
				applied++
			}
		}
	}
	for _, m := range machines {
		requireSoon(t, "replication", func() bool { return m.count() >= entries })
	}
	for _, b := range nodes {
		require.LessOrEqual(t, b.Stats().Raft, 20)
	}
	for i, transport := range transports { // a node reaches itself
		old := &raft.AppendEntriesRequest{RPCHeader: raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax}}
		var answer raft.AppendEntriesResponse
		require.NoError(t, transport.AppendEntries(servers[i].ID, servers[i].Address, old, &answer))
		require.False(t, answer.Success)
	}
}
