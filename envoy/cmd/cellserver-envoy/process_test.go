package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asProgram is a variable that makes the test binary the program.
const asProgram = "RATELIMIT_TEST_RUNS_THE_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestNobodyReadsTheLog: the program that read it has ended. The service goes on, and ends with a signal.
func TestNobodyReadsTheLog(t *testing.T) {
	ports, folder := freePorts(t, 3), t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asProgram+"=1", "LOG_LEVEL=info", "USE_STATSD=false", "USE_PROMETHEUS=false",
		"DISABLE_STATS=true", "RUNTIME_ROOT="+folder, "RUNTIME_SUBDIRECTORY=r", "RUNTIME_WATCH_ROOT=false",
		"HOST=127.0.0.1", "GRPC_HOST=127.0.0.1", "DEBUG_HOST=127.0.0.1", fmt.Sprintf("PORT=%d", ports[0]),
		fmt.Sprintf("GRPC_PORT=%d", ports[1]), fmt.Sprintf("DEBUG_PORT=%d", ports[2]))
	file := filepath.Join(folder, "r", "config", "a.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(rules), 0o600))
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stderr = writer
	require.NoError(t, cmd.Start())
	require.NoError(t, writer.Close())
	answers := func(path, text string) func() bool {
		return func() bool {
			reply, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d%s", ports[2], path))
			if err != nil {
				return false
			}
			defer reply.Body.Close()
			shown, err := io.ReadAll(reply.Body)
			return err == nil && strings.Contains(string(shown), text)
		}
	}
	require.Eventually(t, answers("/rlconfig", "shop"), time.Minute, 20*time.Millisecond)
	require.NoError(t, reader.Close())
	next := strings.ReplaceAll(rules, "shop", "other") // the log has a line about it
	require.NoError(t, os.WriteFile(file, []byte(next), 0o600))
	require.Eventually(t, answers("/rlconfig", "other"), time.Minute, 20*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
}
