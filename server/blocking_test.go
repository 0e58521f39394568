package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

const errUnblocked commands.Error = "UNBLOCKED client unblocked via CLIENT UNBLOCK"

// TestEndsOfAWait: a client that waits for keys ends by CLIENT UNBLOCK, or by its own end. Then no push serves it.
func TestEndsOfAWait(t *testing.T) {
	h := servertest.New(t)
	other, gone := h.NewClient(t), h.NewClient(t)
	reply := other.HeldBack("BLPOP l 0")
	h.Want(fmt.Sprintf("CLIENT UNBLOCK %d", other.State.ID()), 1)
	require.Equal(t, resptest.NilArray, reply())
	reply = other.HeldBack("BLPOP l 0")
	h.Want(fmt.Sprintf("CLIENT UNBLOCK %d ERROR", other.State.ID()), 1)
	require.Equal(t, other.Wire(errUnblocked), reply())
	gone.HeldBack("BLPOP l 0")
	require.EqualValues(t, 1, h.Server.Blocked())
	gone.State.Closed()
	require.Zero(t, h.Server.Blocked())
	h.Want("RPUSH l a", 1)
	h.Want("LLEN l", 1)
}

// TestServesNobodyWhoHasLeft: a client that has left gets nothing, also before the server has noticed it. The next one does.
func TestServesNobodyWhoHasLeft(t *testing.T) {
	h := servertest.New(t)
	left, stays := h.NewClient(t), h.NewClient(t)
	left.HeldBack("BLPOP l 0")
	reply := stays.HeldBack("BLPOP l 0")
	left.Left.Store(true)
	h.Want("RPUSH l a b", 2)
	require.Equal(t, stays.Wire([]string{"l", "a"}), reply())
	h.Want("LRANGE l 0 -1", []string{"b"})
	require.Equal(t, resp.Close, left.Session.Resume())
	require.Empty(t, left.Session.Output())
}

// TestWakesBeforeTheEnd: a client that wakes early waits on, and keeps its place.
func TestWakesBeforeTheEnd(t *testing.T) {
	h := servertest.New(t)
	first, second := h.NewClient(t), h.NewClient(t)
	one := first.HeldBack("BLPOP l 10")
	two := second.HeldBack("BLPOP l 0")
	h.Advance(9 * time.Second)
	require.Equal(t, resp.Retry, first.Session.Resume())
	require.EqualValues(t, time.Second, first.State.RetryAfter())
	require.EqualValues(t, resp.NoTime, second.State.RetryAfter())
	h.Do("RPUSH l a b")
	h.Advance(time.Hour) // the reply is there, so the end of the wait is too late
	require.Equal(t, first.Wire([]string{"l", "a"}), one())
	require.Equal(t, first.Wire([]string{"l", "b"}), two())
}

// TestManyWait: a push serves more clients than it may serve itself, and long commands, on a goroutine of its own.
func TestManyWait(t *testing.T) {
	h := servertest.New(t)
	const many = 1000
	var replies []func() any
	for range many {
		replies = append(replies, h.NewClient(t).HeldBack("BLPOP l 0"))
	}
	words := []any{"RPUSH", "l"}
	for i := range many {
		words = append(words, fmt.Sprint(i))
	}
	h.Want("LLEN l", 0)
	require.EqualValues(t, many, h.Do(words...))
	require.Eventually(t, func() bool { return h.Do("LLEN l") == int64(0) }, 10*time.Second, time.Millisecond)
	for i, reply := range replies {
		require.Equal(t, h.Wire([]string{"l", fmt.Sprint(i)}), reply())
	}
}

// TestServedClientsAndWatch: a client that waits touches no watched key; the one that is served does.
func TestServedClientsAndWatch(t *testing.T) {
	h := servertest.New(t)
	waits, watches := h.NewClient(t), h.NewClient(t)
	reply := waits.HeldBack("BRPOPLPUSH a b 0")
	watches.Do("WATCH b")
	watches.Do("MULTI")
	watches.Want("EXEC", []any{})
	watches.Do("WATCH b")
	h.Do("RPUSH a x")
	watches.Do("MULTI")
	watches.Want("EXEC", resptest.NilArray)
	require.Equal(t, waits.Wire("x"), reply())
}

// TestServedClientsAreSeen: events, counters, MONITOR and the memory of waiting clients.
func TestServedClientsAreSeen(t *testing.T) {
	h := servertest.New(t, "--notify-keyspace-events", "KEA")
	listens, waits := h.NewClient(t), h.NewClient(t)
	listens.Do("HELLO 3")
	listens.Do("PSUBSCRIBE __keyevent@0__:*")
	reply := waits.HeldBack("BLPOP l 0")
	listens.TakePushes()
	h.Do("RPUSH l a")
	var events []string
	for _, p := range listens.TakePushes() {
		events = append(events, fmt.Sprint(p.(resptest.Push)[2]))
	}
	require.Equal(t, []string{"__keyevent@0__:rpush", "__keyevent@0__:lpop", "__keyevent@0__:del"}, events)
	reply()
	require.Contains(t, h.Do("INFO commandstats"), "cmdstat_blpop:calls=1,")
	require.NotContains(t, h.Do("INFO errorstats"), "errorstat")
}

