package pubsub

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestSubscribe(t *testing.T) {
	h := servertest.New(t)
	c := h.NewClient(t)
	require.Equal(t, []any{[]any{"subscribe", "a", int64(1)}, []any{"subscribe", "b", int64(2)}, []any{"subscribe", "a", int64(2)}}, c.All("SUBSCRIBE a b a"))
	require.Equal(t, []any{[]any{"psubscribe", "a*", int64(3)}}, c.All("PSUBSCRIBE a*"))
	h.Want("PUBLISH a hello", 2)
	require.Equal(t, []any{[]any{"message", "a", "hello"}, []any{"pmessage", "a*", "a", "hello"}}, c.TakePushes())
	h.Want("PUBLISH c hello", 0)

	c.Want("GET k", commands.Error("ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"))
	c.Want("PING", []string{"pong", ""})
	c.Want("PING x", []string{"pong", "x"})
	line := h.Do("CLIENT LIST TYPE pubsub")
	require.Contains(t, line, "id=2 ")
	require.Contains(t, line, " flags=P db=0 sub=2 psub=1 ")

	require.Equal(t, []any{[]any{"unsubscribe", "x", int64(3)}, []any{"unsubscribe", "b", int64(2)}}, c.All("UNSUBSCRIBE x b"))
	require.Equal(t, []any{[]any{"unsubscribe", "a", int64(1)}}, c.All("UNSUBSCRIBE"))
	require.Equal(t, []any{[]any{"unsubscribe", resptest.NilBulk, int64(1)}}, c.All("UNSUBSCRIBE"))
	require.Equal(t, []any{[]any{"punsubscribe", "a*", int64(0)}}, c.All("PUNSUBSCRIBE"))
	h.Want("PUBLISH a hello", 0)
	c.Want("GET k", nil)
}

// TestSubscribeToShards: confirmations count the channels of shards alone.
func TestSubscribeToShards(t *testing.T) {
	h := servertest.New(t)
	c := h.NewClient(t)
	require.Equal(t, []any{[]any{"subscribe", "a", int64(1)}}, c.All("SUBSCRIBE a"))
	require.Equal(t, []any{[]any{"ssubscribe", "a", int64(1)}, []any{"ssubscribe", "b", int64(2)}}, c.All("SSUBSCRIBE a b"))
	h.Want("PUBLISH a x", 1)
	h.Want("SPUBLISH b x", 1)
	require.Equal(t, []any{[]any{"message", "a", "x"}, []any{"smessage", "b", "x"}}, c.TakePushes())
	require.Equal(t, []any{[]any{"unsubscribe", "a", int64(0)}}, c.All("UNSUBSCRIBE"))
	require.Contains(t, c.Do("GET k"), "Can't execute 'get'")
	require.Equal(t, []any{[]any{"sunsubscribe", "b", int64(1)}}, c.All("SUNSUBSCRIBE b"))
	require.Equal(t, []any{[]any{"sunsubscribe", "a", int64(0)}}, c.All("SUNSUBSCRIBE"))
	require.Equal(t, []any{[]any{"sunsubscribe", resptest.NilBulk, int64(0)}}, c.All("SUNSUBSCRIBE"))
	c.Want("GET k", nil)
	c.Do("MULTI")
	c.Do("SSUBSCRIBE a")
	c.Do("SPUBLISH a x")
	c.Want("EXEC", []any{errInMulti, 0})
	c.Want("EVAL 'return redis.call(\"spublish\", \"a\", \"x\")' 0", 0)
}

func TestSubscribeRESP3(t *testing.T) {
	h := servertest.New(t)
	h.Do("HELLO 3")
	require.Equal(t, []any{resptest.Push{"subscribe", "a", int64(1)}}, h.All("SUBSCRIBE a"))
	h.Want("GET k", nil)
	require.Equal(t, []any{int64(1), resptest.Push{"message", "a", "me"}}, h.All("PUBLISH a me"))
	h.Do("RESET")
	h.Want("PUBLISH a x", 0)
}

func TestSubscribersLeave(t *testing.T) {
	h := servertest.New(t)
	c := h.NewClient(t)
	c.All("SUBSCRIBE a b")
	c.All("PSUBSCRIBE a* b*")
	c.State.Closed()
	h.Want("PUBLISH a x", 0)
	require.Equal(t, "0", h.Info("stats")["pubsub_channels"])
	require.Equal(t, "0", h.Info("stats")["pubsub_patterns"])
}

