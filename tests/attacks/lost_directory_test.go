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
	require.Less(t, s.loses(c, dir), 1200*time.Millisecond, "noticed within a second")
	reply, _ := c.Do("SET", "k", "w").(resptest.Error)
	require.True(t, strings.HasPrefix(string(reply), "MISCONF"), "%q", reply)
	require.IsType(t, []any{}, c.Do("CL.THROTTLE", "user", 1, 1, 60), "limiters go on in memory")
	require.Contains(t, s.Printed(), "append-only file cannot be written")

	s.regains(c, dir)
	require.FileExists(t, filepath.Join(dir, "appendonlydir", "appendonly.aof.manifest"))

	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-s.Done:
		require.Equal(t, 1, s.Cmd.ProcessState.ExitCode(), "the data could not be saved")
	case <-time.After(patience):
		require.Fail(t, "the server does not stop")
	}
}

// loses removes a directory that the server writes to, and returns how long the server takes to notice it. A busy machine may
// delay both, so the result is the best of some tries.
func (s *server) loses(c *resptest.Client, dir string) (least time.Duration) {
	least = time.Hour
	for try := range 10 {
		if try > 0 {
			s.regains(c, dir)
		}
		require.NoError(s.t, os.RemoveAll(dir))
		removed := time.Now()
		require.Eventually(s.t, func() bool { return s.info("aof_last_write_status") != "ok" }, patience, 10*time.Millisecond)
		if least = min(least, time.Since(removed)); least <= time.Second {
			break
		}
	}
	return least
}

// regains makes a lost directory again, and waits until the server writes to it.
func (s *server) regains(c *resptest.Client, dir string) {
	require.NoError(s.t, os.Mkdir(dir, 0o755))
	require.Eventually(s.t, func() bool { return c.Do("SET", "k", "x") == resptest.Simple("OK") }, patience, 10*time.Millisecond)
}
