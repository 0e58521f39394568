package pubsub

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestPubsub(t *testing.T) {
	h := servertest.New(t)
	a, b := h.NewClient(t), h.NewClient(t)
	a.All("SUBSCRIBE news sport")
	b.All("SUBSCRIBE news")
	a.All("PSUBSCRIBE n* s*")
	b.All("PSUBSCRIBE n*")
	h.Want("PUBSUB CHANNELS", []string{"news", "sport"})
	h.Want("PUBSUB CHANNELS s*", []string{"sport"})
	h.Want("PUBSUB CHANNELS a b", commands.Error("ERR unknown subcommand or wrong number of arguments for 'CHANNELS'. Try PUBSUB HELP."))
	h.Want("PUBSUB NUMSUB news sport x", []any{"news", 2, "sport", 1, "x", 0})
	h.Want("PUBSUB NUMSUB", []any{})
	h.Want("PUBSUB NUMPAT", 2)
	a.All("SSUBSCRIBE {news}1 {news}2")
	h.Want("PUBSUB SHARDCHANNELS", []string{"{news}1", "{news}2"})
	h.Want("PUBSUB SHARDCHANNELS *2", []string{"{news}2"})
	h.Want("PUBSUB SHARDNUMSUB {news}1 news", []any{"{news}1", 1, "news", 0})
	require.Equal(t, "2", h.Info("stats")["pubsubshard_channels"])
	require.Contains(t, h.Do("CLIENT LIST TYPE pubsub"), " sub=2 psub=2 ssub=2 ")
	require.Contains(t, h.Do("PUBSUB HELP"), resptest.Simple("NUMPAT"))
}
