package clients_test

import (
	"testing"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/server/clients"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func newRegistry() *clients.Registry {
	return clients.New(func() *config.Config { return &config.Config{} })
}

// connect adds a client to a registry.
func connect(t *testing.T, r *clients.Registry) (*clients.Entry, *servertest.Peer) {
	conn, peer := servertest.NewConn(t, 2)
	e := new(clients.Entry)
	r.Add(e, conn, servertest.Start)
	return e, peer
}

// TestPauses: of two pauses the later end and the stricter kind win, unless the first one has ended.
func TestPauses(t *testing.T) {
	r := newRegistry()
	for _, step := range []struct {
		name        string
		act         func()
		at          int64 // Unix milliseconds
		paused      bool
		allCommands bool
	}{
		{"no pause", func() {}, 0, false, false},
		{"writes are paused", func() { r.Pause(0, 100, false) }, 100, true, false},
		{"a shorter pause of all commands", func() { r.Pause(50, 60, true) }, 100, true, true},
		{"a longer pause of writes", func() { r.Pause(60, 120, false) }, 120, true, true},
		{"the pause has ended", func() {}, 121, false, false},
		{"a pause after it starts again", func() { r.Pause(130, 140, false) }, 140, true, false},
		{"an ended pause does not extend", func() { r.Pause(150, 145, true); r.Pause(150, 160, false) }, 160, true, false},
		{"unpause", r.Unpause, 160, false, false},
	} {
		step.act()
		require.Equal(t, step.paused, r.PausedAt(step.at), step.name)
		paused, all := r.Paused(step.at)
		require.Equal(t, []bool{step.paused, step.allCommands}, []bool{paused, all}, step.name)
	}
}

// TestUnblockOnce: CLIENT UNBLOCK ends a wait once, and never the hold of a pause.
func TestUnblockOnce(t *testing.T) {
	r := newRegistry()
	e, _ := connect(t, r)
	id := e.Conn.ID
	for _, step := range []struct {
		name    string
		act     func() bool
		done    bool
		state   clients.State
		blocked int64
	}{
		{"it runs", func() bool { return r.Unblock(id, false) }, false, clients.Running, 0},
		{"a pause holds it", func() bool { e.Block(clients.Held); return r.Unblock(id, false) }, false, clients.Held, 1},
		{"it waits after the pause", func() bool { e.Block(clients.Waiting); return e.Blocked() }, true, clients.Waiting, 1},
		{"a wait stays a wait", func() bool { e.Block(clients.Held); return e.Blocked() }, true, clients.Waiting, 1},
		{"unblocked with an error", func() bool { return r.Unblock(id, true) }, true, clients.UnblockedErr, 1},
		{"unblocked again", func() bool { return r.Unblock(id, false) }, false, clients.UnblockedErr, 1},
		{"it goes on", e.Resume, true, clients.Running, 0},
		{"it goes on again", e.Resume, false, clients.Running, 0},
		{"unblocked as by a timeout", func() bool { e.Block(clients.Waiting); return r.Unblock(id, false) }, true, clients.UnblockedTime, 1},
		{"an unknown client", func() bool { return r.Unblock(id+1, false) }, false, clients.UnblockedTime, 1},
	} {
		require.Equal(t, step.done, step.act(), step.name)
		require.Equal(t, step.state, e.State(), step.name)
		require.Equal(t, step.blocked, r.Blocked(), step.name)
	}
}

// TestOthersSeeWhatIsPublished: other connections see the state of a client at the end of its last batch.
func TestOthersSeeWhatIsPublished(t *testing.T) {
	r := newRegistry()
	e, _ := connect(t, r)
	set := &commands.Command{Name: "set"}
	e.Conn.DB, e.Conn.Now, e.Conn.Identity.Name = 3, 7, "me"
	seen := func() commands.ClientInfo {
		info, found := r.Find(e.Conn.ID)
		require.True(t, found)
		return info
	}
	require.Zero(t, seen().DB)
	e.PublishLast(set)
	require.Equal(t, set, seen().Last)
	require.Equal(t, int64(7), seen().Active)
	require.Zero(t, seen().DB)
	e.Publish(set)
	require.Equal(t, 3, seen().DB)
	require.Equal(t, "me", seen().Identity.Name)
	require.Equal(t, "N", seen().Flags)
	e.Block(clients.Waiting)
	e.Conn.Now = 9
	e.Publish(set)
	require.Equal(t, int64(7), seen().Active, "another try is not activity")
	require.Equal(t, "b", seen().Flags)
	require.True(t, e.WaitsForServer())
}

// TestKill closes the matching clients. A client that kills itself closes after its reply.
func TestKill(t *testing.T) {
	r := newRegistry()
	var entries []*clients.Entry
	var peers []*servertest.Peer
	for range 3 {
		e, peer := connect(t, r)
		entries, peers = append(entries, e), append(peers, peer)
	}
	self := entries[0].Conn
	var asked []int64
	n := r.Kill(self, func(c *commands.ClientInfo) bool {
		asked = append(asked, c.ID)
		return c.ID != entries[1].Conn.ID
	})
	require.Equal(t, 2, n)
	require.Equal(t, []int64{1, 2, 3}, asked, "in the order of connecting")
	require.Equal(t, []bool{false, false, true}, []bool{peers[0].Closed, peers[1].Closed, peers[2].Closed})
	require.Equal(t, []bool{false, false, true}, []bool{entries[0].Killed(), entries[1].Killed(), entries[2].Killed()})
	require.True(t, self.Modes.Leaving)
	r.Remove(entries[2])
	require.Equal(t, 2, r.Len())
	require.Nil(t, r.Conn(3))
	e, _ := connect(t, r)
	require.Equal(t, int64(4), e.Conn.ID, "no id is used twice")
	all := func(*commands.ClientInfo) bool { return true }
	n = r.Kill(self, func(c *commands.ClientInfo) bool { return c.ID == 4 && r.Kill(nil, all) == 3 })
	require.Zero(t, n, "another caller has killed it meanwhile")
}
