package attacks

import (
	"fmt"
	"os"
	"os/exec"
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
		return strings.Contains(s.Printed(), "the rules-file is refused")
	}, patience, 10*time.Millisecond)
	require.Equal(t, resptest.Simple("OK"), c.Do("SET", "k", "v", "PX", "1"))
	require.Eventually(t, func() bool { return c.Do("DBSIZE") == int64(0) }, patience, 10*time.Millisecond,
		"the background round removes what has expired")
	require.Equal(t, int64(10), c.Do("CL.CHECK", "r", "k").([]any)[1], "the rules stay in force")
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-s.Done:
		require.NoError(t, s.Status)
	case <-time.After(patience):
		require.Fail(t, "the server does not stop")
	}
}

// TestAnEmptyRulesFile empties the rules-file in the ways of deployment tools. Before, all limits were gone within a second, and
// --check-rules called such a file right. A file of the same size and time was never read again.
func TestAnEmptyRulesFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	rules := func(limit string) string { return "rules:\n  r:\n    limits: CL.WINDOW " + limit + " 60\n" }
	require.NoError(t, os.WriteFile(file, []byte(rules("10")), 0o600))
	s := start(t, "--rules-file", file, "--appendonly", "no")
	c := s.dial()
	refusals := func() int { return strings.Count(s.Printed(), "the rules-file is refused") }
	for _, text := range []string{"", "\n\n", "# nothing\n", "rules:\n", "{}", "rules:\n  r:\n    lim", "<html></html>"} {
		before := refusals()
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.Eventually(t, func() bool { return refusals() > before }, patience, 10*time.Millisecond, "%q", text)
		require.Equal(t, int64(10), c.Do("CL.CHECK", "r", "k", 0).([]any)[1], "the rules stay in force after %q", text)
		require.Contains(t, c.Do("INFO", "throttle"), "rules_failing:1")
		out, err := exec.Command(binary, "--check-rules", file).CombinedOutput()
		require.Error(t, err, "%s", out)
	}
	for _, limit := range []string{"11", "12"} {
		require.NoError(t, os.WriteFile(file, []byte(rules(limit)), 0o600))
		require.NoError(t, os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0)))
		require.Eventually(t, func() bool {
			return strings.Contains(fmt.Sprint(c.Do("CL.RULE", "LIST")), limit)
		}, patience, 10*time.Millisecond)
	}
	require.NoError(t, os.WriteFile(file, []byte("rules: {}\n"), 0o600))
	require.Eventually(t, func() bool { return strings.Contains(s.Printed(), "rules=0 gone=r") }, patience, 10*time.Millisecond)
	require.Empty(t, c.Do("CL.RULE", "LIST"))
}
