package bounded

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/internal/certtest"

	"github.com/stretchr/testify/require"
)

// clientHello is the beginning of a handshake: the head of a record of 512 bytes, and one of these bytes.
const clientHello = "\x16\x03\x01\x02\x00\x01"

// listenTLS starts a listener with TLS that answers every request with its path.
func listenTLS(t *testing.T, b Bounds, open func(string) (net.Listener, error)) *Listener {
	pair := certtest.New(t, t.TempDir(), "server")
	l := &Listener{Bounds: b, Open: open, Log: slog.New(slog.DiscardHandler),
		Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) },
		),
		TLS: func() *tls.Config { return &tls.Config{Certificates: []tls.Certificate{pair}} },
	}
	require.NoError(t, l.Listen("127.0.0.1:0"))
	t.Cleanup(l.Close)
	return l
}

// secure begins TLS on a connection.
func (c *client) secure() *client {
	nc := tls.Client(c.Conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
	return &client{nc, c.t, bufio.NewReader(nc)}
}

// TestHandshakesEnd: neither silence nor bytes that trickle in keep a handshake open for longer than a
// request.
func TestHandshakesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		l := listenTLS(t, Bounds{Conns: 10, Header: 4 << 10, Request: 10 * time.Second, Idle: time.Minute},
			func(string) (net.Listener, error) { return p, nil })
		defer l.Close()
		begun := time.Now()
		silent, slow, trickles := p.connect(t), p.connect(t), p.connect(t)
		slow.send(clientHello)
		trickled := make(chan int)
		go func() {
			n := 0
			for text := []byte(clientHello); ; n++ {
				if _, err := trickles.Write(text); err != nil {
					break
				}
				text = text[:1]
				time.Sleep(time.Second)
			}
			trickled <- n
		}()
		good := p.connect(t).secure()
		good.get("/good")
		silent.closed()
		slow.closed()
		require.Equal(t, 10*time.Second, time.Since(begun))
		require.LessOrEqual(t, <-trickled, 11)
		good.get("/still")
	})
}

// TestHandshakesMakeRoom: clients that never end their handshake displace no client that kept its
// connection, and keep nobody out.
func TestHandshakesMakeRoom(t *testing.T) {
	l := listenTLS(t, Bounds{Conns: 32, Header: 4 << 10, Request: time.Hour, Idle: time.Hour}, nil)
	var kept []*client
	for range 24 {
		one := dial(t, l).secure()
		one.get("/1")
		kept = append(kept, one)
	}
	require.Eventually(
		t,
		func() bool { return l.connectionsOf().count(waits) == 24 },
		patience,
		time.Millisecond,
	)
	for i := range 100 {
		dial(t, l).send(clientHello[:i%(1+len(clientHello))])
	}
	// The last of them has its place: 24 connections began, and then 100.
	require.Eventually(
		t,
		func() bool { return l.connectionsOf().begun.Load() == 124 },
		patience,
		time.Millisecond,
	)
	for _, one := range kept {
		one.get("/2")
	}
	dial(t, l).secure().get("/new")
}

// TestIdleConnectionsWithTLSMakeRoom: the state of a connection is known below TLS, too.
func TestIdleConnectionsWithTLSMakeRoom(t *testing.T) {
	l := listenTLS(t, one, nil)
	for range 3 {
		dial(t, l).secure().get("/1")
	}
}

// TestARequestWithoutTLSHasAnAnswer says what is wrong.
func TestARequestWithoutTLSHasAnAnswer(t *testing.T) {
	c := dial(t, listenTLS(t, wide, nil))
	c.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	answer, err := io.ReadAll(c.in)
	require.NoError(t, err)
	require.Contains(t, string(answer), "400 Bad Request")
	require.Contains(t, string(answer), "Client sent an HTTP request to an HTTPS server")
}

// TestCloseWaitsForNoClient: clients with TLS that read nothing do not delay the end.
func TestCloseWaitsForNoClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		l := listenTLS(t, Bounds{Conns: 10, Header: 4 << 10, Request: time.Hour, Idle: time.Hour},
			func(string) (net.Listener, error) { return p, nil })
		for range 5 {
			c := p.connect(t).secure()
			c.get("/1") // a pipe has no buffer: the goodbye of TLS would wait for a reader
		}
		synctest.Wait()
		begun := time.Now()
		l.Close()
		require.Zero(t, time.Since(begun))
	})
}

// TestStopWaitsForNoClient longer than its context lasts. This needs real time, because net/http holds a
// lock while it says goodbye.
func TestStopWaitsForNoClient(t *testing.T) {
	p := newPipes()
	l := listenTLS(t, Bounds{Conns: 10, Header: 4 << 10, Request: time.Hour, Idle: time.Hour},
		func(string) (net.Listener, error) { return p, nil })
	for range 3 {
		c := p.connect(t).secure()
		c.get("/1")
	}
	wait := func() bool { return l.connectionsOf().count(waits) == 3 }
	require.Eventually(t, wait, patience, time.Millisecond)
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	l.Stop(ctx)
	require.Less(t, time.Since(begun), 5*time.Second, "one goodbye lasts 5 s")
}

// TestLargeHandshakes: a handshake without an end is refused.
func TestLargeHandshakes(t *testing.T) {
	c := dial(t, listenTLS(t, wide, nil))
	record := "\x16\x03\x01\x40\x00" // of 16 kB
	c.send(record + "\x01\xff\xff\xff" + strings.Repeat("x", 16<<10-4))
	c.closedAfterAlert()
}

// closedAfterAlert requires that the server ends the handshake.
func (c *client) closedAfterAlert() {
	c.t.Helper()
	_, err := io.Copy(io.Discard, c.in)
	var late net.Error
	require.False(c.t, err != nil && errors.As(err, &late) && late.Timeout(), "the connection is still open")
}
