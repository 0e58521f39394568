package attacks

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUnfinishedCommands lets many clients send a command of 400,000 arguments at the same time, piece by piece. Their
// buffers and lists of arguments grow at the same time, too. A bystander usually waits for one or two turns of the
// loop. A turn begins no further long batch after half a megabyte of work. New memory counts, too.
func TestUnfinishedCommands(t *testing.T) {
	const args = 400_000
	request := fmt.Appendf(nil, "*%d\r\n", args)
	request = append(request, bytes.Repeat([]byte("$1\r\nx\r\n"), args)...)
	redis := sendSlowly(t, startRedis(t), request)
	s := start(t)
	s.guard(2 << 30)
	p99 := sendSlowly(t, s, request)
	memory := memoryTime(t, 32<<20) // the lists of arguments grow meanwhile
	require.Less(t, p99-memory, max(300*time.Millisecond, 3*redis/2), "the bound of Redis is for a machine that does other things")
}

// sendSlowly sends a request by many clients at the same time. It returns the PING latency of a
// bystander that 99 of 100 PINGs keep.
func sendSlowly(t *testing.T, s *server, request []byte) time.Duration {
	var all []net.Conn
	for range rounds(50, 100) {
		all = append(all, s.connect())
	}
	other := s.watch()
	var sending sync.WaitGroup
	for _, nc := range all {
		sending.Go(func() {
			nc.Write(request)
			nc.SetReadDeadline(time.Now().Add(2 * time.Minute)) // the machine may be busy
			reply, err := bufio.NewReader(nc).ReadString('\n')
			assert.NoError(t, err)
			assert.True(t, strings.HasPrefix(reply, "-ERR unknown command"), reply)
			nc.Close()
		})
	}
	sending.Wait()
	p50, p99, longest := other.waits()
	t.Logf("%s: PING p50 %v, p99 %v, longest %v", s.Cmd.Path, p50, p99, longest)
	s.alive()
	return p99
}
