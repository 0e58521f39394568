package cluster

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/cluster/group"
	"cellserver/cluster/peer"
	"cellserver/internal/topology"
	"cellserver/persistence/fs"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// world is several machines in one network.
type world struct {
	t        *testing.T
	net      *network
	machines []*machine
}

// machine is a computer with one node.
type machine struct {
	w        *world
	host     string
	peerPort int // 0: 16379
	dir      string
	boot     int
	log      *lines

	skew   atomic.Int64 // of its clock
	fixed  atomic.Int64 // the time of commands; 0: that of the clock
	change func(*Options)

	*Member // nil: the node does not run
	store   *store.Store
	failed  atomic.Int64
	views   atomic.Int64 // changes of the cluster that the server was told
}

// lines is the log of a machine.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write implements [io.Writer].
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

// String returns all lines.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// inWorld runs a test in virtual time with some machines. They do not run yet.
func inWorld(t *testing.T, machines int, test func(w *world)) {
	progress := clustertest.Watchdog(t)
	dirs := make([]string, machines)
	for i := range dirs {
		dirs[i] = t.TempDir()
	}
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: newNetwork()}
		for i := range machines {
			w.machines = append(w.machines, &machine{w: w, host: fmt.Sprint("node", i), dir: dirs[i], boot: 1, log: &lines{}})
		}
		defer func() {
			for _, m := range w.machines {
				if t.Failed() {
					t.Logf("%s:\n%s", m.host, m.log)
				}
				m.stop()
			}
			progress()
		}()
		test(w)
	})
}

// clockOf is the time of a machine. It implements [group.Clock].
type clockOf struct{ *machine }

// Now implements [group.Clock].
func (c clockOf) Now() int64 {
	if at := c.fixed.Load(); at != 0 {
		return at
	}
	return c.wall()
}

// Monotonic implements [group.Clock].
func (clockOf) Monotonic() int64 { return time.Now().UnixNano() }

// Continue implements [group.Clock].
func (clockOf) Continue(int64) int64 { return 0 }

func (m *machine) wall() int64 { return time.Now().UnixNano() + m.skew.Load() }

func (m *machine) at() topology.Address {
	return topology.Address{Host: m.host, Port: 6379, PeerPort: cmp.Or(m.peerPort, 16379)}
}

const nodeTimeout = 500 * time.Millisecond

// start starts the node of a machine with a list of nodes.
func (m *machine) start(list ...*machine) {
	m.w.t.Helper()
	require.NoError(m.w.t, m.tryStart(list...))
}

func (m *machine) tryStart(list ...*machine) error {
	if err := m.build(list...); err != nil {
		return err
	}
	return m.begin()
}

// begin starts the node that build made.
func (m *machine) begin() error {
	m.Serve(m.w.net.listen(m.at().Peer()))
	return m.Start()
}

