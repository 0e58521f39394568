package strings

import (
	"cellserver/commands"
	"cellserver/store"
)

// GETSET key value sets a key without expiry and replies with the old string, or null.
var _ = commands.Register(&commands.Command{
	Name: "getset", Arity: 3, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupString, Run: getset, Cost: commands.CostOfValue,
})

func getset(c *commands.Call) error {
	e := c.Tx.Read(c.Args[1])
	if err := replyString(c, &e); err != nil {
		return err
	}
	e.SetBytes(c.Args[2], store.NoExpiry)
	c.Notify(commands.StringEvents, "set", c.Args[1])
	return nil
}
