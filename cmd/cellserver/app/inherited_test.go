package app

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/internal/certtest"
	"cellserver/internal/config/configload"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// manager opens listening sockets as systemd does, and keeps them until the test ends.
type manager struct {
	t     testing.TB
	open  []interface{ File() (*os.File, error) }
	heard chan string // the states of servers
}

func newManager(t testing.TB) *manager { return &manager{t: t, heard: make(chan string, 16)} }

// listen opens a socket, and returns its address.
func (m *manager) listen(network, address string) net.Addr {
	ln, err := net.Listen(network, address)
	require.NoError(m.t, err)
	m.t.Cleanup(func() { ln.Close() })
	m.open = append(m.open, ln.(interface{ File() (*os.File, error) }))
	return ln.Addr()
}

func (m *manager) listenTCP() int { return m.listen("tcp", "127.0.0.1:0").(*net.TCPAddr).Port }

// start makes a server that inherits the sockets.
func (m *manager) start(directives ...string) (*App, error) {
	cfg, _, err := configload.Load(append([]string{"--bind", "127.0.0.1", "--dir", m.t.TempDir(), "--save", "", "--appendonly", "no"}, directives...), nil, nil)
	require.NoError(m.t, err)
	var files []*os.File
	for _, ln := range m.open {
		file, err := ln.File()
		require.NoError(m.t, err)
		files = append(files, file)
	}
	return New(Options{Config: cfg, Sockets: files, Notify: func(state string) error {
		m.heard <- state
		return nil
	}})
}

// serve runs a server until the caller calls stop.
func (m *manager) serve(directives ...string) (stop func()) {
	a, err := m.start(directives...)
	require.NoError(m.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(m.t, <-done)
	}
}

// TestClientsWaitWhileTheServerRestarts: a client that connects and asks between two servers is served by the second one.
func TestClientsWaitWhileTheServerRestarts(t *testing.T) {
	m, dir := newManager(t), t.TempDir()
	certtest.New(t, dir, "server")
	certtest.New(t, dir, "client")
	plain, secure, web, metrics := m.listenTCP(), m.listenTCP(), m.listenTCP(), m.listenTCP()
	path := m.listen("unix", resptest.SocketPath(t)).String()
	directives := []string{"--port", fmt.Sprint(plain), "--tls-port", fmt.Sprint(secure), "--tls-cert-file", filepath.Join(dir, "server.crt"),
		"--tls-key-file", filepath.Join(dir, "server.key"), "--tls-auth-clients", "no", "--http-port", fmt.Sprint(web),
		"--metrics-port", fmt.Sprint(metrics), "--unixsocket", path}
	m.serve(directives...)()
	require.Equal(t, []string{"READY=1", "STOPPING=1"}, []string{<-m.heard, <-m.heard})

	waiting := map[string]net.Conn{}
	for name, at := range map[string][2]string{"plain": {"tcp", fmt.Sprint("127.0.0.1:", plain)}, "unix": {"unix", path},
		"web": {"tcp", fmt.Sprint("127.0.0.1:", web)}, "metrics": {"tcp", fmt.Sprint("127.0.0.1:", metrics)}} {
		nc, err := net.DialTimeout(at[0], at[1], timeout)
		require.NoError(t, err, name)
		defer nc.Close()
		nc.SetDeadline(time.Now().Add(timeout))
		waiting[name] = nc
	}
	for _, name := range []string{"web", "metrics"} {
		_, err := fmt.Fprint(waiting[name], "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
	}
	defer m.serve(directives...)()
	for _, name := range []string{"plain", "unix"} {
		require.Equal(t, resptest.Simple("PONG"), resptest.New(t, waiting[name]).Do("PING"), name)
	}
	for _, name := range []string{"web", "metrics"} {
		answer, err := http.ReadResponse(bufio.NewReader(waiting[name]), nil)
		require.NoError(t, err, name)
		answer.Body.Close()
		require.Equal(t, http.StatusOK, answer.StatusCode, name)
	}
	c, _, err := dialTLS(t, fmt.Sprint("127.0.0.1:", secure))
	require.NoError(t, err)
	require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
}

// CONFIG SET leaves the address of an inherited socket, and returns to it. Both listeners of HTTP do the same.
func TestConfigSetReturnsToAnInheritedSocket(t *testing.T) {
	m := newManager(t)
	port, web, other := m.listenTCP(), m.listenTCP(), porttest.Free(t)
	defer m.serve("--port", fmt.Sprint(port), "--http-port", fmt.Sprint(web))()
	c := resptest.Dial(t, fmt.Sprint("127.0.0.1:", port))
	ok(t, c, "CONFIG", "SET", "port", other, "http-port", 0)
	require.Equal(t, resptest.Simple("PONG"), resptest.Dial(t, fmt.Sprint("127.0.0.1:", other)).Do("PING"))
	ok(t, c, "CONFIG", "SET", "port", port, "http-port", web)
	require.Equal(t, resptest.Simple("PONG"), resptest.Dial(t, fmt.Sprint("127.0.0.1:", port)).Do("PING"))
	status, _ := ask(t, web, "/healthz")
	require.Equal(t, http.StatusOK, status)
	requireNoListener(t, other)
}

// A name or a wildcard in bind finds its socket, too. Other addresses are opened.
func TestNamesFindTheirSockets(t *testing.T) {
	m := newManager(t)
	port := m.listen("tcp4", "0.0.0.0:0").(*net.TCPAddr).Port
	metrics := m.listen("tcp4", "127.0.0.1:0").(*net.TCPAddr).Port
	web := porttest.Free(t)
	defer m.serve("--bind", "*", "--port", fmt.Sprint(port), "--metrics-bind", "localhost", "--metrics-port", fmt.Sprint(metrics),
		"--http-port", fmt.Sprint(web))()
	require.Equal(t, resptest.Simple("PONG"), resptest.Dial(t, fmt.Sprint("127.0.0.1:", port)).Do("PING"))
	status, _ := ask(t, web, "/healthz")
	require.Equal(t, http.StatusOK, status)
}

func TestSocketsThatCannotBeUsed(t *testing.T) {
	m := newManager(t)
	port := m.listenTCP()
	_, err := m.start("--port", fmt.Sprint(porttest.Free(t)))
	require.ErrorContains(t, err, fmt.Sprintf("systemd listens on 127.0.0.1:%d (", port))
	require.ErrorContains(t, err, "but the configuration does not: give ListenStream= and bind, port, unixsocket or http-port the same addresses")

	nc, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port))
	require.NoError(t, err)
	defer nc.Close()
	m.open = []interface{ File() (*os.File, error) }{nc.(*net.TCPConn)}
	_, err = m.start("--port", fmt.Sprint(port))
	require.ErrorContains(t, err, "is a connection: use Accept=no")

	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer packets.Close()
	m.open = []interface{ File() (*os.File, error) }{packets.(*net.UDPConn)}
	_, err = m.start("--port", fmt.Sprint(port))
	require.ErrorContains(t, err, "use ListenStream=")
}

// TestServiceManagerThatDoesNotAnswer: the server works without it, and says so.
func TestServiceManagerThatDoesNotAnswer(t *testing.T) {
	in, err := open(t)
	require.NoError(t, err)
	in.notify = func(string) error { return os.ErrNotExist }
	in.run(t)
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
	require.Eventually(t, func() bool { return strings.Contains(in.log.String(), "cannot notify the service manager") }, timeout, time.Millisecond)
}
