package proxies

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"cellserver/internal/buildtest"
	"cellserver/internal/porttest"
	"cellserver/internal/processtest"
	"cellserver/resp/resptest"
)

const patience = processtest.Patience

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
	cellserver *processtest.Process
	proxy      *processtest.Process
}

func newSite(t testing.TB) *site {
	s := &site{t: t, port: porttest.Free(t), web: porttest.Free(t), front: porttest.Free(t), dir: t.TempDir()}
	s.app = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.served.Add(1)
		if r.URL.Path == "/missing" {
			w.WriteHeader(http.StatusNotFound)
		}
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
	s.cellserver.AwaitData(address(s.port)) // a proxy may let requests pass meanwhile
}

// do runs a command of cellserver.
func (s *site) do(args ...any) any {
	return resptest.Dial(s.t, address(s.port)).Do(args...)
}

// startProxy starts a proxy and waits for it.
func (s *site) startProxy(program string, args ...string) {
	s.t.Helper()
	s.proxy = start(s.t, processtest.Installed(s.t, program), args...)
	s.proxy.Await(address(s.front))
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// start starts a program. It ends with the test, by SIGTERM, so that it ends its own processes.
func start(t testing.TB, path string, args ...string) *processtest.Process {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	p := processtest.Start(t, cmd)
	t.Cleanup(func() { p.Stop(syscall.SIGTERM) })
	return p
}
