package strings

import "cellserver/commands"

// SETRANGE key offset value overwrites a part of a string and replies with the new length in bytes.
// A shorter string grows with zero bytes. The key keeps its expiry.
var _ = commands.Register(&commands.Command{
	Name: "setrange", Arity: 4, Flags: commands.Write | commands.DenyOOM,
	Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupString, Run: setrange,
	Cost: costOfSetrange,
})

const errOffset commands.Error = "ERR offset is out of range"

func setrange(c *commands.Call) error {
	offset, err := c.Int(2)
	if err != nil {
		return err
	}
	if offset < 0 {
		return errOffset
	}
	e := c.Tx.Write(c.Args[1])
	if err := commands.CheckString(&e); err != nil {
		return err
	}
	value := c.Args[3]
	if len(value) == 0 {
		c.Out.Int(int64(stringLen(&e)))
		return nil
	}
	if err := checkLength(c, int(offset), len(value)); err != nil {
		return err
	}
	c.Out.Int(int64(e.SetRange(int(offset), value)))
	c.Notify(commands.StringEvents, "setrange", c.Args[1])
	return nil
}

// costOfSetrange counts the bytes before the offset, because the string may have to grow.
func costOfSetrange(c *commands.Call) int {
	offset, _ := commands.ParseInt(c.Args[2])
	return commands.StepsOfBytes(int(max(offset, 0)))
}
