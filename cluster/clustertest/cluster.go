package clustertest

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"cellserver/cluster/group"
	"cellserver/internal/topology"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// Cluster is several machines in one network.
type Cluster struct {
	Network  *Network
	Machines []*Machine
	t        testing.TB
	log      *slog.Logger
	o        Options
}

// Options are the options of a Cluster.
type Options struct {
	Nodes  int
	Seed   uint64
	Now    func() time.Time // time.Now, which is virtual in a bubble
	Reads  group.Reads
	Window int
	// Prepare is called for each node before it starts. It may be nil.
	Prepare func(*group.Group)
	// FrozenClocks makes the monotonic clocks stand still, which breaks what leases rely on.
	FrozenClocks bool
	// Files makes the logs of the machines files of package raftlog, on disks that can lose power and be
	// full.
	Files bool
	// Unsynced makes the logs of the machines skip syncs. So a power cut may lose confirmed entries.
	Unsynced bool
	// Directives are more arguments of the servers.
	Directives []string
	// Spares are machines in addition to the first members. They do not run, and no cluster knows them.
	Spares int
	// Level is the feature level that the programs know; 0 for the newest.
	Level int
	// Eager sessions do not wait until their replies are safe.
	Eager bool
}

// New makes a cluster, and starts its machines. They stop at the end of the test. Call it in a bubble of
// testing/synctest.
func New(t testing.TB, o Options) *Cluster {
	c := &Cluster{Network: NewNetwork(o.Seed), t: t, o: o}
	c.log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: virtualTime}))
	var members []topology.Node
	for i := range o.Nodes + o.Spares {
		m := newMachine(c, i)
		c.Machines = append(c.Machines, m)
		members = append(members, m.Self)
	}
	members = members[:o.Nodes]
	for _, m := range c.Machines[:o.Nodes] {
		require.NoError(t, m.bootstrap(members))
		require.NoError(t, m.Start())
	}
	return c
}

// virtualTime shortens the time of a log line.
func virtualTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
		return slog.String("at", a.Value.Time().Format("15:04:05.000000"))
	}
	return a
}

// Close kills all machines.
func (c *Cluster) Close() {
	for _, m := range c.Machines {
		require.NoError(c.t, m.Kill())
	}
	c.Network.copies.Wait()
}

// Leader waits for a machine that leads, and returns it.
func (c *Cluster) Leader() *Machine {
	c.t.Helper()
	for range 6000 {
		for _, m := range c.Machines {
			if m.Leads() {
				return m
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	require.FailNow(c.t, "no node leads after a minute")
	return nil
}

// machine returns the machine that runs a node, nil if there is none.
func (c *Cluster) machine(id string) *Machine {
	for _, m := range c.Machines {
		if node := m.Group(); node != nil && node.Self().ID == id {
			return m
		}
	}
	return nil
}

// RequireEqual requires that all running machines hold the same keys, and returns them: see Equal.
func (c *Cluster) RequireEqual() map[string]string {
	c.t.Helper()
	all, err := c.Equal()
	require.NoError(c.t, err)
	return all
}

// Equal waits until all running machines have applied the same entries, and compares their keys. No client
// may write meanwhile.
func (c *Cluster) Equal() (all map[string]string, differ error) {
	c.t.Helper()
	for range 1800 { // three minutes: a slow node may have all entries of the log to apply
		for _, m := range c.Machines {
			if err := m.Failure(); err != nil {
				return nil, fmt.Errorf("%s: %w", m.Self.Host, err)
			}
		}
		if all, differ = c.compare(); differ == nil {
			return all, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, differ
}

var errBehind = errors.New("the nodes have not applied the same entries")

// compare compares the keys of all running machines that have not expired.
func (c *Cluster) compare() (all map[string]string, err error) {
	leader := c.Leader()
	applied, now := leader.Group().Applied(), leader.Group().Now()
	for _, m := range c.Machines {
		if m.Group() != nil && m.Group().Applied() != applied {
			return nil, errBehind
		}
	}
	all = leader.Keys(now)
	for _, m := range c.Machines {
		if m.Group() == nil || m == leader {
			continue
		}
		if key, same := equal(all, m.Keys(now)); !same {
			err = fmt.Errorf("%s and the leader %s differ in key %q", m.Self.Host, leader.Self.Host, key)
		}
	}
	return all, err
}

// equal reports whether two nodes have the same keys, and returns one that differs.
func equal(a, b map[string]string) (key string, same bool) {
	for _, all := range []map[string]string{a, b} {
		for k := range all {
			if v, ok := a[k]; !ok || b[k] != v {
				return k, false
			}
		}
	}
	return "", true
}

// Keys returns everything in the store of a machine that has not expired at now.
func (m *Machine) Keys(now int64) map[string]string {
	all := map[string]string{}
	p := m.running.Load()
	if p == nil {
		return all
	}
	tx := p.store.NewTx()
	tx.KeepExpired = true
	tx.BeginAll(now, 0)
	defer tx.End()
	for db := store.Own; db < p.store.Databases(); db++ {
		tx.Select(db)
		tx.Each(func(e *store.Entry) {
			if e.ExpireAt() == store.NoExpiry || e.ExpireAt() >= now/1e6 {
				all[fmt.Sprint(db, " ", string(e.Key()))] = describe(e)
			}
		})
	}
	return all
}

func describe(e *store.Entry) string {
	text := string(e.Bytes(nil))
	if t := store.TypeOf(e.Kind()); t != nil {
		var all []string
		t.Each(e.Collection(), func(o *store.Operands) bool {
			all = append(all, fmt.Sprintf(" %q %q=%v", o.Value, o.More, o.Score))
			return true
		})
		if !t.Once { // its members have no order, or an order by their scores
			slices.Sort(all)
		}
		text += strings.Join(all, "")
	}
	return fmt.Sprint(text, " until ", e.ExpireAt())
}

var errDown = errors.New("clustertest: the machine does not run")

// applied asks a machine for its last applied entry.
func (c *Cluster) applied(n topology.Node) (uint64, error) {
	if m := c.machine(n.ID); m != nil {
		if node := m.Group(); node != nil {
			return node.Applied(), nil
		}
	}
	for _, m := range c.Machines {
		if node := m.Group(); node != nil && string(m.Addr()) == n.Address().Peer() {
			return node.Applied(), group.ErrOtherNode
		}
	}
	return 0, errDown
}

// Meet makes the leader add a machine. It waits until the machine votes.
func (c *Cluster) Meet(m *Machine) error {
	leader, node := c.Leader().Group(), m.Group()
	if node == nil {
		return errDown
	}
	index, err := leader.Admit(node.Self())
	if err != nil {
		return err
	}
	for range 300 {
		if node.Applied() >= index {
			return leader.Promote(node.Self().ID)
		}
		time.Sleep(nodeTimeout / 4)
	}
	return errors.New("clustertest: the machine gets no data")
}
