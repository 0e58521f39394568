package attacks

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestManyArguments sends commands of more than 1,048,576 arguments. Before, the server refused
// their header, and Redis 7 does not.
func TestManyArguments(t *testing.T) {
	for name, s := range map[string]*server{"cellserver": start(t), "redis": startRedis(t)} {
		t.Run(name, func(t *testing.T) {
			s.guard(1 << 30)
			const count = 1<<20 + 1
			request := fmt.Appendf(nil, "*%d\r\n$6\r\nEXISTS\r\n", count)
			request = append(request, bytes.Repeat([]byte("$1\r\nk\r\n"), count-1)...)
			c := s.dial()
			c.Do("SET", "k", "v")
			c.Write(request)
			require.Equal(t, int64(count-1), c.Recv())

			c.Write([]byte("*2147483648\r\n"))
			require.Equal(t, resptest.Error("ERR Protocol error: invalid multibulk length"), c.Recv())
		})
	}
}

// TestEndlessArguments sends empty arguments without an end. The bookkeeping of an argument takes
// more memory than its six bytes on the wire. It counts for client-query-buffer-limit.
func TestEndlessArguments(t *testing.T) {
	const limit = 16 << 20
	s := start(t, "--client-query-buffer-limit", fmt.Sprint(limit))
	s.guard(256 << 20)
	empty := bytes.Repeat([]byte("$0\r\n\r\n"), 10_000)
	_, more := s.peak(func() {
		nc := s.connect()
		require.NoError(t, nc.SetDeadline(time.Now().Add(patience)))
		_, err := nc.Write([]byte("*2147483647\r\n"))
		for sent := 0; err == nil && sent < 2*limit; sent += len(empty) {
			_, err = nc.Write(empty)
		}
		if err == nil {
			_, err = io.ReadAll(nc)
		}
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server closes the connection")
	})
	require.Less(t, more, int64(2*limit))
	s.alive()
}
