package strings

import (
	"cellserver/commands"
	"cellserver/store"
)

// APPEND key value appends a value to the string of a key and replies with the new length in bytes.
// An absent key is an empty string. The key keeps its expiry.
var _ = commands.Register(&commands.Command{
	Name: "append", Arity: 3, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.OneKey.With("RW INSERT"), Group: commands.GroupString, Run: appendTo,
	Cost: func(c *commands.Call) int { return commands.CostOfValue(c) / growth },
})

func appendTo(c *commands.Call) error {
	value := c.Args[2]
	e := c.Tx.Write(c.Args[1])
	if err := commands.CheckString(&e); err != nil {
		return err
	}
	if !e.Exists() {
		e.SetBytes(value, store.NoExpiry)
		c.Notify(commands.StringEvents, "append", c.Args[1])
		c.Out.Int(int64(len(value)))
		return nil
	}
	n := stringLen(&e)
	if err := checkLength(c, n, len(value)); err != nil {
		return err
	}
	c.Out.Int(int64(e.SetRange(n, value)))
	c.Notify(commands.StringEvents, "append", c.Args[1])
	return nil
}

// growth is a part of the work of APPEND: few of them have to copy the whole string to a larger room.
const growth = 8

// stringLen returns the length in bytes of the string that an entry holds.
func stringLen(e *store.Entry) int {
	var digits [20]byte
	return len(e.Bytes(digits[:0]))
}

// checkLength returns an error if a string of before+more bytes exceeds proto-max-bulk-len.
func checkLength(c *commands.Call, before, more int) error {
	if limit := int(c.Server.Config().ProtoMaxBulkLen); before > limit-more {
		return commands.ErrTooLong
	}
	return nil
}
