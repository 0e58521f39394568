package strings

import "cellserver/commands"

// STRLEN key replies with the length of a string in bytes, 0 if the key is absent.
var _ = commands.Register(&commands.Command{
	Name: "strlen", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey.With("RO"),
	Group: commands.GroupString, Run: strlen,
})

func strlen(c *commands.Call) error {
	e := c.Tx.Read(c.Args[1])
	if err := commands.CheckString(&e); err != nil {
		return err
	}
	c.Out.Int(int64(stringLen(&e)))
	return nil
}
