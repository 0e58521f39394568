package peer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHeaders(t *testing.T) {
	tcp := func(text string) net.Addr {
		a, err := net.ResolveTCPAddr("tcp", text)
		require.NoError(t, err)
		return a
	}
	for want, c := range map[string][2]net.Addr{
		"PROXY TCP4 10.0.0.1 10.0.0.2 1234 6379\r\n":         {tcp("10.0.0.1:1234"), tcp("10.0.0.2:6379")},
		"PROXY TCP6 2001:db8::1 ::1 1 2\r\n":                 {tcp("[2001:db8::1]:1"), tcp("[::1]:2")},
		"PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n":               {tcp("[::ffff:10.0.0.1]:1"), tcp("10.0.0.2:2")},
		"PROXY TCP6 fe80::1 fe80::2 1 2\r\n":                 {&net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0", Port: 1}, tcp("[fe80::2]:2")},
		"PROXY UNKNOWN\r\n":                                  {&net.UnixAddr{Name: "/tmp/x"}, tcp("10.0.0.2:2")},
		"PROXY TCP4 255.255.255.255 255.255.255.255 1 2\r\n": {tcp("255.255.255.255:1"), tcp("255.255.255.255:2")},
	} {
		line := proxyLine(c[0], c[1])
		require.Equal(t, want, string(line))
		in := bytes.NewReader(append(line, "*1\r\n$4\r\nPING\r\n"...))
		client, err := readProxyLine(in)
		require.NoError(t, err, want)
		require.Equal(t, 14, in.Len(), "nothing after the line is read")
		if from, ok := c[0].(*net.TCPAddr); ok {
			require.Equal(t, plain(from), client.AddrPort())
		} else {
			require.Nil(t, client)
		}
	}
}

func TestWrongHeaders(t *testing.T) {
	for _, line := range []string{
		"*1\r\n$4\r\nPING\r\n*1\r\n", "PROXY UNKNOWN\n\n", "PROXYUNKNOWN\r\n\r\n", "PROXY TCP4 10.0.0.1 10.0.0.2 1234\r\n",
		"PROXY TCP4 10.0.0 10.0.0.2 1 2\r\n", "PROXY TCP4 10.0.0.1 10.0.0.2 70000 2\r\n", "PROXY TCP9 10.0.0.1 10.0.0.2 1 2\r\n",
		"PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n", "PROXY " + strings.Repeat("x", 200) + "\r\n",
	} {
		_, err := readProxyLine(strings.NewReader(line))
		require.ErrorIs(t, err, errProxyLine, line)
	}
	_, err := readProxyLine(strings.NewReader("PROXY TCP4 10.0.0.1"))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = readProxyLine(strings.NewReader("PROXY TCP4 10.0"))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = readProxyLine(strings.NewReader(""))
	require.ErrorIs(t, err, io.EOF)
}

func FuzzReadHeader(f *testing.F) {
	f.Add([]byte("PROXY TCP4 10.0.0.1 10.0.0.2 1234 6379\r\nrest"))
	f.Add([]byte("PROXY UNKNOWN\r\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		in := bytes.NewReader(line)
		client, err := readProxyLine(in)
		if read := len(line) - in.Len(); read > longestLine || err == nil &&
			!bytes.HasSuffix(line[:read], []byte("\r\n")) {
			t.Fatalf("read %d of %q, error %v", read, line, err)
		}
		if err == nil && client != nil && !client.AddrPort().IsValid() {
			t.Fatalf("%v from %q", client, line)
		}
	})
}

// listen accepts connections and serves each one.
func listenTo(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return ln.Addr().String()
}

// echo answers with the PROXY line, and then with all bytes.
func echo(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_, _ = io.Copy(conn, conn)
}

func dialTCP(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr)
}

// open connects a client to a proxy.
func open(t *testing.T, addr string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	t.Cleanup(func() { _ = conn.Close() })
	return conn, bufio.NewReader(conn)
}

func requireLine(t *testing.T, in *bufio.Reader, want string) {
	t.Helper()
	line, err := in.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, want, line)
}

