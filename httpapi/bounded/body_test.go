package bounded

import (
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestUnreadBodiesMakeRoom: clients whose request is refused do not keep others out with a body that never
// comes.
func TestUnreadBodiesMakeRoom(t *testing.T) {
	for _, head := range []string{
		"Content-Length: 9", "Transfer-Encoding: chunked", "Content-Length: 9\r\nConnection: close",
	} {
		asked, hold := make(chan bool), make(chan bool)
		l := &Listener{Bounds: wide, Log: slog.New(slog.DiscardHandler), Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				if r.ContentLength != 0 {
					asked <- true
					<-hold
				}
				http.Error(w, r.URL.Path, http.StatusUnauthorized)
			},
		)}
		require.NoError(t, l.Listen("127.0.0.1:0"))
		for range wide.Conns {
			dial(t, l).send("POST /a HTTP/1.1\r\nHost: x\r\n" + head + "\r\n\r\n")
			<-asked
		}
		late := dial(t, l)
		late.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
		require.Eventually(t, l.connectionsOf().queued.Load, patience, time.Millisecond)
		close(hold)
		_, err := http.ReadResponse(late.in, nil)
		require.NoError(t, err, head)
		l.Close()
	}
}

// displacedConn is a connection that net/http has read a whole request from when it makes room.
type displacedConn struct {
	net.Conn
	read   chan bool // the request is read
	closed chan bool // of Close; the listener closes first, and then net/http
}

// SetWriteDeadline is what net/http does after the head of a request.
func (c *displacedConn) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() {
		c.read <- true
		<-c.closed
	}
	return c.Conn.SetWriteDeadline(at)
}

func (c *displacedConn) Close() error {
	defer func() { c.closed <- true }()
	return c.Conn.Close()
}

// displacedFirst is a listener whose first connection is a displacedConn.
type displacedFirst struct {
	net.Listener
	first *displacedConn
}

func (d *displacedFirst) Accept() (net.Conn, error) {
	nc, err := d.Listener.Accept()
	if err == nil && d.first.Conn == nil {
		d.first.Conn, nc = nc, d.first
	}
	return nc, err
}

// TestDisplacedRequestsAreNotCounted: a client that gets no reply asks again. Its first request must not
// count, too.
func TestDisplacedRequestsAreNotCounted(t *testing.T) {
	first, handled := &displacedConn{read: make(chan bool), closed: make(chan bool)}, make(chan string, 2)
	l := &Listener{Bounds: wide, Log: slog.New(slog.DiscardHandler),
		Open: func(address string) (net.Listener, error) {
			ln, err := net.Listen("tcp", address)
			return &displacedFirst{ln, first}, err
		},
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { handled <- r.URL.Path }),
	}
	l.Bounds.Conns = 1
	require.NoError(t, l.Listen("127.0.0.1:0"))
	defer l.Close()
	dial(t, l).send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n")
	<-first.read
	dial(t, l).send("GET /second HTTP/1.1\r\nHost: x\r\n\r\n")
	<-first.closed
	require.Equal(t, "/second", <-handled)
	require.Empty(t, handled)
}
