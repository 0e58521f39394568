package bounded

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// count is a connection that counts its deadlines.
type count struct {
	net.Conn
	set int
}

func (c *count) SetReadDeadline(t time.Time) error {
	c.set++
	return c.Conn.SetReadDeadline(t)
}

// pair returns both ends of a connection.
func pair() (d *deadlines, below *count, other net.Conn) {
	near, far := net.Pipe()
	below = &count{Conn: near}
	return &deadlines{Conn: below}, below, far
}

// past is the deadline of net/http.
var past = time.Unix(1, 0)

// TestDeadlinesWithoutReads: deadlines cost nothing if no read waits.
func TestDeadlinesWithoutReads(t *testing.T) {
	d, below, other := pair()
	for range 3 {
		require.NoError(t, d.SetReadDeadline(time.Time{}))
		require.NoError(t, d.SetReadDeadline(past))
		_, err := d.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, d.SetReadDeadline(time.Time{}))
		go func() { _, _ = io.WriteString(other, "x") }()
		n, err := d.Read(make([]byte, 1))
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	require.Zero(t, below.set)
}

// TestDeadlineEndsRead: a deadline ends a read that waits, and later reads wait again.
func TestDeadlineEndsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, below, other := pair()
		for round := range 3 {
			failed := make(chan error)
			go func() {
				_, err := d.Read(make([]byte, 1))
				failed <- err
			}()
			synctest.Wait()
			require.NoError(t, d.SetReadDeadline(past))
			require.ErrorIs(t, <-failed, os.ErrDeadlineExceeded)
			require.NoError(t, d.SetReadDeadline(time.Time{}))
			require.Equal(t, 2*round+2, below.set)
		}
		require.NoError(t, other.Close())
		_, err := d.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	})
}

// TestDeadlineInTheFuture: it holds after one in the past, and ends.
func TestDeadlineInTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, other := pair()
		defer other.Close()
		require.NoError(t, d.SetReadDeadline(past))
		require.NoError(t, d.SetDeadline(time.Now().Add(time.Minute)))
		begun := time.Now()
		_, err := d.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(begun))
		require.NoError(t, d.SetReadDeadline(time.Time{}))
		go func() { _, _ = io.WriteString(other, "x") }()
		_, err = d.Read(make([]byte, 1))
		require.NoError(t, err)
	})
}

// TestDeadlineRaces: a read and its end begin at the same moment. The read always ends.
func TestDeadlineRaces(t *testing.T) {
	d, _, other := pair()
	defer other.Close()
	for range 2000 {
		failed := make(chan error, 1)
		go func() {
			_, err := d.Read(make([]byte, 1))
			failed <- err
		}()
		require.NoError(t, d.SetReadDeadline(past))
		require.ErrorIs(t, <-failed, os.ErrDeadlineExceeded)
		require.NoError(t, d.SetReadDeadline(time.Time{}))
	}
}

// TestClientLeaves: a handler learns that its client has left.
func TestClientLeaves(t *testing.T) {
	left := make(chan struct{})
	l := &Listener{Bounds: wide, Log: slog.New(slog.DiscardHandler), Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(left)
	})}
	require.NoError(t, l.Listen("127.0.0.1:0"))
	defer l.Close()
	c := dial(t, l)
	c.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Eventually(t, func() bool { return l.connectionsOf().active() == 1 }, patience, time.Millisecond)
	require.NoError(t, c.Close())
	select {
	case <-left:
	case <-time.After(patience):
		require.Fail(t, "the handler still waits")
	}
}

// TestPipelinedRequests: a client may send requests before the replies. Each gets its reply, in their order.
func TestPipelinedRequests(t *testing.T) {
	l := listen(t, wide, nil)
	c := dial(t, l)
	for range 100 {
		c.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
		c.receives("/a")
		c.receives("/b")
	}
}
