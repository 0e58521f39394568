package attacks

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// outputLimit is client-output-buffer-limit in these tests, in bytes.
const outputLimit = 10 << 20

// queuedCommand is what a queued command takes beside its bytes.
const queuedCommand = 150

// TestOutputLimit asks for replies far beyond client-output-buffer-limit with a few kilobytes of requests. Before, the
// server checked the limit only when a reply was complete: with a limit of 10 MB, MGET of one big value 500 times took
// more than 4 GB and ended the server, and so did the same inside EXEC. Redis closes such a client at 21 MB. Now the
// writer knows the limit while it writes: the client is closed, and memory stays within the limit and 1 MB, plus the
// garbage collector's share.
func TestOutputLimit(t *testing.T) {
	s := start(t, "--client-output-buffer-limit", fmt.Sprintf("normal %d 0 0", outputLimit), "--appendonly", "no")
	s.guard(512 << 20)
	fill(s)
	count := rounds(500, 5000)
	for name, request := range map[string][]byte{
		"MGET":        resptest.Command(append([]any{"MGET"}, repeat("big", count)...)...),
		"one value":   resptest.Command("GET", "huge"),
		"MULTI GET":   transaction(count, "GET", "big"),
		"MULTI DUMP":  transaction(count, "DUMP", "big"),
		"ZRANGE":      resptest.Command("ZRANGE", "set", 0, -1, "WITHSCORES"),
		"ZRANDMEMBER": resptest.Command("ZRANDMEMBER", "set", -60_000_000),
		"KEYS":        resptest.Command("KEYS", "*"),
		"ECHOs":       transaction(8, "ECHO", strings.Repeat("x", 2<<20)),
	} {
		t.Run(name, func(t *testing.T) {
			before, took := s.peak(func() {
				nc := s.connect()
				_, err := nc.Write(request)
				require.NoError(t, err)
				got := readAll(t, nc)
				require.Empty(t, strings.ReplaceAll(strings.TrimPrefix(got, "+OK\r\n"), "+QUEUED\r\n", ""))
			})
			// The collector may keep garbage of the size of what lives. The queue of MULTI lives: its requests, and some
			// bytes for each command.
			require.Less(t, took, int64(2*(outputLimit+1<<20+len(request)+count*queuedCommand)), "beyond %d MB", before>>20)
			s.alive()
		})
	}
	require.Contains(t, s.Printed(), "client-output-buffer-limit")
	require.Equal(t, "0", s.info("command_panics"))
	require.Equal(t, 1<<20, len(s.dial().Do("GET", "big").(string)), "a reply within the limit")
}

// fill sets a value of 1 MB, one of 30 MB, a set whose members take 15 MB, and 15 MB of keys.
func fill(s *server) {
	c := s.dial()
	c.Do("SETRANGE", "big", 1<<20-1, "x")
	c.Do("SETRANGE", "huge", 30<<20, "x")
	for batch := range 100 {
		add, set := []any{"ZADD", "set"}, []any{"MSET"}
		for n := range 1000 {
			name := fmt.Sprintf("%0150d", batch*1000+n)
			add, set = append(add, n, name), append(set, name, "")
		}
		c.Do(add...)
		c.Do(set...)
	}
}

// repeat returns an argument several times.
func repeat(arg any, times int) (args []any) {
	for range times {
		args = append(args, arg)
	}
	return args
}

// transaction returns MULTI, a command several times, and EXEC.
func transaction(times int, command ...any) []byte {
	b := resptest.Command("MULTI")
	for range times {
		b = append(b, resptest.Command(command...)...)
	}
	return append(b, resptest.Command("EXEC")...)
}

// peak returns the resident memory before f, and how much more the server took at most during f.
func (s *server) peak(f func()) (before, more int64) {
	s.t.Helper()
	s.dial().Do("MEMORY", "PURGE")
	reset := fmt.Sprintf("/proc/%d/clear_refs", s.Cmd.Process.Pid)
	require.NoError(s.t, os.WriteFile(reset, []byte("5"), 0)) // VmHWM begins anew
	before, _ = s.memory()
	f()
	_, peak := s.memory()
	s.t.Logf("%d MB, %d MB more at most", before>>20, (peak-before)>>20)
	return before, peak - before
}
