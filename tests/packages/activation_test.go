package packages

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	clients  = 50
	restarts = 5
	// patience is how long a test waits for an event that must come.
	patience = time.Minute
)

// manager starts a server as systemd does: with sockets that it keeps, and with a socket for notifications.
type manager struct {
	t      *testing.T
	dir    string
	files  []*os.File
	args   []string
	states *net.UnixConn
}

func newManager(t *testing.T) *manager {
	m := &manager{t: t, dir: t.TempDir()}
	states, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: filepath.Join(m.dir, "notify")})
	require.NoError(t, err)
	t.Cleanup(func() { _ = states.Close() })
	m.states = states
	return m
}

// keep opens a socket for the server.
func (m *manager) keep(network, address string) net.Addr {
	ln, err := net.Listen(network, address)
	require.NoError(m.t, err)
	file, err := ln.(interface{ File() (*os.File, error) }).File()
	require.NoError(m.t, err)
	m.t.Cleanup(func() { _, _ = ln.Close(), file.Close() })
	m.files = append(m.files, file)
	return ln.Addr()
}

// expect waits for a state of the server.
func (m *manager) expect(state string) {
	m.t.Helper()
	buffer := make([]byte, 256)
	require.NoError(m.t, m.states.SetReadDeadline(time.Now().Add(patience)))
	n, err := m.states.Read(buffer)
	require.NoError(m.t, err)
	require.Equal(m.t, state, string(buffer[:n]))
}

// start starts a server and waits until it is ready. The caller calls stop.
func (m *manager) start() (stop func()) {
	m.t.Helper()
	// The shell knows the number of its process, which the server keeps.
	line := append([]string{"-c", `LISTEN_PID=$$ exec "$@"`, "sh", os.Getenv("CELLSERVER"), "--dir", m.dir}, m.args...)
	server := exec.Command("sh", line...)
	server.Env = append(os.Environ(), "NOTIFY_SOCKET="+filepath.Join(m.dir, "notify"))
	if len(m.files) > 0 {
		server.ExtraFiles = m.files
		server.Env = append(server.Env, fmt.Sprint("LISTEN_FDS=", len(m.files)))
	}
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	server.Stderr = os.Stderr
	require.NoError(m.t, server.Start())
	m.expect("READY=1")
	return func() {
		m.t.Helper()
		require.NoError(m.t, server.Process.Signal(syscall.SIGTERM))
		m.expect("STOPPING=1")
		require.NoError(m.t, server.Wait())
	}
}

// crowd counts what happens to clients that connect, ask and leave.
type crowd struct {
	done                      chan struct{}
	running                   sync.WaitGroup
	answered, closed, refused atomic.Int64
	unknown                   atomic.Pointer[error]
}

// come starts the clients of an address.
func (c *crowd) come(n int, at net.Addr, request string) {
	for range n {
		c.running.Go(func() {
			for {
				select {
				case <-c.done:
					return
				default:
					c.visit(at, request)
				}
			}
		})
	}
}

// visit sends one request and waits for the first line of its reply.
func (c *crowd) visit(at net.Addr, request string) {
	nc, err := net.DialTimeout(at.Network(), at.String(), patience)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET):
		c.refused.Add(1)
		time.Sleep(time.Millisecond)
		return
	case err != nil:
		c.unknown.Store(&err)
		return
	}
	defer nc.Close()
	_ = nc.SetDeadline(time.Now().Add(patience))
	_, _ = fmt.Fprint(nc, request)
	switch line, err := bufio.NewReader(nc).ReadString('\n'); {
	case line == "+OK\r\n" || line == "HTTP/1.1 200 OK\r\n":
		c.answered.Add(1)
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.unknown.Store(&err)
	default: // a server that stops closes its connections: the client connects again
		c.closed.Add(1)
	}
}

// restart restarts a server while clients connect, and requires answers from each run of it.
func (m *manager) restart(addresses map[net.Addr]string) *crowd {
	c := &crowd{done: make(chan struct{})}
	stop := m.start()
	for at, request := range addresses {
		c.come(clients/len(addresses), at, request)
	}
	for i := range restarts + 1 {
		before := c.answered.Load()
		require.Eventually(m.t, func() bool { return c.answered.Load() >= before+10*clients }, patience, time.Millisecond)
		if i < restarts {
			stop()
			stop = m.start()
		}
	}
	close(c.done)
	c.running.Wait()
	stop()
	if err := c.unknown.Load(); err != nil {
		require.NoError(m.t, *err)
	}
	m.t.Logf("%d restarts: %d answered, %d closed by the stop, %d refused", restarts, c.answered.Load(), c.closed.Load(), c.refused.Load())
	return c
}

const (
	set   = "SET k v\r\n"
	check = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
)

// TestARestartRefusesNobody: no client is refused while a server with the sockets of its manager restarts.
func TestARestartRefusesNobody(t *testing.T) {
	m := newManager(t)
	plain, web := m.keep("tcp", "127.0.0.1:0"), m.keep("tcp", "127.0.0.1:0")
	path := m.keep("unix", filepath.Join(m.dir, "s"))
	m.args = []string{"--bind", "127.0.0.1", "--port", port(plain), "--http-port", port(web), "--unixsocket", path.String()}
	c := m.restart(map[net.Addr]string{plain: set, web: check, path: set})
	require.Zero(t, c.refused.Load())
}

// TestARestartWithoutThemRefuses: the test above can fail.
func TestARestartWithoutThemRefuses(t *testing.T) {
	m := newManager(t)
	ln := listenLow(t)
	require.NoError(t, ln.Close())
	m.args = []string{"--bind", "127.0.0.1", "--port", port(ln.Addr())}
	require.Positive(t, m.restart(map[net.Addr]string{ln.Addr(): set}).refused.Load())
}

// listenLow listens on a port that no system chooses for a connection. A client that connects again and again while the server is
// down could get the port of the server as its own one otherwise. A UDP socket holds the number, as those of porttest do.
func listenLow(t *testing.T) net.Listener {
	for range 1000 {
		at := fmt.Sprint("127.0.0.1:", 11_000+rand.IntN(10_000))
		holder, err := net.ListenPacket("udp", at)
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = holder.Close() })
		if ln, err := net.Listen("tcp", at); err == nil {
			return ln
		}
	}
	require.FailNow(t, "no port is free")
	return nil
}

func port(at net.Addr) string { return fmt.Sprint(at.(*net.TCPAddr).Port) }
