package proxies

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cellserver/internal/buildtest"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// patience is how long a test waits for an event that must come.
const patience = time.Minute

var binary string

func TestMain(m *testing.M) {
	os.Exit(buildtest.Run(m, buildtest.Program{Package: buildtest.Server, Path: &binary}))
}

// site is a service behind a proxy that asks cellserver.
type site struct {
	t          testing.TB
	port, web  int    // of cellserver
	front      int    // of the proxy
	key        string // of the recipes; "" for their own
	variant    string // of the recipe of nginx; "" for none
	dir        string
	app        *httptest.Server
	served     atomic.Int64 // requests that reached the service
	cellserver *process
	proxy      *process
}

func newSite(t testing.TB) *site {
	s := &site{t: t, port: porttest.Free(t), web: porttest.Free(t), front: porttest.Free(t), dir: t.TempDir()}
	s.app = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.served.Add(1)
		_, _ = w.Write([]byte("served\n"))
	}))
	t.Cleanup(s.app.Close)
	s.startCellserver()
	return s
}

func (s *site) startCellserver(directives ...string) {
	s.t.Helper()
	args := []string{"--port", strconv.Itoa(s.port), "--http-port", strconv.Itoa(s.web), "--dir", s.dir, "--appendonly", "yes", "--save", ""}
	s.cellserver = start(s.t, binary, append(args, directives...)...)
	s.cellserver.await(s.port)
	require.Eventually(s.t, func() bool { return s.do("PING") == resptest.Simple("PONG") }, patience, time.Millisecond,
		"cellserver loads its data, and a proxy may let requests pass meanwhile")
}

// do runs a command of cellserver.
func (s *site) do(args ...any) any {
	return resptest.Dial(s.t, fmt.Sprintf("127.0.0.1:%d", s.port)).Do(args...)
}

// startProxy starts a proxy and waits for it.
func (s *site) startProxy(program string, args ...string) {
	s.t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/" + program); err != nil {
			require.Empty(s.t, os.Getenv("CELLSERVER_NO_SKIP"), "%s is missing: tests/run install", program)
			s.t.Skipf("%s is missing: tests/run install", program)
		}
	}
	s.proxy = start(s.t, path, args...)
	s.proxy.await(s.front)
}

// process is a running program.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	out  output
	done chan struct{}
}

// output collects what a program prints.
type output struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// start starts a program, which ends with the test.
func start(t testing.TB, path string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, p.cmd.Start())
	go func() { _ = p.cmd.Wait(); close(p.done) }()
	t.Cleanup(func() {
		p.stop(syscall.SIGTERM)
		if t.Failed() {
			t.Logf("%s printed:\n%s", filepath.Base(path), p.out.String())
		}
	})
	return p
}

// stop ends the program by a signal, and kills it if that takes too long.
func (p *process) stop(sig syscall.Signal) {
	_ = p.cmd.Process.Signal(sig)
	select {
	case <-p.done:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// await waits until the program listens.
func (p *process) await(port int) {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if nc, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			nc.Close()
			return
		}
		select {
		case <-p.done:
			require.Fail(p.t, "the program ended", "%s: %s", p.cmd.Path, p.out.String())
		default:
		}
	}
	require.Fail(p.t, "the program does not listen", "%s: %s", p.cmd.Path, p.out.String())
}
