package attacks

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// CLIENT REPLY removed the confirmations of SUBSCRIBE and UNSUBSCRIBE, and a client that counts its
// subscriptions waited for ever. Confirmations are messages: Redis 7.0 sends them in every mode of
// CLIENT REPLY. Every client gets the same messages from both servers now.
func TestConfirmationsDespiteClientReply(t *testing.T) {
	scripts := []string{
		"CLIENT REPLY OFF,SUBSCRIBE a b,PSUBSCRIBE a*,UNSUBSCRIBE a,PUNSUBSCRIBE,UNSUBSCRIBE,UNSUBSCRIBE,PING",
		"CLIENT REPLY SKIP,SUBSCRIBE a,PING,UNSUBSCRIBE a,CLIENT REPLY SKIP,PUNSUBSCRIBE,CLIENT REPLY SKIP,GET k,PING",
		"CLIENT REPLY OFF,MULTI,SUBSCRIBE a,PING,UNSUBSCRIBE a,EXEC",
	}
	ours, redis := start(t), startRedis(t)
	ours.guard(256 << 20)
	for _, proto := range []int{2, 3} {
		for _, script := range scripts {
			t.Run(fmt.Sprintf("RESP%d %s", proto, script), func(t *testing.T) {
				want := redis.replies(proto, script)
				require.Greater(t, len(want), 2)
				require.Equal(t, want, ours.replies(proto, script))
			})
		}
	}
}

// replies runs the commands of a script on a connection of its own, then CLIENT REPLY ON. It
// returns all that the client receives.
func (s *server) replies(proto int, script string) (all []any) {
	c := s.dial()
	c.Do("HELLO", proto)
	for command := range strings.SplitSeq(script+",CLIENT REPLY ON,ECHO end", ",") {
		var words []any
		for word := range strings.FieldsSeq(command) {
			words = append(words, word)
		}
		c.Send(words...)
	}
	for {
		reply := c.Recv()
		if reply == "end" {
			return all
		}
		if push, ok := reply.(resptest.Push); ok {
			reply = []any(push)
		}
		all = append(all, reply)
	}
}
