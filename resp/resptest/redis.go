package resptest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// SocketPath returns a path for a unix socket. Its directory is empty, and is removed at the end of the test.
// A path in t.TempDir may be too long for a socket.
func SocketPath(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "socket")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// StartRedis starts redis-server until the end of the test, and returns the path of its unix socket. The
// server saves nothing. args are further arguments ("--requirepass", "x"). Without redis-server on the PATH,
// the test is skipped.
func StartRedis(t testing.TB, args ...string) string {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not installed: nothing to compare with")
	}
	socket := SocketPath(t)
	dir := filepath.Dir(socket)
	cmd := exec.Command(program, append([]string{"--port", "0", "--unixsocket", socket, "--save", "", "--dir", dir}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("redis-server: %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	var log strings.Builder
	for lines.Scan() {
		log.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "now ready to accept connections") {
			// Redis must not block on a full pipe.
			go func() {
				for lines.Scan() {
				}
			}()
			return socket
		}
	}
	t.Fatalf("redis-server did not start:\n%s", log.String())
	return ""
}
