package attacks

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// A client repeated an unknown command, EVALSHA, for ever: 409,152 requests a minute. The server
// searched each argument to its end and formatted the error in up to 24 steps, each with its
// allocations. Now a rejected command reads only the bytes that its error quotes.
func TestRejectedCommands(t *testing.T) {
	attacks := map[string][]byte{
		"small":      resptest.Command("EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "1", "key", "1"),
		"large":      resptest.Command("EVALSHA", strings.Repeat("x", 16<<10), "1"),
		"subcommand": resptest.Command("CLIENT", strings.Repeat("x", 1<<10)),
		"arity":      resptest.Command("GET"),
	}
	ours, redis := start(t), startRedis(t)
	ours.guard(512 << 20)
	for name, request := range attacks {
		t.Run(name, func(t *testing.T) {
			n := rounds(100_000, 1_000_000)
			if name == "large" {
				n /= 10
			}
			our, real := ours.reject(request, n), redis.reject(request, n)
			t.Logf("CPU per rejected command: %v, Redis %v", our, real)
			require.Less(t, our, 2*real+2*time.Microsecond)
		})
	}
	ours.alive()
	require.Less(t, strings.Count(ours.dial().Do("INFO", "errorstats").(string), "errorstat_"), 5)
}

// reject sends a request n times in pipelines of 32, and returns the server's CPU time for one of
// them.
func (s *server) reject(request []byte, n int) time.Duration {
	s.t.Helper()
	const depth = 32
	c := s.dial()
	pipeline := bytes.Repeat(request, depth)
	before := s.cpu()
	for range n / depth {
		c.Write(pipeline)
		for range depth {
			_, isError := c.Recv().(resptest.Error)
			require.True(s.t, isError)
		}
	}
	return (s.cpu() - before) / time.Duration(n)
}

// cpu returns the CPU time that the process has used.
func (s *server) cpu() time.Duration {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Cmd.Process.Pid))
	require.NoError(s.t, err)
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')'):]))
	var ticks time.Duration
	for _, field := range fields[12:14] { // utime and stime
		n, err := strconv.ParseInt(field, 10, 64)
		require.NoError(s.t, err)
		ticks += time.Duration(n)
	}
	return ticks * (time.Second / 100)
}
