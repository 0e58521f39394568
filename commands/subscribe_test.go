package commands

import (
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestSubscribe(t *testing.T) {
	h := newHarness(t)
	c := h.client(t)
	require.Equal(t, []any{[]any{"subscribe", "a", int64(1)}, []any{"subscribe", "b", int64(2)}, []any{"subscribe", "a", int64(2)}}, c.all("SUBSCRIBE a b a"))
	require.Equal(t, []any{[]any{"psubscribe", "a*", int64(3)}}, c.all("PSUBSCRIBE a*"))
	h.want("PUBLISH a hello", 2)
	require.Equal(t, []any{[]any{"message", "a", "hello"}, []any{"pmessage", "a*", "a", "hello"}}, c.told())
	h.want("PUBLISH c hello", 0)

	c.want("GET k", Error("ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"))
	c.want("PING", []string{"pong", ""})
	c.want("PING x", []string{"pong", "x"})
	line := h.do("CLIENT LIST TYPE pubsub")
	require.Contains(t, line, "id=2 ")
	require.Contains(t, line, " flags=P db=0 sub=2 psub=1 ")

	require.Equal(t, []any{[]any{"unsubscribe", "x", int64(3)}, []any{"unsubscribe", "b", int64(2)}}, c.all("UNSUBSCRIBE x b"))
	require.Equal(t, []any{[]any{"unsubscribe", "a", int64(1)}}, c.all("UNSUBSCRIBE"))
	require.Equal(t, []any{[]any{"unsubscribe", resptest.NilBulk, int64(1)}}, c.all("UNSUBSCRIBE"))
	require.Equal(t, []any{[]any{"punsubscribe", "a*", int64(0)}}, c.all("PUNSUBSCRIBE"))
	h.want("PUBLISH a hello", 0)
	c.want("GET k", nil)
}

func TestSubscribeRESP3(t *testing.T) {
	h := newHarness(t)
	h.do("HELLO 3")
	require.Equal(t, []any{resptest.Push{"subscribe", "a", int64(1)}}, h.all("SUBSCRIBE a"))
	h.want("GET k", nil)
	require.Equal(t, []any{int64(1), resptest.Push{"message", "a", "me"}}, h.all("PUBLISH a me"))
	h.do("RESET")
	h.want("PUBLISH a x", 0)
}

func TestSubscribersLeave(t *testing.T) {
	h := newHarness(t)
	c := h.client(t)
	c.all("SUBSCRIBE a b")
	c.all("PSUBSCRIBE a* b*")
	c.state.Closed()
	h.want("PUBLISH a x", 0)
	require.Empty(t, h.server.pubsub.channels)
	require.Empty(t, h.server.pubsub.patterns)
}

// A RESP2 client gets what others redirect to it as messages of a channel.
func TestClientTrackingRedirectToSubscriber(t *testing.T) {
	h := newHarness(t)
	target := h.client(t)
	h.want("CLIENT TRACKING ON REDIRECT 2", ok)
	h.do("GET a")
	h.do("INCR a")
	require.Empty(t, target.told(), "not subscribed yet")
	target.do("SUBSCRIBE __redis__:invalidate")
	h.do("GET a")
	h.do("INCR a")
	require.Equal(t, []any{[]any{"message", "__redis__:invalidate", []any{"a"}}}, target.told())
}

func TestSubscriptionsAreBounded(t *testing.T) {
	h := newHarness(t, "--client-query-buffer-limit", "1mb")
	name := make([]byte, 100_000)
	for _, command := range []string{"SUBSCRIBE", "PSUBSCRIBE"} {
		for i := range 5 {
			name[0] = byte(i)
			h.send(resptest.Command(command, name))
			h.session.Sent()
		}
	}
	require.Equal(t, resp.Continue, h.status)
	h.all("UNSUBSCRIBE")
	require.Equal(t, 5*(len(name)+subscribedBytes), h.state.subs.bytes)
	for i := 5; h.status == resp.Continue; i++ {
		name[0] = byte(i)
		h.send(resptest.Command("PSUBSCRIBE", name))
		h.session.Sent()
	}
	require.Equal(t, resp.Close, h.status)
	require.Less(t, h.state.subs.bytes, 1_200_000)
	h.state.Closed()
	require.Zero(t, h.state.subs.bytes)
}
