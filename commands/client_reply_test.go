package commands

import "testing"

func TestClientReply(t *testing.T) {
	h := newHarness(t)
	h.silent("CLIENT REPLY OFF")
	h.silent("PING")
	h.silent("NOSUCH")
	h.silent("CLIENT REPLY SKIP")
	h.silent("PING")
	h.want("CLIENT REPLY ON", ok)
	h.silent("CLIENT REPLY SKIP")
	h.silent("INCR k")
	h.want("GET k", "1")
	h.silent("CLIENT REPLY SKIP")
	h.want("CLIENT REPLY ON", ok)
	h.want("CLIENT REPLY x", errSyntax)
	h.want("CLIENT REPLY", Error("ERR wrong number of arguments for 'client|reply' command"))
	h.silent("CLIENT REPLY OFF")
	h.do("RESET")
	h.want("GET k", "1")
}