// TestMessagesFollowTheReplyOfAServedClient: what a served client changes is its own change. The messages that tell the
// client of it follow its reply, and NOLOOP silences no other client.
func TestMessagesFollowTheReplyOfAServedClient(t *testing.T) {
	h := servertest.New(t, "--notify-keyspace-events", "KEA")
	waits, brings := h.NewClient(t), h.NewClient(t)
	for _, c := range []*servertest.Client{waits, brings} {
		c.Do("HELLO 3")
		c.Do("CLIENT TRACKING on NOLOOP")
	}
	story := func(told []any, others []any) {
		t.Helper()
		for _, c := range []*servertest.Client{waits, brings} {
			c.Do("LRANGE to 0 -1")
		}
		reply := waits.HeldBack("BLMOVE from to LEFT LEFT 0")
		brings.Want("RPUSH from foo", 1)
		require.Empty(t, waits.TakePushes(), "before the reply")
		require.Equal(t, waits.Wire("foo"), reply())
		require.Equal(t, told, waits.TakePushes())
		require.Equal(t, others, brings.TakePushes())
	}
	invalidated := resptest.Push{"invalidate", []any{"to"}}
	event := func(channel, text string) any { return resptest.Push{"message", channel, text} }
	story(nil, []any{invalidated})
	waits.Do("CLIENT TRACKING off")
	waits.Do("CLIENT TRACKING on")
	story([]any{invalidated}, []any{invalidated})
	waits.All("SUBSCRIBE __keyspace@0__:to __keyevent@0__:lpop")
	events := []any{event("__keyspace@0__:to", "lpush"), event("__keyevent@0__:lpop", "from")}
	story(append(events, invalidated), []any{invalidated})
}

// TestMonitorsSeeWaitingCommands: a monitor sees a command that waits when it comes, and only then.
func TestMonitorsSeeWaitingCommands(t *testing.T) {
	h := servertest.New(t)
	monitor, waits := h.NewClient(t), h.NewClient(t)
	monitor.Do("MONITOR")
	reply := waits.HeldBack("BLPOP l 0")
	require.Contains(t, fmt.Sprint(monitor.TakePushes()), `"BLPOP" "l" "0"`)
	h.Do("RPUSH l a")
	reply()
	shown := fmt.Sprint(monitor.TakePushes())
	require.Contains(t, shown, `"RPUSH" "l" "a"`)
	require.NotContains(t, shown, "BLPOP")
}

// TestServedClientsWaitForTheLog: the reply to a served client leaves when its change is safe.
func TestServedClientsWaitForTheLog(t *testing.T) {
	at := &position{}
	h := servertest.NewAt(t, &servertest.Edge{Positions: at})
	waits := h.NewClient(t)
	reply := waits.HeldBack("BLPOP l 0")
	at.n = 7
	h.Do("RPUSH l a")
	reply()
	require.EqualValues(t, 7, waits.Session.Need())
}

// TestServedClientsAndLostChanges: a client was served, and its change is lost before it has the reply. Its connection
// ends, as that of a client whose command did not wait.
func TestServedClientsAndLostChanges(t *testing.T) {
	at := &position{}
	h := servertest.NewAt(t, &servertest.Edge{Positions: at})
	waits := h.NewClient(t)
	waits.HeldBack("BLPOP l 0")
	h.Do("RPUSH l a")
	at.lost++
	require.Equal(t, resp.Close, waits.Session.Resume())
	require.Empty(t, waits.Session.Output())
}

type position struct{ n, lost uint64 }

func (p *position) Begun() uint64   { return p.n }
func (p *position) ReadsWait() bool { return false }
func (p *position) Mark() uint64    { return p.lost }

// TestServedClientsWithoutMemory: the server gets no memory for what a waiting client moves. The client gets the
// error, and the list keeps its elements.
func TestServedClientsWithoutMemory(t *testing.T) {
	const noMemory commands.Error = "OOM the system gives the server no more memory: lower maxmemory, or give the server more"
	target := strings.Repeat("b", 2000) // its key needs memory of its own
	for refused := range 20 {
		calls := -1
		h := servertest.NewAt(t, &servertest.Edge{Refuse: func(int) bool { calls++; return calls == refused }})
		waits := h.NewClient(t)
		reply := waits.HeldBack("BLMOVE a " + target + " LEFT LEFT 0")
		calls = -1
		if h.Do("RPUSH a x") != int64(1) {
			continue
		}
		require.Equal(t, waits.Wire(noMemory), reply())
		h.Want("LRANGE a 0 -1", []string{"x"})
		return
	}
	require.Fail(t, "no push has served the client without memory")
}

// TestAnotherLeader: a node that no longer leads serves nobody.
func TestAnotherLeader(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 0)
	waits := h.NewClient(t)
	waits.HeldBack("BLPOP {a}l 0")
	h.Want("BLPOP {a}l b 0", commands.ErrCrossSlot)
	cluster.Now, cluster.Epochs = servertest.View(3, 0, 1), []uint64{0}
	require.Contains(t, fmt.Sprint(h.Do("BLPOP {a}l 0")), "MOVED")
}

// TestServesNobodyWithoutTheRight: a client whose user has lost the right to the key while it waits gets an error, and the
// value stays for the next one.
func TestServesNobodyWithoutTheRight(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL SETUSER alice on nopass ~l +@all", servertest.OK)
	alice, other := h.NewClient(t), h.NewClient(t)
	alice.Want("AUTH alice x", servertest.OK)
	refused, served := alice.HeldBack("BLPOP l 0"), other.HeldBack("BLPOP l 0")
	h.Want("ACL SETUSER alice resetkeys", servertest.OK)
	h.Want("RPUSH l a", 1)
	require.Contains(t, fmt.Sprint(refused()), "NOPERM")
	require.Equal(t, other.Wire([]string{"l", "a"}), served())
}
