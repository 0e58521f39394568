package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPublish(t *testing.T) {
	h := newHarness(t)
	h.want("PUBLISH news hello", 0)
	a, b := h.client(t), h.client(t)
	a.do("SUBSCRIBE news")
	a.do("PSUBSCRIBE n*")
	b.do("SUBSCRIBE news")
	h.want("PUBLISH news hello", 3)
	require.Equal(t, []any{[]any{"message", "news", "hello"}, []any{"pmessage", "n*", "news", "hello"}}, a.told())
	require.Equal(t, []any{[]any{"message", "news", "hello"}}, b.told())
	h.want("PUBLISH NEWS hello", 0)
	h.want("PUBLISH news", wrongArity("publish").(Error))
}
