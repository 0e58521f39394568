package commands

import (
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestPubsub(t *testing.T) {
	h := newHarness(t)
	a, b := h.client(t), h.client(t)
	a.all("SUBSCRIBE news sport")
	b.all("SUBSCRIBE news")
	a.all("PSUBSCRIBE n* s*")
	b.all("PSUBSCRIBE n*")
	h.want("PUBSUB CHANNELS", []string{"news", "sport"})
	h.want("PUBSUB CHANNELS s*", []string{"sport"})
	h.want("PUBSUB CHANNELS a b", Error("ERR unknown subcommand or wrong number of arguments for 'CHANNELS'. Try PUBSUB HELP."))
	h.want("PUBSUB NUMSUB news sport x", []any{"news", 2, "sport", 1, "x", 0})
	h.want("PUBSUB NUMSUB", []any{})
	h.want("PUBSUB NUMPAT", 2)
	require.Contains(t, h.do("PUBSUB HELP"), resptest.Simple("NUMPAT"))
}
