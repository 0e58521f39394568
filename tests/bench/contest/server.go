package contest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/internal/processtest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// Kind is a server program with its directives.
type Kind struct {
	Name string
	Argv []string // without the port
}

// The names of kinds.
const (
	Redis      = "Redis"
	RedisCell  = "redis-cell"
	Cellserver = "cellserver"
)

// Kinds returns the servers to measure, Redis first and cellserver last. The servers save nothing.
func Kinds(o Options) []Kind {
	all := []Kind{{Redis, []string{"redis-server", "--appendonly", "no"}}}
	if o.RedisCell != "" {
		argv := []string{"redis-server", "--loadmodule", o.RedisCell, "--appendonly", "no"}
		all = append(all, Kind{RedisCell, argv})
	}
	return append(all, Ours(o, "--appendonly", "no"))
}

// Ours returns cellserver with directives.
func Ours(o Options, directives ...string) Kind {
	return Kind{Cellserver, append([]string{o.Cellserver}, directives...)}
}

// Server is a server process, or the place of one that does not run.
type Server struct {
	Addr string
	Web  string // the address of HTTP; "" for none

	argv    []string
	process *processtest.Process // nil: it does not run
}

// Start starts a server on some cores, in a new folder, and waits until it listens.
func (k Kind) Start(t testing.TB, cores string) *Server {
	s := k.place(t, cores)
	s.begin(t)
	return s
}

// place makes the place of a server: its ports and its folder. cellserver has its metrics enabled.
func (k Kind) place(t testing.TB, cores string) *Server {
	port := func() string { return strconv.Itoa(porttest.Free(t)) }
	own, web := port(), port()
	s := &Server{Addr: "127.0.0.1:" + own}
	program, err := exec.LookPath(k.Argv[0])
	require.NoError(t, err)
	program, err = filepath.Abs(program) // it holds in another folder
	require.NoError(t, err)
	s.argv = slices.Concat([]string{"-c", cores, program}, k.Argv[1:], []string{"--port", own})
	switch k.Name {
	case Cellserver:
		s.Web = "127.0.0.1:" + web
		s.argv = append(s.argv, "--http-port", web, "--metrics-port", port())
	case BareHandler:
		s.Web = s.Addr
		return s
	}
	s.argv = append(s.argv, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())
	return s
}

// begin starts the process. The environment contains no settings.
func (s *Server) begin(t testing.TB) {
	cmd := exec.Command("taskset", s.argv...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	s.process = processtest.Start(t, cmd)
	s.process.Await(s.Addr)
}

// Stop ends the process.
func (s *Server) Stop() { s.process.Stop(syscall.SIGTERM) }

// Kill ends the process by kill -9.
func (s *Server) Kill() {
	s.process.Stop(syscall.SIGKILL)
	s.process = nil
}

// PID returns the number of the process.
func (s *Server) PID() int { return s.process.Cmd.Process.Pid }

// Do sends a command on a connection of its own. An error reply fails the test.
func (s *Server) Do(t testing.TB, args ...any) any {
	t.Helper()
	reply, err := ask(s.Addr, args...)
	require.NoError(t, err, args)
	return reply
}

// ask sends a command on a connection of its own. An error reply becomes an error.
func ask(addr string, args ...any) (any, error) {
	c, err := resptest.Open(addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return do(c, args...)
}

// do sends a command and returns its reply. An error reply becomes an error.
func do(c *resptest.Client, args ...any) (any, error) {
	reply, err := c.Try(args...)
	if refused, ok := reply.(resptest.Error); ok {
		err = refused
	}
	return reply, err
}

// info returns a field of INFO; "" if there is none.
func (s *Server) info(name string) string {
	reply, _ := ask(s.Addr, "INFO")
	for line := range strings.Lines(fmt.Sprint(reply)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Settled waits until the server's resident memory moves by less than 1 % for two seconds, or for 30 s. It
// returns the bytes.
func (s *Server) Settled(t testing.TB) int64 {
	last := s.resident(t)
	for still, tries := 0, 0; still < 4 && tries < 60; tries++ {
		pause(t, 500*time.Millisecond)
		now := s.resident(t)
		if max(now, last)-min(now, last) <= last/100 {
			still++
		} else {
			still, last = 0, now
		}
	}
	return last
}

// resident returns the server's resident memory in bytes.
func (s *Server) resident(t testing.TB) (bytes int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	require.NoError(t, err)
	_, size, _ := strings.Cut(string(status), "VmRSS:")
	_, err = fmt.Sscanf(size, "%d kB", &bytes)
	require.NoError(t, err)
	return bytes << 10
}

// pause sleeps. The end of the context fails the test.
func pause(t testing.TB, d time.Duration) {
	t.Helper()
	select {
	case <-t.Context().Done():
		require.NoError(t, t.Context().Err())
	case <-time.After(d):
	}
}

// await waits until a condition holds.
func await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(processtest.Patience); !holds(); pause(t, 5*time.Millisecond) {
		require.True(t, time.Now().Before(end), what)
	}
}

// Pin lets this program and all processes that it starts later run on some cores only, such as "1" or
// "0-3,8".
func Pin(t testing.TB, cores string) {
	pin := exec.Command("taskset", "-a", "-c", "-p", cores, strconv.Itoa(os.Getpid()))
	out, err := pin.CombinedOutput()
	require.NoError(t, err, string(out))
	runtime.SetDefaultGOMAXPROCS() // GOMAXPROCS follows the new set of cores
}
