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

// TestPingWhileSubscribed: a subscribed RESP2 client gets the reply of PING in the form of a
// message.
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
