package peer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/cluster/roster"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

const elsewhere = "0123456789012345678901234567890123456789"

func TestAdmission(t *testing.T) {
	noLeaks(t)
	var n network
	cluster := ""
	own := n.dialer(Limits{Raft: 2, Calls: 1})
	own.Cluster = func() string { return cluster }
	b := n.start(t, &fakeService{state: &roster.State{}}, own)
	d := n.dialer(Limits{})
	d.Cluster = func() string { return elsewhere }
	dial := func(kind connKind, group uint16) (net.Conn, error) {
		return d.Dial(t.Context(), b.addr, kind, group)
	}

	_, err := dial(kindRaft, 0)
	require.ErrorIs(t, err, notServed)
	_, err = dial(kindForward, 0)
	require.ErrorIs(t, err, notServed)
	layer, err := b.Raft(0, "b:16379")
	require.NoError(t, err)
	require.Equal(t, "b:16379", layer.Addr().String())
	_, err = b.Raft(0, "b:16379")
	require.EqualError(t, err, "the peer port serves Raft connections of group 0 already")
	_, err = dial(kindRaft, 1)
	require.ErrorIs(t, err, notServed, "another group")

	var open []net.Conn
	for range 2 {
		conn, err := dial(kindRaft, 0)
		require.NoError(t, err)
		accepted, err := layer.Accept()
		require.NoError(t, err)
		open = append(open, conn, accepted)
	}
	_, err = dial(kindRaft, 0)
	require.ErrorIs(t, err, tooManyOpen)
	_, err = d.State(t.Context(), b.addr)
	require.NoError(t, err, "each kind has its own places")
	require.NoError(t, open[1].Close())
	require.Error(t, open[1].Close())
	_, err = dial(kindRaft, 0)
	require.NoError(t, err, "a closed connection gives its place back, once")
	_, err = dial(kindRaft, 0)
	require.ErrorIs(t, err, tooManyOpen)

	cluster = strings.Repeat("f", 40)
	_, err = dial(kindRaft, 0)
	require.ErrorIs(t, err, otherCluster)
	requireSoon(t, "the end of the first call", func() bool { return b.Stats().Calls == 0 })
	_, err = d.State(t.Context(), b.addr)
	require.NoError(t, err, "calls may ask another cluster")

	require.NoError(t, layer.Close())
	require.NoError(t, layer.Close())
	_, err = layer.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	d.Cluster = nil
	_, err = dial(kindRaft, 0)
	require.ErrorIs(t, err, notServed)
	for _, conn := range open {
		_ = conn.Close()
	}
}

// Bytes of Raft pass both ways, and Close of the port closes what it accepted.
func TestStreamLayer(t *testing.T) {
	noLeaks(t)
	var n network
	a, b := n.start(t, &fakeService{}, n.dialer(Limits{})), n.start(t, &fakeService{}, n.dialer(Limits{}))
	from, err := a.Raft(3, a.addr)
	require.NoError(t, err)
	to, err := b.Raft(3, b.addr)
	require.NoError(t, err)
	near, err := from.Dial("127.0.0.1:1", time.Second)
	require.Error(t, err)
	require.Nil(t, near)
	near, err = from.Dial(raft.ServerAddress(b.addr), time.Minute)
	require.NoError(t, err)
	far, err := to.Accept()
	require.NoError(t, err)
	_, err = near.Write([]byte("ping"))
	require.NoError(t, err)
	got := make([]byte, 4)
	_, err = io.ReadFull(far, got)
	require.NoError(t, err)
	require.Equal(t, "ping", string(got))
	require.Equal(t, portStats{Raft: 1}, b.Stats())
	b.Close()
	_, err = near.Read(got)
	require.Equal(t, io.EOF, err)
	require.Equal(t, portStats{}, b.Stats())
	require.NoError(t, near.Close())
	_, err = b.Raft(4, b.addr)
	require.ErrorIs(t, err, net.ErrClosed)
}

