package strings

import "cellserver/commands"

// GETDEL key replies with the string of a key, or null, and deletes the key.
var _ = commands.Register(&commands.Command{
	Name: "getdel", Arity: 2, Flags: commands.Write | commands.Fast,
	Keys: commands.OneKey.With("RW ACCESS DELETE"), Group: commands.GroupString, Run: getdel,
	Cost: commands.CostOfValue,
})

func getdel(c *commands.Call) error {
	e := c.Tx.Read(c.Args[1])
	if err := replyString(c, &e); err != nil {
		return err
	}
	if e.Delete() {
		c.Notify(commands.GenericEvents, "del", c.Args[1])
	}
	return nil
}
