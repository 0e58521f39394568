package bounded

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// patience bounds each wait of a test.
const patience = time.Minute

// listen starts a listener that answers every request with its path, after hold is closed for the path /hold. If the context of
// the request has ended, it answers with the error.
func listen(t *testing.T, b Bounds, hold chan struct{}) *Listener {
	l := &Listener{Bounds: b, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			<-hold
		}
		answer := r.URL.Path
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			answer = err.Error()
		} else if err := r.Context().Err(); err != nil {
			answer = err.Error()
		}
		_, _ = io.WriteString(w, answer)
	})}
	require.NoError(t, l.Listen("127.0.0.1:0"))
	t.Cleanup(l.Close)
	return l
}

// client is one connection.
type client struct {
	net.Conn
	t  *testing.T
	in *bufio.Reader
}

func dial(t *testing.T, l *Listener) *client {
	nc, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = nc.Close() })
	require.NoError(t, nc.SetDeadline(time.Now().Add(patience)))
	return &client{nc, t, bufio.NewReader(nc)}
}

func (c *client) send(text string) {
	_, err := io.WriteString(c, text)
	require.NoError(c.t, err)
}

// get requires a reply to a request.
func (c *client) get(path string) {
	c.t.Helper()
	c.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")
	c.receives(path)
}

func (c *client) receives(path string) {
	c.t.Helper()
	r, err := http.ReadResponse(c.in, nil)
	require.NoError(c.t, err)
	body, err := io.ReadAll(r.Body)
	require.NoError(c.t, err)
	require.Equal(c.t, path, string(body))
}

// closed requires that the server closes the connection.
func (c *client) closed() {
	c.t.Helper()
	_, err := c.in.ReadByte()
	require.Error(c.t, err)
	require.NotErrorIs(c.t, err, context.DeadlineExceeded)
	timeout, is := err.(net.Error)
	require.False(c.t, is && timeout.Timeout(), "the connection is still open")
}

var wide = Bounds{Conns: 3, Header: 4 << 10, Request: time.Hour, Idle: time.Hour}

// one permits one connection.
var one = Bounds{Conns: 1, Header: 4 << 10, Request: time.Hour, Idle: time.Hour}

// TestLongestIdleMakesRoom: a new connection takes the place of the one that has been idle for longest.
func TestLongestIdleMakesRoom(t *testing.T) {
	l := listen(t, wide, nil)
	a, b, c := dial(t, l), dial(t, l), dial(t, l)
	for i, one := range []*client{a, b, c, a} {
		one.get("/1")
		// The server notes the end of a request after its reply.
		require.Eventually(t, func() bool { return l.connectionsOf().count(waits) == min(i+1, 3) }, patience, time.Millisecond)
	}
	d := dial(t, l)
	d.get("/2")
	b.closed()
	for _, one := range []*client{a, c, d} {
		one.get("/3")
	}
}

// TestReadRequestsAreAnswered: a connection makes room while requests of its client wait. These requests get their
// replies first, and none of them is cut off.
func TestReadRequestsAreAnswered(t *testing.T) {
	for range 50 {
		hold := make(chan struct{})
		l := listen(t, one, hold)
		c := dial(t, l)
		c.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\nPOST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbodyPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo")
		require.Eventually(t, func() bool { return l.connectionsOf().count(active) == 1 }, patience, time.Millisecond)
		next := dial(t, l)
		next.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
		require.Eventually(t, l.connectionsOf().queued.Load, patience, time.Millisecond)
		close(hold)
		c.receives("/hold")
		c.receives("/a")
		c.send("dy")
		c.receives("/b")
		c.closed()
		next.receives("/next")
		l.Close()
	}
}

