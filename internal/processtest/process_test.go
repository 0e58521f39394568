package processtest

import (
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAProcess(t *testing.T) {
	var lines strings.Builder
	cmd := exec.Command("sh", "-c", "echo one; echo two >&2; exit 3")
	cmd.Stdout = &lines
	p := Start(t, cmd)
	<-p.Done
	require.EqualError(t, p.Status, "exit status 3")
	require.Equal(t, "one\n", lines.String())
	require.Equal(t, "two\n", p.Printed())

	p = Start(t, exec.Command("sleep", "1000"))
	p.Stop(syscall.SIGTERM)
	require.EqualError(t, p.Status, "signal: terminated")
}

func TestAwait(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	Start(t, exec.Command("sleep", "1000")).Await(ln.Addr().String())
}

func TestInstalled(t *testing.T) {
	require.NotEmpty(t, Installed(t, "sh"))
}
