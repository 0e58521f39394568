package connection

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestClientReply(t *testing.T) {
	h := servertest.New(t)
	h.Silent("CLIENT REPLY OFF")
	h.Silent("PING")
	h.Silent("NOSUCH")
	h.Silent("CLIENT REPLY SKIP")
	h.Silent("PING")
	h.Want("CLIENT REPLY ON", ok)
	h.Silent("CLIENT REPLY SKIP")
	h.Silent("INCR k")
	h.Want("GET k", "1")
	h.Silent("CLIENT REPLY SKIP")
	h.Want("CLIENT REPLY ON", ok)
	h.Want("CLIENT REPLY x", commands.ErrSyntax)
	h.Want("CLIENT REPLY", commands.Error("ERR wrong number of arguments for 'client|reply' command"))
	h.Silent("CLIENT REPLY OFF")
	h.Do("RESET")
	h.Want("GET k", "1")
}
