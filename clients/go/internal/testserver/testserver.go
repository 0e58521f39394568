// Package testserver builds and starts the server of this tree for tests. It takes no locks of its own.
package testserver

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// A Server is a running server.
type Server struct {
	URL     string // for clients of Redis
	Web     string // the address of its HTTP listener
	Process *os.Process
}

// program returns the path of the server: the environment names it, or the first call builds it.
var program = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("CELLSERVER"); path != "" {
		return path, nil
	}
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "../../../..")
	path := filepath.Join(root, "tests/.cache/cellserver")
	build := exec.Command("go", "build", "-o", path, "./cmd/cellserver")
	build.Dir, build.Stderr = root, os.Stderr
	return path, build.Run()
})

// Start starts a server with an empty database. It ends with the test.
func Start(t testing.TB, directives ...string) *Server {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	port, web := strconv.Itoa(porttest.Free(t)), strconv.Itoa(porttest.Free(t))
	directives = append(directives, "--port", port, "--http-port", web, "--enable-debug-command", "yes", "--appendonly", "no", "--dir", t.TempDir())
	process := exec.Command(path, directives...)
	require.NoError(t, process.Start())
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	require.Eventually(t, func() bool { return answers("127.0.0.1:" + port) }, time.Minute, 10*time.Millisecond)
	return &Server{URL: "redis://127.0.0.1:" + port, Web: "http://127.0.0.1:" + web, Process: process.Process}
}

// answers reports whether a server answers PING.
func answers(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	defer conn.Close()
	_, err = conn.Write([]byte("PING\r\n"))
	if err != nil {
		return false
	}
	reply, err := bufio.NewReader(conn).ReadString('\n')
	return err == nil && reply == "+PONG\r\n"
}
