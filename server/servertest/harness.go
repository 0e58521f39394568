package servertest

import (
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/internal/config/configload"
	"cellserver/internal/quote"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server"
	"cellserver/server/report"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// OK is the reply +OK.
const OK = resptest.Simple("OK")

// Start is the logical time at which a harness begins, in Unix nanoseconds. It has an odd
// millisecond and an odd nanosecond, so that tests find wrong rounding.
const Start int64 = 1_700_000_000_123_456_789

// RunID is the run id of every harness.
const RunID = "0123456789abcdef0123456789abcdef01234567"

// Harness is a server without sockets. Its clock stands still until a test moves it. It has the
// methods of its first client.
type Harness struct {
	*Client
	Server *server.Server
	Store  *store.Store
	Clock  *Clock
	Disk   *Disk
	Edge   *Edge
}

// Edge has the functions that the edge provides to a server. A nil function does nothing, or makes
// its command an error.
type Edge struct {
	Refuse     func(bytes int) bool // the memory for keys runs out if it returns true; see store.Options
	Configured func(old, new *config.Config) error
	Rewrite    func(*config.Config) error
	Shutdown   func(commands.ShutdownMode) error
	Process    report.Process
	Positions  server.Positions
	UserFile   commands.UserFile
	Topology   commands.Topology
	Follows    commands.Replication
	Log        io.Writer // gets the log; nil drops it
}

// New starts a server with the default configuration and with directives in the form of the command
// line ("--maxmemory", "1mb"). DEBUG is allowed.
func New(t testing.TB, directives ...string) *Harness { return NewAt(t, &Edge{}, directives...) }

// NewAt is [New] with an edge.
func NewAt(t testing.TB, edge *Edge, directives ...string) *Harness {
	t.Helper()
	args := append([]string{"--enable-debug-command", "yes"}, directives...)
	cfg, _, err := configload.Load(args, nil, nil)
	require.NoError(t, err)
	log := edge.Log
	if log == nil {
		log = io.Discard
	}
	h := &Harness{Store: store.New(store.Options{Databases: cfg.Databases, Seed: 1, Refuse: edge.Refuse}), Clock: &Clock{Time: Start}, Disk: &Disk{}, Edge: edge}
	h.Server = server.New(server.Options{
		Store: h.Store, Clock: h.Clock, Log: slog.New(slog.NewTextHandler(log, nil)),
		Config: cfg, RunID: RunID,
		Persistence: h.Disk, Configured: edge.Configured, Shutdown: edge.Shutdown, Process: edge.Process,
		Positions: edge.Positions, Files: server.Files{Rewrite: edge.Rewrite, Users: edge.UserFile},
		Others: server.Others{Topology: edge.Topology, Replication: edge.Follows},
	})
	require.NoError(t, h.Server.DefineUsers())
	h.Client = h.NewClient(t)
	return h
}

// NewClient connects another client.
func (h *Harness) NewClient(t testing.TB) *Client {
	c := &Client{Peer: Peer{T: t}}
	c.State = h.Server.Connect(c)
	c.Port = 50000 + int(c.State.ID())
	c.Session = resp.NewSession(c.State)
	t.Cleanup(c.State.Closed)
	return c
}

// At sets the logical clock, in Unix nanoseconds.
func (h *Harness) At(unixNano int64) { h.Clock.Set(unixNano) }

// Advance moves the logical clock.
func (h *Harness) Advance(d time.Duration) { h.Clock.Advance(int64(d)) }

// SortedSet sets a key of database 0 to a sorted set of members with the scores 0, 1, …
func (h *Harness) SortedSet(key string, members ...string) {
	var fp store.Footprint
	fp.AddKey([]byte(key))
	tx := h.Store.NewTx()
	tx.Begin(h.Clock.Now(), 0, &fp)
	defer tx.End()
	e := tx.Write([]byte(key))
	for i, m := range members {
		e.ZAdd(float64(i), []byte(m))
	}
}

// Transact calls do with a transaction on a key of database 0 and the logical time.
func (h *Harness) Transact(key string, do func(tx *store.Tx, now int64)) {
	var fp store.Footprint
	fp.AddKey([]byte(key))
	tx := h.Store.NewTx()
	tx.Begin(h.Clock.Now(), 0, &fp)
	defer tx.End()
	do(tx, h.Clock.Now())
}

// Client is one connection. It is its own transport.
type Client struct {
	Peer
	State   *server.Client
	Session *resp.Session
	Status  resp.Status // status of the session after the last request
}

// Do runs a command and returns its reply, in the types of package resptest. A single argument is a
// command line, split as redis-cli splits it ("SET k \"a b\\x00\""). Several arguments are the
// words of the command.
func (c *Client) Do(args ...any) any {
	c.T.Helper()
	c.Send(resptest.Command(c.split(args)...))
	out := c.Session.Output()
	reply, n, err := resptest.Parse(out)
	require.NoError(c.T, err, "%v: %q", args, out)
	require.Len(c.T, out, n, "%v: more than one reply", args)
	c.Session.Sent()
	return reply
}

// Silent runs a command and requires that it has no reply.
func (c *Client) Silent(args ...any) {
	c.T.Helper()
	c.Send(resptest.Command(c.split(args)...))
	require.Empty(c.T, c.Session.Output(), "%v", args)
}

// Want runs a command line, split as by Do, and requires its reply. A string stands for a bulk
// string, OK for +OK, and an int for an integer. nil stands for the null of the protocol in use, a
// [commands.Error] for that error. []any and []string stand for arrays. Other values are as in
// resptest.
func (c *Client) Want(line string, reply any) {
	c.T.Helper()
	require.Equal(c.T, c.Wire(reply), c.Do(line), line)
}

// Send feeds bytes to the session, which runs the commands in them.
func (c *Client) Send(p []byte) {
	for len(p) > 0 {
		n := copy(c.Session.Space(), p)
		c.Status = c.Session.Filled(n)
		p = p[n:]
	}
	for c.Status == resp.Flush {
		c.Status = c.Session.Resume()
	}
}

func (c *Client) split(args []any) []any {
	c.T.Helper()
	line, isLine := args[0].(string)
	if len(args) > 1 || !isLine {
		return args
	}
	words, err := quote.Split(line)
	require.NoError(c.T, err, line)
	split := make([]any, len(words))
	for i, w := range words {
		split[i] = w
	}
	return split
}

// Wire converts a reply in the form of [Client.Want] to the types of resptest.
func (c *Client) Wire(v any) any {
	switch v := v.(type) {
	case nil:
		if c.Session.Writer().Proto == 3 {
			return resptest.Nil3
		}
		return resptest.NilBulk
	case int:
		return int64(v)
	case commands.Error:
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
			list[i] = c.Wire(x)
		}
		return list
	}
	return v
}