func TestProxy(t *testing.T) {
	before := runtime.NumGoroutine()
	p := newProxy(dialTCP, 2)
	at := listenTo(t, p.Serve)
	leader, next := listenTo(t, echo), listenTo(t, echo)

	_, in := open(t, at)
	requireLine(t, in, clusterDown)
	_, err := in.ReadByte()
	require.Equal(t, io.EOF, err)

	p.Lead(leader)
	a, inA := open(t, at)
	requireLine(t, inA, string(proxyLine(a.LocalAddr(), a.RemoteAddr())))
	_, err = a.Write([]byte("one\ntwo\n"))
	require.NoError(t, err)
	requireLine(t, inA, "one\n")
	requireLine(t, inA, "two\n")
	b, inB := open(t, at)
	requireLine(t, inB, string(proxyLine(b.LocalAddr(), b.RemoteAddr())))
	_, in = open(t, at)
	requireLine(t, in, tooManyClients)

	// A client that has closed its half still gets its answers.
	_, err = b.Write([]byte("last\n"))
	require.NoError(t, err)
	require.NoError(t, b.(*net.TCPConn).CloseWrite())
	requireLine(t, inB, "last\n")
	_, err = inB.ReadByte()
	require.Equal(t, io.EOF, err)

	p.Lead(leader)
	_, err = a.Write([]byte("three\n"))
	require.NoError(t, err)
	requireLine(t, inA, "three\n")

	p.Lead(next)
	_, err = inA.ReadByte()
	require.Error(t, err, "the client is cut")
	require.Eventually(t, func() bool { return p.Open() == 0 }, time.Minute, time.Millisecond, "a place is free a moment later")
	c, inC := open(t, at)
	requireLine(t, inC, string(proxyLine(c.LocalAddr(), c.RemoteAddr())))
	p.Close()
	_, err = inC.ReadByte()
	require.Error(t, err)
	require.Zero(t, p.Open())
	_, in = open(t, at)
	requireLine(t, in, clusterDown)
	requireGoroutines(t, before+3) // the three listeners of this test
}

// requireGoroutines waits until there are no more goroutines than given.
func requireGoroutines(t *testing.T, most int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > most; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines stay, more than %d:\n%s", runtime.NumGoroutine(), most, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestProxyWithoutAnAnswer(t *testing.T) {
	p := newProxy(func(context.Context, string) (net.Conn, error) {
		return nil,
			errors.New("connection refused")
	}, 10)
	p.Lead("leader:1")
	a, b := net.Pipe()
	go p.Serve(b)
	requireLine(t, bufio.NewReader(a), clusterDown)
	_, err := a.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
}

// A client that waits for a leader is cut if the leader changes, and after a while.
func TestProxyWhileDialing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(func(ctx context.Context, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, 10)
		p.Lead("one:1")
		for _, after := range []time.Duration{time.Second, openWithin} {
			a, b := net.Pipe()
			began := time.Now()
			go p.Serve(b)
			change := time.AfterFunc(time.Second, func() {
				if after == time.Second {
					p.Lead("two:1")
				}
			})
			requireLine(t, bufio.NewReader(a), clusterDown)
			require.Equal(t, after, time.Since(began))
			change.Stop()
		}
		p.Close()
	})
}

// A client that reads nothing does not keep its goroutine.
func TestLastWordsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(nil, 10)
		_, b := net.Pipe()
		began := time.Now()
		p.Serve(b)
		require.Equal(t, openWithin, time.Since(began))
	})
}

// wrapped is a connection inside another one.
type wrapped struct{ net.Conn }

func (w wrapped) Inner() net.Conn { return w.Conn }

func TestRelayBetweenWrappers(t *testing.T) {
	addr := listenTo(t, echo)
	server, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	front := listenTo(t, func(client net.Conn) { relayBytes(wrapped{wrapped{client}}, wrapped{server}) })
	client, in := open(t, front)
	_, err = client.Write([]byte("through\n"))
	require.NoError(t, err)
	requireLine(t, in, "through\n")
	require.NoError(t, client.(*net.TCPConn).CloseWrite())
	_, err = in.ReadByte()
	require.Equal(t, io.EOF, err)
}

// Without half-closed connections the end of the client ends the relay.
func TestRelayOverPipes(t *testing.T) {
	a, b := net.Pipe()
	c, d := net.Pipe()
	done := make(chan struct{})
	go func() { defer close(done); relayBytes(b, c) }()
	go func() { _, _ = a.Write([]byte("x")) }()
	got := make([]byte, 1)
	_, err := d.Read(got)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	<-done
	_, err = d.Read(got)
	require.Equal(t, io.EOF, err)
}

func BenchmarkRelay(b *testing.B) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	front, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	go func() { c, _ := server.Accept(); echo(c) }()
	p := newProxy(dialTCP, 1)
	p.Lead(server.Addr().String())
	go func() { c, _ := front.Accept(); p.Serve(c) }()
	c, err := net.Dial("tcp", front.Addr().String())
	require.NoError(b, err)
	in, request := bufio.NewReader(c), bytes.Repeat([]byte("x"), 60)
	_, err = in.ReadString('\n')
	require.NoError(b, err)
	for b.Loop() {
		_, _ = c.Write(request)
		_, err = io.ReadFull(in, request)
	}
	require.NoError(b, err)
	_ = c.Close()
	p.Close()
}
