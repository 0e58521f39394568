package strings

import (
	"cellserver/commands"
	"cellserver/store"
)

// MSET and MSETNX set several keys without expiry, in one step that is atomic. MSETNX sets nothing
// if one of the keys exists.
var (
	_ = commands.Register(&commands.Command{
		Name: "mset", Arity: -3, Flags: commands.Write | commands.DenyOOM, Keys: pairKeys.With("OW UPDATE"),
		Group: commands.GroupString,
		Tips:  []string{"request_policy:multi_shard", "response_policy:all_succeeded"}, Run: mset,
	})
	_ = commands.Register(&commands.Command{
		Name: "msetnx", Arity: -3, Flags: commands.Write | commands.DenyOOM,
		Keys: pairKeys.With("OW INSERT"), Group: commands.GroupString,
		Tips: []string{"request_policy:multi_shard", "response_policy:agg_min"}, Run: msetnx,
	})
)

// pairKeys are the key positions of alternating keys and values.
var pairKeys = commands.Keys{First: 1, Last: -1, Step: 2}

func mset(c *commands.Call) error {
	if len(c.Args)%2 == 0 {
		return commands.WrongArity(c.Cmd.FullName())
	}
	setPairs(c)
	return commands.ReplyOK(c)
}

func msetnx(c *commands.Call) error {
	if len(c.Args)%2 == 0 {
		return commands.WrongArity(c.Cmd.FullName())
	}
	for i := 1; i < len(c.Args); i += 2 {
		if e := c.Tx.Write(c.Args[i]); e.Exists() {
			c.Out.Int(0)
			return nil
		}
	}
	setPairs(c)
	c.Out.Int(1)
	return nil
}

func setPairs(c *commands.Call) {
	for i := 1; i < len(c.Args); i += 2 {
		e := c.Tx.Write(c.Args[i])
		e.SetBytes(c.Args[i+1], store.NoExpiry)
		c.Notify(commands.StringEvents, "set", c.Args[i])
	}
}
