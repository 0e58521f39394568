package transactions

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestMulti(t *testing.T) {
	h := servertest.New(t)
	h.Want("MULTI", ok)
	h.Want("MULTI", errNestedMulti)
	h.Want("INCR a", servertest.Queued)
	h.Want("EXEC", []any{1})
	h.Want("MULTI now", commands.WrongArity("multi").(commands.Error))
}

func TestMultiIsBounded(t *testing.T) {
	h := servertest.New(t, "--client-query-buffer-limit", "1mb")
	h.Want("MULTI", ok)
	for h.Status == resp.Continue {
		h.Send(resptest.Command("SET", "k", make([]byte, 100_000)))
		h.Session.Sent()
	}
	require.Equal(t, resp.Close, h.Status)
	require.Less(t, h.State.Conn().Transaction.Queue.Bytes, 1_300_000)
}
