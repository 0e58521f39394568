package attacks

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestALostDataDirectory removes the data directory under the server. Before, nothing noticed it: every write was answered
// OK, aof_last_write_status was ok, and the exit code of a stop was 0, with all data gone. Now it is a failed disk.
func TestALostDataDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.Mkdir(dir, 0o755))
	s := start(t, "--dir", dir, "--appendonly", "yes")
	s.guard(256 << 20)
	c := s.dial()
	require.Equal(t, resptest.Simple("OK"), c.Do("SET", "k", "v"))
	require.NoError(t, os.RemoveAll(dir))
	removed := time.Now()
	for s.info("aof_last_write_status") == "ok" && time.Since(removed) < 5*time.Second {
		time.Sleep(10 * time.Millisecond) // the server looks in real time
	}
	require.Less(t, time.Since(removed), 1200*time.Millisecond, "noticed within a second")
	reply, _ := c.Do("SET", "k", "w").(resptest.Error)
	require.True(t, strings.HasPrefix(string(reply), "MISCONF"), "%q", reply)
	require.IsType(t, []any{}, c.Do("CL.THROTTLE", "user", 1, 1, 60), "limiters go on in memory")
	require.Contains(t, s.out.String(), "append-only file cannot be written")

	require.NoError(t, os.Mkdir(dir, 0o755))
	require.Eventually(t, func() bool { return c.Do("SET", "k", "x") == resptest.Simple("OK") }, 10*time.Second, 10*time.Millisecond)
	require.FileExists(t, filepath.Join(dir, "appendonlydir", "appendonly.aof.manifest"))

	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-s.done:
		require.Equal(t, 1, s.cmd.ProcessState.ExitCode(), "the data could not be saved")
	case <-time.After(10 * time.Second):
		require.Fail(t, "the server does not stop")
	}
}
