package connection

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

func TestPing(t *testing.T) {
	h := servertest.New(t)
	h.Want("PING", resptest.Simple("PONG"))
	h.Want(`PING "a b"`, "a b")
	h.Want("PING a b", commands.WrongArity("ping").(commands.Error))
}

// A RESP2 client that subscribed gets messages only, so that the answer is one.
func TestPingWhileSubscribed(t *testing.T) {
	h := servertest.New(t)
	h.Do("SUBSCRIBE a")
	h.Want("PING", []string{"pong", ""})
	h.Want("PING x", []string{"pong", "x"})

	modern := h.NewClient(t)
	modern.Do("HELLO 3")
	modern.All("SUBSCRIBE a")
	modern.Want("PING", resptest.Simple("PONG"))
}