// TestUnfinishedRequestsGoFirst: clients that send a part of a request, again and again, do not displace clients that
// kept their connection.
func TestUnfinishedRequestsGoFirst(t *testing.T) {
	l := listen(t, Bounds{Conns: 32, Header: 4 << 10, Request: time.Hour, Idle: time.Hour}, nil)
	var kept []*client
	for range 24 {
		one := dial(t, l)
		one.get("/1")
		kept = append(kept, one)
	}
	require.Eventually(t, func() bool { return l.connectionsOf().count(waits) == 24 }, patience, time.Millisecond)
	var halves []*client
	for range 100 {
		one := dial(t, l)
		one.send("GET /half HTTP/1.1\r\n")
		halves = append(halves, one)
	}
	for _, one := range halves[:92] { // the listener has accepted all of them, and has room for 8
		one.closed()
	}
	for _, one := range kept {
		one.get("/2")
	}
}

// TestNewConnectionsDisplaceIdleOnes: while few requests are unfinished, a new connection that has not sent its request
// yet is not displaced by the next one.
func TestNewConnectionsDisplaceIdleOnes(t *testing.T) {
	l := listen(t, Bounds{Conns: 16, Header: 4 << 10, Request: time.Hour, Idle: time.Hour}, nil)
	for range 16 {
		dial(t, l).get("/1")
	}
	require.Eventually(t, func() bool { return l.connectionsOf().count(waits) == 16 }, patience, time.Millisecond)
	a, b := dial(t, l), dial(t, l)
	require.Eventually(t, func() bool { return l.connectionsOf().count(unfinished) == 2 }, patience, time.Millisecond)
	a.get("/a")
	b.get("/b")
}

// TestUnfinishedRequestsMakeRoom: clients that do not send their whole request do not keep others out.
func TestUnfinishedRequestsMakeRoom(t *testing.T) {
	l := listen(t, one, nil)
	a := dial(t, l)
	a.send("GET /a HTTP/1.1\r\n")
	require.Eventually(t, func() bool { return l.connectionsOf().count(unfinished) == 1 }, patience, time.Millisecond)
	b := dial(t, l)
	b.get("/b")
	a.closed()
}

// openConns counts the connections that a listener has accepted and not closed.
type openConns struct {
	net.Listener
	now, most atomic.Int64
}

type openConn struct {
	net.Conn
	of   *openConns
	once sync.Once
}

func (o *openConns) Accept() (net.Conn, error) {
	nc, err := o.Listener.Accept()
	if err != nil {
		return nil, err
	}
	o.most.Store(max(o.most.Load(), o.now.Add(1)))
	return &openConn{Conn: nc, of: o}, nil
}

func (c *openConn) Close() error {
	c.once.Do(func() { c.of.now.Add(-1) })
	return c.Conn.Close()
}

// TestOpenConnections: clients with requests that wait do not raise the number of open connections. One more waits for room.
func TestOpenConnections(t *testing.T) {
	var opened *openConns
	l := &Listener{Bounds: Bounds{Conns: 8, Header: 4 << 10, Request: time.Hour, Idle: time.Hour}, Log: slog.New(slog.DiscardHandler),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) }),
		Open: func(address string) (net.Listener, error) {
			ln, err := net.Listen("tcp", address)
			opened = &openConns{Listener: ln}
			return opened, err
		}}
	require.NoError(t, l.Listen("127.0.0.1:0"))
	defer l.Close()
	for range 100 {
		dial(t, l).send(strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 20))
	}
	dial(t, l).get("/last")
	require.Equal(t, int64(8+1), opened.most.Load())
}

// TestActiveConnectionsStay: if all connections have a request, a new one waits.
func TestActiveConnectionsStay(t *testing.T) {
	hold := make(chan struct{})
	l := listen(t, wide, hold)
	var busy []*client
	for range wide.Conns {
		one := dial(t, l)
		one.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
		busy = append(busy, one)
	}
	require.Eventually(t, func() bool { return l.connectionsOf().count(active) == wide.Conns }, patience, time.Millisecond)
	late := dial(t, l)
	late.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, late.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err := late.in.Peek(1)
	require.Error(t, err, "there is no room")
	require.NoError(t, late.SetReadDeadline(time.Now().Add(patience)))
	close(hold)
	for _, one := range busy {
		one.receives("/hold")
	}
	late.receives("/late")
}

