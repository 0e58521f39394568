package attacks

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// A client guessed 930,000 passwords a second, and nothing recorded it. Redis does not limit this,
// either. Now 10 attempts of an address may fail in a minute (auth-fail-limit). ACL LOG shows them.
func TestGuessedPasswords(t *testing.T) {
	s := start(t, "--requirepass", "sec", "--maxmemory", "16mb") // what the guard compares with: it may not ask
	s.guard(512 << 20)
	c := s.dial()
	var wrong, limited, guesses int
	begun := time.Now()
	for time.Since(begun) < time.Second {
		var pipeline strings.Builder
		for i := range 100 {
			pipeline.Write(resptest.Command("AUTH", fmt.Sprint("guess", guesses+i)))
		}
		c.Write([]byte(pipeline.String()))
		for range 100 {
			guesses++
			switch reply := c.Recv().(resptest.Error); {
			case strings.HasPrefix(string(reply), "WRONGPASS "):
				wrong++
			case strings.HasPrefix(string(reply), "ERR too many failed attempts to authenticate from this address: try again in "):
				limited++
			}
		}
	}
	t.Logf("%d guesses in a second: %d compared, %d refused", guesses, wrong, limited)
	require.Equal(t, guesses, wrong+limited)
	require.GreaterOrEqual(t, wrong, 10)
	require.LessOrEqual(t, wrong, 10+int(time.Since(begun)/(6*time.Second)), "one more every six seconds")
	require.IsType(t, resptest.Error(""), c.Do("AUTH", "sec"), "a right guess says nothing")
	require.Contains(t, c.Do("HELLO", 3, "AUTH", "default", "sec"), "too many failed attempts")

	other := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	nc, err := other.Dial("tcp", s.addr)
	require.NoError(t, err)
	admin := resptest.New(t, nc)
	require.Equal(t, resptest.Simple("OK"), admin.Do("AUTH", "sec"), "other addresses are not limited")
	log := admin.Do("ACL", "LOG").([]any)
	require.Len(t, log, 1)
	require.Equal(t, []any{"count", int64(wrong), "reason", "auth", "context", "toplevel", "object", "AUTH", "username", "default"}, log[0].([]any)[:10])
	require.Contains(t, s.Printed(), "too many failed attempts to authenticate")
}
