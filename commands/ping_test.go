package commands

import (
	"testing"

	"cellserver/resp/resptest"
)

func TestPing(t *testing.T) {
	h := newHarness(t)
	h.want("PING", resptest.Simple("PONG"))
	h.want(`PING "a b"`, "a b")
	h.want("PING a b", wrongArity("ping").(Error))
}

// A RESP2 client that subscribed gets messages only, so that the answer is one.
func TestPingWhileSubscribed(t *testing.T) {
	h := newHarness(t)
	h.do("SUBSCRIBE a")
	h.want("PING", []string{"pong", ""})
	h.want("PING x", []string{"pong", "x"})

	modern := h.client(t)
	modern.do("HELLO 3")
	modern.all("SUBSCRIBE a")
	modern.want("PING", resptest.Simple("PONG"))
}
