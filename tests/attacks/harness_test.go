package attacks

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cellserver/internal/buildtest"
	"cellserver/internal/porttest"
	"cellserver/internal/processtest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

const patience = processtest.Patience

// binary is the server that all attacks run against.
var binary string

func TestMain(m *testing.M) {
	os.Exit(buildtest.Run(m, buildtest.Program{Package: buildtest.Server, Path: &binary}))
}

// rounds returns how often an attack runs: a share in CI, all of it with ATTACKS=full.
func rounds(share, full int) int {
	if os.Getenv("ATTACKS") == "full" {
		return full
	}
	return share
}

// server is a running cellserver or Redis.
type server struct {
	*processtest.Process
	t    testing.TB
	addr string
	dir  string
}

// start runs a cellserver on a free port in a new directory until the test ends. It has one log
// policy, everysec, unless the directives say otherwise.
func start(t testing.TB, directives ...string) *server {
	t.Helper()
	return launch(t, binary, t.TempDir(), append([]string{"--enable-debug-command", "yes"}, directives...))
}

// startRedis runs the real redis-server beside it.
func startRedis(t testing.TB, directives ...string) *server {
	t.Helper()
	return launch(t, processtest.Installed(t, "redis-server"), t.TempDir(), append([]string{"--enable-debug-command", "yes"}, directives...))
}

func launch(t testing.TB, path, dir string, directives []string) *server {
	t.Helper()
	port := porttest.Free(t)
	args := append([]string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir}, directives...)
	s := &server{t: t, addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), dir: dir}
	s.run(exec.Command(path, args...))
	s.AwaitData(s.addr)
	return s
}

// run starts the process in its directory.
func (s *server) run(cmd *exec.Cmd) {
	s.t.Helper()
	cmd.Dir = s.dir
	s.Process = processtest.Start(s.t, cmd)
}

// dial connects a client.
func (s *server) dial() *resptest.Client {
	s.t.Helper()
	return resptest.Dial(s.t, s.addr)
}

// connect connects a socket, for requests that are no commands.
func (s *server) connect() net.Conn {
	s.t.Helper()
	nc, err := net.Dial("tcp", s.addr)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { nc.Close() })
	return nc
}

// alive requires that the server still runs and answers.
func (s *server) alive() {
	s.t.Helper()
	select {
	case <-s.Done:
		require.Fail(s.t, "the server ended", "%v", s.Status)
	default:
	}
	require.Equal(s.t, resptest.Simple("PONG"), s.dial().Do("PING"))
}

// memory returns the resident memory of the process and its maximum, in bytes.
func (s *server) memory() (now, peak int64) {
	s.t.Helper()
	now, peak = s.resident(), s.peakResident()
	require.Positive(s.t, now, "the server ended: %s", s.Printed())
	require.Positive(s.t, peak, "the server ended: %s", s.Printed())
	return now, peak
}

// peakResident returns the maximum of the resident memory so far, 0 if the process has ended.
func (s *server) peakResident() int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kb, 10, 64)
	return n << 10
}

// guard ends the server if its memory exceeds a bound, so that an attack cannot harm the
// machine. The test fails then. At its end, or earlier if it calls done, guard compares the memory with what the server may
// take. limits are those of clients, which count beside maxmemory.
func (s *server) guard(bytes int64, limits ...int64) (done func()) {
	s.t.Helper()
	stop := make(chan struct{})
	var watching sync.WaitGroup
	held := newAccount(s)
	for _, limit := range limits {
		held.limits += limit
	}
	watching.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-s.Done:
				return
			case <-time.After(5 * time.Millisecond):
			}
			held.resident = max(held.resident, s.resident())
			if held.resident > bytes {
				s.t.Errorf("the server takes more than %d MB", bytes>>20)
				s.Cmd.Process.Kill()
				return
			}
		}
	})
	if s.Cmd.Path == binary {
		watching.Go(func() { held.watch(s, stop) })
	}
	var once sync.Once // not OnceFunc: a check that fails ends the goroutine
	done = func() {
		once.Do(func() {
			close(stop)
			watching.Wait()
			if s.Cmd.Path == binary {
				held.resident = max(held.resident, s.peakResident())
				held.check(s.t)
			}
		})
	}
	s.t.Cleanup(done)
	return done
}

// resident returns the resident memory of the process, 0 if it has ended.
func (s *server) resident() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.Cmd.Process.Pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// bystander is another client, which measures how long its PINGs take.
type bystander struct {
	stop  chan struct{}
	ended sync.WaitGroup
	took  []time.Duration
}

// watch starts a bystander. It sends a PING each millisecond, and at least one.
func (s *server) watch() *bystander { return s.watchWith("PING") }

// watchWith starts a bystander that sends another command.
func (s *server) watchWith(command ...any) *bystander {
	s.t.Helper()
	b := &bystander{stop: make(chan struct{})}
	c := s.dial()
	b.ended.Go(func() {
		for {
			begun := time.Now()
			c.Send(command...)
			if _, err := c.TryRecv(); err != nil {
				return
			}
			b.took = append(b.took, time.Since(begun))
			select {
			case <-b.stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	return b
}

// waits ends the bystander and returns percentiles of its PINGs.
func (b *bystander) waits() (p50, p99, longest time.Duration) {
	close(b.stop)
	b.ended.Wait()
	if len(b.took) == 0 {
		return 0, 0, 0
	}
	slices.Sort(b.took)
	at := func(p float64) time.Duration { return b.took[int(p*float64(len(b.took)-1))] }
	return at(0.5), at(0.99), b.took[len(b.took)-1]
}

// calm watches bystanders, each for half a second, until the PINGs of one are as fast as bound demands. The times are those
// beyond the PINGs of an idle server. A busy machine disturbs some of them. A server that makes others wait disturbs all 20.
func (s *server) calm(bound func(p50, p99 time.Duration) bool) {
	s.t.Helper()
	idle := start(s.t)
	for range 20 {
		other, machine := s.watch(), idle.watch()
		time.Sleep(500 * time.Millisecond) // the bystanders measure real time
		p50, p99, longest := other.waits()
		idle50, idle99, _ := machine.waits()
		s.t.Logf("PING: p50 %v, p99 %v, longest %v; of an idle server: p50 %v, p99 %v", p50, p99, longest, idle50, idle99)
		if p50 > 0 && bound(p50-idle50, p99-idle99) {
			return
		}
	}
	require.Fail(s.t, "other clients wait")
}

// info returns a field of INFO.
func (s *server) info(field string) string {
	s.t.Helper()
	for line := range strings.SplitSeq(s.dial().Do("INFO", "everything").(string), "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok && name == field {
			return value
		}
	}
	require.Fail(s.t, "INFO has no field "+field)
	return ""
}

// TestTheHarness requires that the harness measures a server that nobody attacks.
func TestTheHarness(t *testing.T) {
	s := start(t)
	s.guard(512 << 20)
	other := s.watch()
	require.Equal(t, resptest.Simple("OK"), s.dial().Do("SET", "k", "v"))
	time.Sleep(50 * time.Millisecond) // the bystander measures real time
	p50, p99, longest := other.waits()
	require.Positive(t, p50)
	require.LessOrEqual(t, p50, p99)
	require.LessOrEqual(t, p99, longest)
	now, peak := s.memory()
	require.Positive(t, now)
	require.GreaterOrEqual(t, peak, now)
	require.Equal(t, "0", s.info("command_panics"))
	s.alive()
}