// build makes the node of a machine. The node takes no part in the cluster before begin.
func (m *machine) build(list ...*machine) error {
	s := store.New(store.Options{Databases: 2, Seed: 1})
	o := Options{
		Run: fmt.Sprintf("%040x", time.Now().UnixNano()+int64(m.host[4])), Release: "test", Fallback: m.at(),
		Disk: DiskOptions{FS: fs.OS{}, Dir: filepath.Join(m.dir, "raft"), BootID: fmt.Sprint("boot-", m.boot)}, Store: s,
		Clock: clockOf{m}, Wall: m.wall, Log: slog.New(slog.NewTextHandler(m.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Security: &peer.Security{Secret: []byte("0123456789abcdef")}, Connect: m.w.net.connector(m.host),
		Timing: group.Timing{NodeTimeout: nodeTimeout, MaxSkew: 500 * time.Millisecond},
		Growth: func() (percent, least int64) { return 100, 1 << 20 },
		Edge: Edge{
			Scripts: func(after int64) ([][]byte, int64) { return nil, after },
			Deliver: func(_ bool, _, _ []byte) {}, Changed: func(_, _ *topology.View) { m.views.Add(1) }, Replaced: func() {},
			Failed: func(err error) {
				m.failed.Add(1)
				if err == nil {
					m.failed.Store(0)
				}
			},
		},
	}
	for _, other := range list {
		o.List = append(o.List, other.at())
	}
	if m.change != nil {
		m.change(&o)
	}
	made, err := New(o)
	if err != nil {
		return err
	}
	m.Member, m.store = made, s
	s.Observe(made)
	return nil
}

// stop stops the node as planned, if it runs.
func (m *machine) stop() {
	if m.Member == nil {
		return
	}
	require.NoError(m.w.t, m.Stop())
	m.Member = nil
}

// form starts machines with the same list, and waits until all of them vote.
func (w *world) form(of ...*machine) {
	w.t.Helper()
	for _, m := range of {
		m.start(of...)
	}
	w.awaitVoters(of...)
}

// awaitVoters waits until machines are all nodes of the cluster, and all of them vote.
func (w *world) awaitVoters(of ...*machine) {
	w.t.Helper()
	w.eventually("not all nodes vote", func() bool {
		for _, m := range of {
			v := m.View()
			if v.State != topology.OK || v.Voters() != len(of) || len(v.Nodes) != len(of) || v.HealthyVoters() != len(of) {
				return false
			}
		}
		return true
	})
}

// eventually waits for a minute of virtual time.
func (w *world) eventually(failure string, is func() bool) {
	w.t.Helper()
	for range 6000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	require.FailNow(w.t, failure)
}

// leader waits for a machine that leads.
func (w *world) leader() (leader *machine) {
	w.t.Helper()
	w.eventually("no node leads", func() bool {
		for _, m := range w.machines {
			if m.Member != nil && m.Epoch() != 0 {
				leader = m
				return true
			}
		}
		return false
	})
	return leader
}

// other returns a running machine that is none of some.
func (w *world) other(than ...*machine) *machine {
	for _, m := range w.machines {
		is := m.Member != nil
		for _, not := range than {
			is = is && m != not
		}
		if is {
			return m
		}
	}
	return nil
}

var errNotServed = errors.New("the machine does not lead")

// set sets a key on a machine that leads, as a command does, and waits until it is safe.
func (m *machine) set(key string, value int64) error {
	mark := m.Mark()
	if mark == 0 {
		return errNotServed
	}
	tx := m.store.NewTx()
	var keys store.Footprint
	keys.AddKey([]byte(key))
	tx.Begin(m.Now(), 0, &keys)
	led := m.Epoch() == mark
	if led {
		e := tx.Peek([]byte(key))
		e.SetInt(value, store.NoExpiry)
	}
	tx.End()
	if !led || !m.Wait(mark) {
		return errNotServed
	}
	return nil
}

// get returns what a key has in the store of a machine; -1 if there is no such key.
func (m *machine) get(key string) int64 {
	tx := m.store.NewTx()
	var keys store.Footprint
	keys.AddKey([]byte(key))
	tx.KeepExpired = true
	tx.Begin(0, 0, &keys)
	defer tx.End()
	e := tx.Peek([]byte(key))
	if !e.Exists() {
		return -1
	}
	return e.Int()
}

// awaitKey waits until the stores of all running machines have a value.
func (w *world) awaitKey(key string, value int64) {
	w.t.Helper()
	w.eventually("not all nodes have "+key, func() bool {
		for _, m := range w.machines {
			if m.Member != nil && m.get(key) != value {
				return false
			}
		}
		return true
	})
}

// loseClean makes the directory of a stopped node that of a node that was killed.
func (m *machine) loseClean() {
	path := filepath.Join(m.dir, "raft", "node")
	text, err := os.ReadFile(path)
	require.NoError(m.w.t, err)
	require.Contains(m.w.t, string(text), `"clean":true`)
	text = bytes.Replace(text, []byte(`"clean":true`), []byte(`"clean":false`), 1)
	require.NoError(m.w.t, os.WriteFile(path, text, 0o600))
}