// pipes is a listener in virtual time.
type pipes struct {
	opened chan net.Conn
	ended  context.Context
	end    context.CancelFunc
}

func newPipes() pipes {
	ended, end := context.WithCancel(context.Background())
	return pipes{make(chan net.Conn), ended, end}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case nc := <-p.opened:
		return nc, nil
	case <-p.ended.Done():
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error { p.end(); return nil }

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// connect returns a client whose bytes pass through a pipe.
func (p pipes) connect(t *testing.T) *client {
	near, far := net.Pipe()
	p.opened <- far
	return &client{near, t, bufio.NewReader(near)}
}

// TestTimeIsUp: connections that are idle for too long, and requests that take too long, are closed.
func TestTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		l := &Listener{
			Bounds: Bounds{Conns: 10, Header: 4 << 10, Request: 10 * time.Second, Idle: time.Minute},
			Log:    slog.New(slog.DiscardHandler),
			Open:   func(string) (net.Listener, error) { return p, nil },
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, r.URL.Path)
			}),
		}
		require.NoError(t, l.Listen("pipes"))
		defer l.Close()
		begun := time.Now()
		silent, slow, good := p.connect(t), p.connect(t), p.connect(t)
		good.get("/good")
		slow.send("GET / HTTP/1.1\r\nHost: x\r\nX: ")
		silent.closed()
		slow.closed()
		require.Equal(t, 10*time.Second, time.Since(begun))
		time.Sleep(45 * time.Second)
		good.get("/still")
		begun = time.Now()
		good.closed()
		require.Equal(t, time.Minute, time.Since(begun))
	})
}

// TestLargeHeaders: the refusal has an end, and is not cut off by a reset. A proxy that fails open lets a
// request pass after a reset.
func TestLargeHeaders(t *testing.T) {
	l := listen(t, wide, nil)
	c := dial(t, l)
	c.send("GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n")
	r, err := http.ReadResponse(c.in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, r.StatusCode)
	_, err = io.ReadAll(r.Body)
	require.NoError(t, err)
}

func TestMoveAndStop(t *testing.T) {
	hold := make(chan struct{})
	l := listen(t, wide, hold)
	first := l.Addr().String()
	old := dial(t, l)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	require.Error(t, l.Listen(taken.Addr().String()))
	require.Equal(t, first, l.Addr().String(), "it keeps its address")
	old.get("/old")
	require.NoError(t, l.Listen("localhost:0"))
	old.closed()
	c := dial(t, l)
	c.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Eventually(t, func() bool { return l.connectionsOf().count(active) == 1 }, patience, time.Millisecond)
	stopped := make(chan struct{})
	go func() { l.Stop(context.Background()); close(stopped) }()
	close(hold)
	c.receives("/hold")
	<-stopped
	require.NoError(t, l.Listen(""))
	require.Nil(t, l.Addr())
}

// TestTheAddressIsFreeAtOnce: a listener that ends right after its start listens no longer, whether its goroutine has begun or
// not.
func TestTheAddressIsFreeAtOnce(t *testing.T) {
	for name, end := range map[string]func(l *Listener){
		"Stop":   func(l *Listener) { l.Stop(t.Context()) },
		"Close":  (*Listener).Close,
		"Listen": func(l *Listener) { require.NoError(t, l.Listen("")) },
	} {
		at := fmt.Sprint("127.0.0.1:", porttest.Free(t))
		for range 100 {
			l := listen(t, wide, nil)
			require.NoError(t, l.Listen(at))
			end(l)
			_, err := net.Dial("tcp", at)
			require.ErrorIs(t, err, syscall.ECONNREFUSED, name)
		}
	}
}

// TestOneRequestEach: without a time to be idle, each reply ends its connection.
func TestOneRequestEach(t *testing.T) {
	l := listen(t, Bounds{Conns: 2, Header: 4 << 10, Request: time.Hour}, nil)
	for range 5 {
		c := dial(t, l)
		c.get("/once")
		c.closed()
	}
}