// Pending implements [commands.Peer].
func (c *Client) Pending() int { return len(c.Session.Output()) }

// Clock is a clock that stands still at Time, in Unix nanoseconds. Its real time equals its logical
// time.
type Clock struct {
	Time int64
	Gap  int64 // by which Time is ahead of the wall clock; a test sets it before it sends commands
}

// Now implements [commands.Clock].
func (c *Clock) Now() int64 { return atomic.LoadInt64(&c.Time) }

// Monotonic implements [commands.Clock].
func (c *Clock) Monotonic() int64 { return atomic.LoadInt64(&c.Time) }

// Read implements [commands.Clock].
func (c *Clock) Read() (now, monotonic int64) { return c.Now(), c.Monotonic() }

// Until implements [commands.Clock].
func (c *Clock) Until(unixNano int64) int64 { return unixNano - c.Now() }

// Steps implements [commands.Clock].
func (c *Clock) Steps() (back, gap int64) { return 0, c.Gap }

// Set implements [commands.Clock].
func (c *Clock) Set(unixNano int64) { atomic.StoreInt64(&c.Time, unixNano) }

// Advance implements [commands.Clock].
func (c *Clock) Advance(ns int64) { atomic.AddInt64(&c.Time, ns) }

// Resume implements [commands.Clock].
func (c *Clock) Resume() {}

// Step implements [commands.Clock]. No key follows it.
func (c *Clock) Step(ns int64) { atomic.AddInt64(&c.Time, ns) }

// ErrDisk is an error for [Disk].
var ErrDisk = errors.New("no space left on device")

// Queued is the reply to a command inside MULTI.
const Queued = resptest.Simple("QUEUED")

// TypeOf is the reply of TYPE.
func TypeOf(name string) any { return resptest.Simple(name) }
