package commands

import (
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"cellserver/internal/config/configload"
	"cellserver/internal/quote"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// ok is the reply +OK.
const ok = resptest.Simple("OK")

// start is the logical time, Unix nanoseconds, at which a harness begins: a full second
// with an odd millisecond and nanosecond on top, so that rounding shows.
const start int64 = 1_700_000_000_123_456_789

// runID is the identity of every harness's server.
const runID = "0123456789abcdef0123456789abcdef01234567"

// harness is a server without sockets, whose clock stands still until it is moved, and
// its first client, whose methods it has.
type harness struct {
	*testClient
	server *Server
	clock  *fakeClock
	disk   *disk
}

// newHarness starts a server with the default configuration and the given directives,
// as on the command line ("--maxmemory", "1mb"). DEBUG is allowed.
func newHarness(t testing.TB, directives ...string) *harness {
	t.Helper()
	args := append([]string{"--enable-debug-command", "yes"}, directives...)
	cfg, _, err := configload.Load(args, nil, nil)
	require.NoError(t, err)
	clock, disk := &fakeClock{now: start}, &disk{}
	server := New(Options{
		Store: store.New(store.Options{Databases: cfg.Databases, Seed: 1}), Clock: clock,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Config: cfg, RunID: runID,
		Persistence: disk,
	})
	h := &harness{server: server, clock: clock, disk: disk}
	h.testClient = h.client(t)
	return h
}

// client connects another client.
func (h *harness) client(t testing.TB) *testClient {
	c := &testClient{t: t}
	c.state = h.server.Connect(c)
	c.session = resp.NewSession(c.state)
	t.Cleanup(c.state.Closed)
	return c
}

// at sets the logical clock, in Unix nanoseconds.
func (h *harness) at(unixNano int64) { h.clock.Set(unixNano) }

// advance moves the logical clock on.
func (h *harness) advance(d time.Duration) { h.clock.Advance(int64(d)) }

// sortedSet makes a key of database 0 hold members with the scores 0, 1, …
func (h *harness) sortedSet(key string, members ...string) {
	var fp store.Footprint
	fp.AddKey([]byte(key))
	tx := h.server.Store.NewTx()
	tx.Begin(h.clock.Now(), 0, &fp)
	defer tx.End()
	e := tx.Write([]byte(key))
	for i, m := range members {
		e.ZAdd(float64(i), []byte(m))
	}
}

// transact calls do with a transaction on a key of database 0, now.
func (h *harness) transact(key string, do func(c *Call)) {
	var fp store.Footprint
	fp.AddKey([]byte(key))
	tx := h.server.Store.NewTx()
	tx.Begin(h.clock.Now(), 0, &fp)
	defer tx.End()
	do(&Call{Now: h.clock.Now(), Tx: tx, Server: h.server})
}

// testClient is one connection. It is its own [Peer]: what is pushed collects in pushes.
type testClient struct {
	t       testing.TB
	state   *Client
	session *resp.Session
	pushes  []any
	status  resp.Status // how the last request left the session
	closed  bool        // by the server
}

// do runs a command and returns its reply, in the types of package resptest. A single
// argument is a line that is split as redis-cli splits it ("SET k \"a b\\x00\"");
// several are the command's arguments as they are.
func (c *testClient) do(args ...any) any {
	c.t.Helper()
	c.send(resptest.Command(c.split(args)...))
	out := c.session.Output()
	reply, n, err := resptest.Parse(out)
	require.NoError(c.t, err, "%v: %q", args, out)
	require.Len(c.t, out, n, "%v: more than one reply", args)
	c.session.Sent()
	return reply
}

// silent runs a command that must leave no reply.
func (c *testClient) silent(args ...any) {
	c.t.Helper()
	c.send(resptest.Command(c.split(args)...))
	require.Empty(c.t, c.session.Output(), "%v", args)
}

// want runs a command line, split as by do, and requires its reply: a string is a bulk
// string, ok is +OK, an int an integer, nil the null of the client's protocol, an
// [Error] that error, []any and []string arrays; anything else is as in resptest.
func (c *testClient) want(line string, reply any) {
	c.t.Helper()
	require.Equal(c.t, c.wire(reply), c.do(line), line)
}

// send gives bytes to the session, which runs the commands in them.
func (c *testClient) send(p []byte) {
	for len(p) > 0 {
		n := copy(c.session.Space(), p)
		c.status = c.session.Filled(n)
		p = p[n:]
	}
	for c.status == resp.Flush {
		c.status = c.session.Resume()
	}
}

func (c *testClient) split(args []any) []any {
	c.t.Helper()
	line, isLine := args[0].(string)
	if len(args) > 1 || !isLine {
		return args
	}
	words, err := quote.Split(line)
	require.NoError(c.t, err, line)
	split := make([]any, len(words))
	for i, w := range words {
		split[i] = w
	}
	return split
}

// wire is the reply as resptest reads it.
func (c *testClient) wire(v any) any {
	switch v := v.(type) {
	case nil:
		if c.session.Writer().Proto == 3 {
			return resptest.Nil3
		}
		return resptest.NilBulk
	case int:
		return int64(v)
	case Error:
		return resptest.Error(v)
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = c.wire(x)
		}
		return list
	}
	return v
}

// Push, Close, CloseAfterReply, Pending, Memory, RemoteAddr and LocalAddr implement [Peer].
func (c *testClient) Push(p []byte) {
	message, n, err := resptest.Parse(p)
	require.NoError(c.t, err)
	require.Len(c.t, p, n)
	c.pushes = append(c.pushes, message)
}

func (c *testClient) Close()           { c.closed = true }
func (c *testClient) CloseAfterReply() { c.closed = true }
func (c *testClient) Pending() int     { return len(c.session.Output()) }
func (c *testClient) Memory() int      { return 0 }

func (c *testClient) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 50000 + int(c.state.ID)}
}

func (c *testClient) LocalAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 6379}
}

// fakeClock stands still. Its real time is its logical one.
type fakeClock struct{ now int64 }

func (c *fakeClock) Now() int64                   { return c.now }
func (c *fakeClock) Monotonic() int64             { return c.now }
func (c *fakeClock) Read() (now, monotonic int64) { return c.Now(), c.Monotonic() }
func (c *fakeClock) Set(unixNano int64)           { c.now = unixNano }
func (c *fakeClock) Advance(ns int64)             { c.now += ns }
func (c *fakeClock) Resume()                      {}

// newSeed is a source of randomness whose seed is logged; the variable SEED sets it.
func newSeed(t testing.TB) rand.Source {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("SEED=%d", seed)
	return rand.NewPCG(seed, 0)
}

// typeOf is TYPE's reply.
func typeOf(name string) any { return resptest.Simple(name) }
