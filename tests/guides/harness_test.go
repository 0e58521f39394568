package guides

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/internal/buildtest"
	"cellserver/internal/porttest"
	"cellserver/internal/processtest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

const patience = processtest.Patience

var binary string

func TestMain(m *testing.M) {
	os.Exit(buildtest.Run(m, buildtest.Program{Package: buildtest.Server, Path: &binary}))
}

// server is a cellserver whose clock stands still.
type server struct {
	*processtest.Process
	client *resptest.Client
}

func startServer(t *testing.T, port string) *server {
	t.Helper()
	s := &server{Process: processtest.Start(t, exec.Command(binary, "--port", port, "--appendonly", "no",
		"--enable-debug-command", "yes", "--dir", t.TempDir()))}
	address := "127.0.0.1:" + port
	s.AwaitData(address)
	s.client = resptest.Dial(t, address)
	require.EqualValues(t, "OK", s.client.Do("DEBUG", "CLOCK", "SET", 1_800_000_000_000_000_000))
	require.EqualValues(t, "OK", s.client.Do("CL.RULE", "SET", "login", "CL.THROTTLE", 2, 1, 5))
	return s
}

// freeze stops the process. Its connections stay open, and new ones still come about.
func (s *server) freeze(t *testing.T) {
	t.Helper()
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus // the signal acts a moment later
	_, err := syscall.Wait4(s.Cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
}

// awaitRefusal waits until the program has called CL.THROTTLE four times. Then it sleeps for five seconds.
func (s *server) awaitRefusal(t *testing.T, p *program) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		select {
		case <-p.Done:
			require.Fail(t, "the program ended", p.out.String()+p.Printed())
		default:
		}
		if strings.Contains(s.client.Do("INFO", "commandstats").(string), "cmdstat_cl.throttle:calls=4,") {
			return
		}
	}
	require.Fail(t, "the program does not ask")
}

// program is a running program. The process prints its errors only.
type program struct {
	*processtest.Process
	out bytes.Buffer
}

func start(t *testing.T, command []string) *program {
	t.Helper()
	p, cmd := &program{}, exec.Command(command[0], command[1:]...)
	cmd.Stdout = &p.out
	p.Process = processtest.Start(t, cmd)
	return p
}

// lines returns the lines that the program prints until its end.
func (p *program) lines(t *testing.T) string {
	t.Helper()
	select {
	case <-p.Done:
	case <-time.After(patience):
		require.Fail(t, "the program hangs")
	}
	require.NoError(t, p.Status, p.Printed())
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
