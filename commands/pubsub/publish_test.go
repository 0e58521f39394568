package pubsub

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPublish(t *testing.T) {
	h := servertest.New(t)
	h.Want("PUBLISH news hello", 0)
	a, b := h.NewClient(t), h.NewClient(t)
	a.Do("SUBSCRIBE news")
	a.Do("PSUBSCRIBE n*")
	b.Do("SUBSCRIBE news")
	h.Want("PUBLISH news hello", 3)
	require.Equal(t, []any{[]any{"message", "news", "hello"}, []any{"pmessage", "n*", "news", "hello"}}, a.TakePushes())
	require.Equal(t, []any{[]any{"message", "news", "hello"}}, b.TakePushes())
	h.Want("PUBLISH NEWS hello", 0)
	a.Do("SSUBSCRIBE news")
	h.Want("SPUBLISH news hello", 1)
	require.Equal(t, []any{[]any{"smessage", "news", "hello"}}, a.TakePushes())
	h.Want("PUBLISH news", commands.WrongArity("publish").(commands.Error))
}
