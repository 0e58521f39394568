package connection

import (
	"slices"

	"cellserver/commands"
)

// PING [message] replies PONG, or the message. For a subscribed RESP2 client the reply has the form
// of a message.
var _ = commands.Register(&commands.Command{
	Name: "ping", Arity: -1, Flags: commands.Fast | commands.WhileSubscribed,
	Group: commands.GroupConnection, Tips: commands.AllShardsSucceed, Run: ping,
})

func ping(c *commands.Call) error {
	if len(c.Args) > 2 {
		return commands.WrongArity("ping")
	}
	if c.Conn.Subs.Subscribed() && c.Out.Proto == 2 {
		c.Out.Array(2)
		c.Out.BulkString("pong")
		c.Out.Bulk(slices.Concat(c.Args[1:]...))
		return nil
	}
	if len(c.Args) == 1 {
		c.Out.Simple("PONG")
		return nil
	}
	c.Out.Bulk(c.Args[1])
	return nil
}
