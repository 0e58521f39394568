package router

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// listenTo accepts connections and serves each one.
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

// echo answers with all bytes.
func echo(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_, _ = io.Copy(conn, conn)
}

// dialTCP connects, and names the client.
func dialTCP(ctx context.Context, addr string, client net.Conn) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err == nil {
		_, err = conn.Write([]byte(client.RemoteAddr().String() + "\n"))
	}
	return conn, err
}

// open connects a client to a relay.
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

func TestRelay(t *testing.T) {
	before := runtime.NumGoroutine()
	p := NewRelay(dialTCP, 2)
	at := listenTo(t, p.Serve)
	leader, next := listenTo(t, echo), listenTo(t, echo)

	_, in := open(t, at)
	requireLine(t, in, clusterDown)
	_, err := in.ReadByte()
	require.Equal(t, io.EOF, err)

	p.Lead(leader)
	a, inA := open(t, at)
	requireLine(t, inA, a.LocalAddr().String()+"\n")
	_, err = a.Write([]byte("one\ntwo\n"))
	require.NoError(t, err)
	requireLine(t, inA, "one\n")
	requireLine(t, inA, "two\n")
	b, inB := open(t, at)
	requireLine(t, inB, b.LocalAddr().String()+"\n")
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
	require.Eventually(t, func() bool { return p.clients() == 0 }, time.Minute, time.Millisecond, "a place is free a moment later")
	c, inC := open(t, at)
	requireLine(t, inC, c.LocalAddr().String()+"\n")
	p.Close()
	_, err = inC.ReadByte()
	require.Error(t, err)
	require.Zero(t, p.clients())
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

func TestRelayWithoutAnAnswer(t *testing.T) {
	p := NewRelay(func(context.Context, string, net.Conn) (net.Conn, error) {
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
func TestRelayWhileDialing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewRelay(func(ctx context.Context, _ string, _ net.Conn) (net.Conn, error) {
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
		p := NewRelay(nil, 10)
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
	p := NewRelay(dialTCP, 1)
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

// clients returns the number of clients that are relayed.
func (r *Relay) clients() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open
}
