package commands

import (
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

const isQueued = resptest.Simple("QUEUED")

func TestMulti(t *testing.T) {
	h := newHarness(t)
	h.want("MULTI", ok)
	h.want("MULTI", errNestedMulti)
	h.want("INCR a", isQueued)
	h.want("EXEC", []any{1})
	h.want("MULTI now", wrongArity("multi").(Error))
}

func TestMultiIsBounded(t *testing.T) {
	h := newHarness(t, "--client-query-buffer-limit", "1mb")
	h.want("MULTI", ok)
	for h.status == resp.Continue {
		h.send(resptest.Command("SET", "k", make([]byte, 100_000)))
		h.session.Sent()
	}
	require.Equal(t, resp.Close, h.status)
	require.Less(t, h.state.multi.bytes, 1_300_000)
}
