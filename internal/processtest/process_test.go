package processtest

import (
	"io"
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

func TestAwaitData(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	asked := make(chan int, 3)
	go func() {
		for n, reply := range []string{"-LOADING the dataset\r\n", "", "-NOAUTH say who you are\r\n"} {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = nc.Read(make([]byte, 64))
			_, _ = io.WriteString(nc, reply)
			nc.Close()
			asked <- n
		}
	}()
	Start(t, exec.Command("sleep", "1000")).AwaitData(ln.Addr().String())
	for n := range 3 {
		require.Equal(t, n, <-asked)
	}
}

func TestInstalled(t *testing.T) {
	require.NotEmpty(t, Installed(t, "sh"))
}