// TestClientTrackingRedirectToSubscriber: a RESP2 client gets the messages of a REDIRECT as
// messages of a channel.
func TestClientTrackingRedirectToSubscriber(t *testing.T) {
	h := servertest.New(t)
	target := h.NewClient(t)
	h.Want("CLIENT TRACKING ON REDIRECT 2", ok)
	h.Do("GET a")
	h.Do("INCR a")
	require.Empty(t, target.TakePushes(), "not subscribed yet")
	target.Do("SUBSCRIBE __redis__:invalidate")
	h.Do("GET a")
	h.Do("INCR a")
	require.Equal(t, []any{[]any{"message", "__redis__:invalidate", []any{"a"}}}, target.TakePushes())
}

func TestSubscriptionsAreBounded(t *testing.T) {
	h := servertest.New(t, "--client-query-buffer-limit", "1mb")
	name := make([]byte, 100_000)
	for _, command := range []string{"SUBSCRIBE", "PSUBSCRIBE"} {
		for i := range 5 {
			name[0] = byte(i)
			h.Send(resptest.Command(command, name))
			h.Session.Sent()
		}
	}
	require.Equal(t, resp.Continue, h.Status)
	h.All("UNSUBSCRIBE")
	require.Equal(t, 5*(len(name)+128), h.State.Conn().Subs.Bytes)
	for i := 5; h.Status == resp.Continue; i++ {
		name[0] = byte(i)
		h.Send(resptest.Command("PSUBSCRIBE", name))
		h.Session.Sent()
	}
	require.Equal(t, resp.Close, h.Status)
	require.Less(t, h.State.Conn().Subs.Bytes, 1_200_000)
	h.State.Closed()
	require.Zero(t, h.State.Conn().Subs.Bytes)
}

// TestSubscriptionsInExecAreBounded: EXEC hides no subscription over the bound. Its client is closed after the reply.
func TestSubscriptionsInExecAreBounded(t *testing.T) {
	h := servertest.New(t, "--client-query-buffer-limit", "1mb")
	h.Do("HELLO 3") // a subscribed client of RESP2 sends no MULTI
	name, sent := make([]byte, 100_000), 0
	for ; h.Status == resp.Continue && sent < 20; sent++ {
		name[0] = byte(sent)
		h.Want("MULTI", ok)
		h.Send(resptest.Command("SUBSCRIBE", name))
		h.Session.Sent()
		require.Len(t, h.Do("EXEC"), 1)
	}
	require.Equal(t, resp.Close, h.Status)
	require.Equal(t, 1<<20/(len(name)+128)+1, sent)
}

// TestShardSubscriptionsAreBounded: names of SSUBSCRIBE count alone, and together with channels. A name counts once.
func TestShardSubscriptionsAreBounded(t *testing.T) {
	for name, commands := range map[string][]string{"alone": {"SSUBSCRIBE"}, "with channels": {"SUBSCRIBE", "SSUBSCRIBE"}} {
		t.Run(name, func(t *testing.T) {
			h := servertest.New(t, "--client-query-buffer-limit", "1mb")
			name, sent := make([]byte, 60_000), 0
			for ; h.Status == resp.Continue; sent++ {
				name[0] = byte(sent)
				for range 2 {
					h.Send(resptest.Command(commands[sent%len(commands)], name))
					h.Session.Sent()
				}
			}
			require.Equal(t, resp.Close, h.Status)
			require.Equal(t, 1<<20/(len(name)+128)+1, sent, "the client is closed at the first name over the bound")
			require.Equal(t, sent*(len(name)+128), h.State.Conn().Subs.Bytes)
			h.State.Closed()
			require.Zero(t, h.State.Conn().Subs.Bytes)
		})
	}
}

func TestConfirmationsDespiteClientReply(t *testing.T) {
	for _, proto := range []string{"2", "3"} {
		h := servertest.New(t)
		h.Do("HELLO", proto)
		h.Silent("CLIENT REPLY OFF")
		require.Len(t, h.All("SUBSCRIBE a b"), 2)
		require.Len(t, h.All("UNSUBSCRIBE"), 2)
		require.Len(t, h.All("PUNSUBSCRIBE"), 1)
		h.Silent("MULTI")
		h.Silent("PSUBSCRIBE a*")
		h.Silent("PUNSUBSCRIBE")
		require.Len(t, h.All("EXEC"), 2)
		h.Want("CLIENT REPLY ON", ok)
		h.Silent("CLIENT REPLY SKIP")
		require.Len(t, h.All("SUBSCRIBE a"), 1)
		require.Len(t, h.All("UNSUBSCRIBE a"), 1)
	}
}