// A forwarded client has its own address, and its bytes are those of the client.
func TestForwardedClients(t *testing.T) {
	noLeaks(t)
	var n network
	b := n.start(t, &fakeService{}, n.dialer(Limits{}))
	clients, err := b.Forwards()
	require.NoError(t, err)
	require.Equal(t, "passed on by other nodes", clients.Addr().String())
	d := n.dialer(Limits{})
	front, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = front.Close() }()
	client, err := net.Dial("tcp", front.Addr().String())
	require.NoError(t, err)
	served, err := front.Accept()
	require.NoError(t, err)
	passed, err := d.Forward(t.Context(), b.addr, served)
	require.NoError(t, err)
	_, err = passed.Write([]byte("PING\r\n"))
	require.NoError(t, err)
	accepted, err := clients.Accept()
	require.NoError(t, err)
	require.Equal(t, client.LocalAddr().String(), accepted.RemoteAddr().String())
	line, err := bufio.NewReader(accepted).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "PING\r\n", line)
	require.Equal(t, portStats{Forwards: 1}, b.Stats())
	_, err = accepted.Write([]byte("+PONG\r\n"))
	require.NoError(t, err)
	require.NoError(t, accepted.Close())
	reply, err := io.ReadAll(passed)
	require.NoError(t, err)
	require.Equal(t, "+PONG\r\n", string(reply))
	require.NoError(t, passed.Close())
	require.NoError(t, served.Close())
	require.NoError(t, client.Close())

	// Without the line there is no client.
	conn, err := d.Dial(t.Context(), b.addr, kindForward, 0)
	require.NoError(t, err)
	_, err = conn.Write([]byte("*1\r\n$4\r\nPING\r\n*1\r\n"))
	require.NoError(t, err)
	_, err = io.ReadAll(conn)
	require.NoError(t, ignoreReset(err))
	requireSoon(t, "a refusal", func() bool { return b.Stats() == portStats{Refused: 1} })
	_ = conn.Close()
}

// ignoreReset accepts that a socket which is closed with unread bytes is reset.
func ignoreReset(err error) error {
	if err != nil && strings.Contains(err.Error(), "reset") {
		return nil
	}
	return err
}

// Strangers who send nothing do not keep a node away: the oldest one makes place.
func TestSilentStrangers(t *testing.T) {
	noLeaks(t)
	var n network
	b := n.start(t, &fakeService{state: &roster.State{Term: 5}}, n.dialer(Limits{Pending: 8}))
	d := n.dialer(Limits{})
	var strangers []net.Conn
	for range 100 {
		conn, err := net.Dial("tcp", b.addr)
		require.NoError(t, err)
		strangers = append(strangers, conn)
		require.LessOrEqual(t, b.Stats().Pending, 8)
	}
	state, err := d.State(t.Context(), b.addr)
	require.NoError(t, err)
	require.EqualValues(t, 5, state.Term)
	requireSoon(t, "evictions", func() bool { return b.Stats().Evicted >= 92 })
	for _, conn := range strangers {
		_ = conn.Close()
	}
}

// Strangers who send anything get nothing, and fill neither the memory nor the log.
func TestNoisyStrangers(t *testing.T) {
	noLeaks(t)
	var n network
	service := &fakeService{}
	b := n.start(t, service, n.dialer(Limits{}))
	_, err := b.Raft(0, b.addr)
	require.NoError(t, err)
	for _, noise := range []string{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "cell\x01R\x00\x00\x01", "cell\x01C\x00\x00\x00", "\x16\x03\x01"} {
		for range 20 {
			conn, err := net.Dial("tcp", b.addr)
			require.NoError(t, err)
			_, err = conn.Write(append([]byte(noise), bytes.Repeat([]byte{'x'}, 200)...))
			require.NoError(t, ignoreReset(err))
			answer, err := io.ReadAll(conn)
			require.NoError(t, ignoreReset(err))
			require.LessOrEqual(t, len(answer), 34)
			require.NoError(t, conn.Close())
		}
	}
	requireSoon(t, "refusals", func() bool { s := b.Stats(); return s.Refused == 80 && s.Pending == 0 })
	require.Empty(t, service.noted())
	b.Close()
	require.Equal(t, 1, strings.Count(b.log.String(), "the peer port closed a connection: see the reason"), b.log.String())
}

