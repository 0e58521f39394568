package attacks

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestPasswordInTheProcessList reads what every user of the machine reads: the list of processes. Before, it had
// --requirepass with its value for as long as the server ran. Redis shows its title in place of the arguments.
func TestPasswordInTheProcessList(t *testing.T) {
	t.Setenv("CELLSERVER_MASTERAUTH", "s3cret-in-environ")
	for _, args := range [][]string{{"--requirepass", "s3cret"}, {"--requirepass=s3cret"}, {"--hz", "10", "--requirepass s3cret", "--timeout", "9"}} {
		s := start(t, args...)
		s.guard(512 << 20)
		s.requireHidden("cmdline", "s3cret")
		s.requireHidden("environ", "s3cret")
		c := s.dial()
		require.Equal(t, resptest.Simple("OK"), c.Do("AUTH", "s3cret"), "the server itself still knows it")
		require.Equal(t, []any{"requirepass", "s3cret"}, c.Do("CONFIG", "GET", "requirepass"))
		require.Equal(t, []any{"masterauth", "s3cret-in-environ"}, c.Do("CONFIG", "GET", "masterauth"))
		require.NotContains(t, s.Printed(), "visible")
	}
	redis := startRedis(t, "--requirepass", "s3cret")
	require.Equal(t, resptest.Simple("OK"), redis.dial().Do("AUTH", "s3cret"), "it listens before it sets its title")
	redis.requireHidden("cmdline", "s3cret")
}

// requireHidden requires that a file of /proc does not have a text.
func (s *server) requireHidden(file, text string) {
	s.t.Helper()
	shown, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.Cmd.Process.Pid, file))
	require.NoError(s.t, err)
	require.NotEmpty(s.t, shown)
	require.NotContains(s.t, strings.ReplaceAll(string(shown), "\x00", " "), text)
}
