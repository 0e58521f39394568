package guides

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
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

// server is a cellserver whose clock stands still.
type server struct {
	process *exec.Cmd
	out     bytes.Buffer
	client  *resptest.Client
}

func startServer(t *testing.T, port string) *server {
	t.Helper()
	s := &server{process: exec.Command(binary, "--port", port, "--appendonly", "no", "--enable-debug-command", "yes", "--dir", t.TempDir())}
	s.process.Stdout, s.process.Stderr = &s.out, &s.out
	s.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, s.process.Start())
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the server on port %s printed:\n%s", port, s.out.String())
		}
	})
	address := "127.0.0.1:" + port
	require.Eventually(t, func() bool {
		nc, err := net.Dial("tcp", address)
		if err == nil {
			nc.Close()
		}
		return err == nil
	}, patience, 10*time.Millisecond)
	s.client = resptest.Dial(t, address)
	require.EqualValues(t, "OK", s.client.Do("DEBUG", "CLOCK", "SET", 1_800_000_000_000_000_000))
	require.EqualValues(t, "OK", s.client.Do("CL.RULE", "SET", "login", "CL.THROTTLE", 2, 1, 5))
	return s
}

func (s *server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// stop stops the process. Its connections stay open, and new ones still come about.
func (s *server) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, s.process.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus // the signal acts a moment later
	_, err := syscall.Wait4(s.process.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
}

// awaitRefusal waits until the program has called CL.THROTTLE four times. Then it sleeps for five seconds.
func (s *server) awaitRefusal(t *testing.T, p *program) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		select {
		case <-p.done:
			require.Fail(t, "the program ended", p.out.String()+p.log.String())
		default:
		}
		if strings.Contains(s.client.Do("INFO", "commandstats").(string), "cmdstat_cl.throttle:calls=4,") {
			return
		}
	}
	require.Fail(t, "the program does not ask")
}

// program is a running program.
type program struct {
	out, log bytes.Buffer
	err      error
	done     chan struct{}
}

func start(t *testing.T, command []string) *program {
	t.Helper()
	p := &program{done: make(chan struct{})}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = &p.out, &p.log
	cmd.WaitDelay = time.Second
	require.NoError(t, cmd.Start())
	go func() { p.err = cmd.Wait(); close(p.done) }()
	return p
}

// lines returns the lines that the program prints until its end.
func (p *program) lines(t *testing.T) string {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		require.Fail(t, "the program hangs")
	}
	require.NoError(t, p.err, p.log.String())
	return p.out.String()
}

// freePorts returns n ports that no process uses.
func freePorts(t *testing.T, n int) []string {
	t.Helper()
	ports := make([]string, n)
	for i := range ports {
		ports[i] = fmt.Sprint(porttest.Free(t))
	}
	return ports
}
