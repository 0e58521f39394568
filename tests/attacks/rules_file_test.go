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

// TestAFIFOAsRulesFile replaces the rules-file by a pipe that nobody writes. Before, the background round opened the pipe
// and never came back: no key expired, no idle client was closed, and SIGTERM did not end the process. Now the pipe is refused,
// the rules stay in force, and rounds go on.
func TestAFIFOAsRulesFile(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "pipe")
	require.NoError(t, os.WriteFile(file, []byte("rules:\n  r:\n    limits: CL.WINDOW 10 60\n"), 0o600))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	s := start(t, "--rules-file", file, "--appendonly", "no", "--enable-protected-configs", "yes")
	s.guard(256 << 20)
	c := s.dial()
	require.Equal(t, resptest.Error("ERR CONFIG SET failed (possibly related to argument 'rules-file') - rules-file "+pipe+
		": not a regular file: choose a regular file"), c.Do("CONFIG", "SET", "rules-file", pipe))
	require.NoError(t, os.Rename(pipe, file))
	require.Eventually(t, func() bool {
		return strings.Contains(s.out.String(), "the rules-file is refused")
	}, patience, 10*time.Millisecond)
	require.Equal(t, resptest.Simple("OK"), c.Do("SET", "k", "v", "PX", "1"))
	require.Eventually(t, func() bool { return c.Do("DBSIZE") == int64(0) }, patience, 10*time.Millisecond,
		"the background round removes what has expired")
	require.Equal(t, int64(10), c.Do("CL.CHECK", "r", "k").([]any)[1], "the rules stay in force")
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-s.done:
		require.NoError(t, s.status)
	case <-time.After(patience):
		require.Fail(t, "the server does not stop")
	}
}