// A connection that is closed at once, as a health check does, causes no log line.
func TestHealthChecksAreQuiet(t *testing.T) {
	var n network
	b := n.start(t, &fakeService{}, n.dialer(Limits{}))
	for range 10 {
		conn, err := net.Dial("tcp", b.addr)
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	}
	b.Close()
	require.Empty(t, b.log.String())
}

func TestServeOnlyWhereItMay(t *testing.T) {
	port := func(s *Security) (*Port, error) {
		return NewPort(&Dialer{Security: s}, &fakeService{}, slog.New(slog.DiscardHandler))
	}
	_, err := port(&Security{Secret: []byte("short")})
	require.EqualError(t, err, "cluster-secret has 5 bytes, fewer than 16: use 32 random characters")
	p, err := port(&Security{})
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	require.ErrorContains(t, p.Serve(ln), "without cluster-secret and tls-cluster it listens on loopback addresses only")
	_, err = ln.Accept()
	require.ErrorIs(t, err, net.ErrClosed, "the listener is closed")
	p.Close()
}

// failing fails a few times before it accepts.
type failing struct {
	net.Listener
	times int
}

func (f *failing) Accept() (net.Conn, error) {
	if f.times > 0 {
		f.times--
		return nil, errors.New("too many open files")
	}
	return f.Listener.Accept()
}

// A port that cannot accept tries again, with growing pauses.
func TestAcceptAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		began := time.Now()
		ln := &failing{n.listen(t), 10}
		b := n.serve(t, &fakeService{state: &roster.State{}}, n.dialer(Limits{}), ln)
		_, err := n.dialer(Limits{}).State(t.Context(), b.addr)
		require.NoError(t, err)
		require.InDelta(t, 3.275, time.Since(began).Seconds(), 0.001)
		b.Close()
	})
}

// A node that proved itself has as little time for its first line as for the handshake.
func TestSlowNodesAreCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		b := n.start(t, &fakeService{state: &roster.State{}}, n.dialer(Limits{}))
		clients, err := b.Forwards()
		require.NoError(t, err)
		d := n.dialer(Limits{})
		conn, err := d.Dial(t.Context(), b.addr, kindForward, 0)
		require.NoError(t, err)
		began := time.Now()
		_, err = conn.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		require.Equal(t, defaultLimits.Step, time.Since(began))

		// It does not read the answer.
		conn, err = d.Dial(t.Context(), b.addr, kindCall, 0)
		require.NoError(t, err)
		_, err = conn.Write(appendFrame(nil, opState, []byte("{}")))
		require.NoError(t, err)
		time.Sleep(defaultLimits.Step)
		synctest.Wait()
		require.Zero(t, b.Stats().Calls)

		// Nobody accepts.
		conn, err = d.Dial(t.Context(), b.addr, kindForward, 0)
		require.NoError(t, err)
		_, err = conn.Write([]byte("PROXY UNKNOWN\r\n"))
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, 1, b.Stats().Forwards)
		require.NoError(t, clients.Close())
		_, err = conn.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		b.Close()
	})
}

// No bytes of an authenticated node break the port.
func FuzzCalls(f *testing.F) {
	f.Add(appendFrame(appendFrame(nil, opHello, []byte(`{"run":"a"}`)), opState, nil))
	f.Add(appendPublish(nil, false, []byte("a"), []byte("b")))
	f.Add(appendFrame(nil, opPublish, []byte{9, 0, 0, 0}))
	f.Add(appendFrame(nil, opJoin, []byte(`{"node":{"ID":"x"}}`)))
	f.Fuzz(func(t *testing.T, in []byte) {
		limits := Limits{Message: 100}.orDefault()
		a := &answerer{&fakeService{state: &roster.State{}, onPublish: func(channel, text string) {
			if len(channel)+len(text) > 100 {
				t.Fatal("too large")
			}
		}}, &limits}
		if err := a.serve(t.Context(), &script{in: bytes.NewReader(in)}, func() bool { return false }); err == nil {
			t.Fatal("the end of the bytes is an error")
		}
	})
}
