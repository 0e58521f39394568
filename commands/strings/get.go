package strings

import (
	"cellserver/commands"
	"cellserver/store"
)

// GET key replies with the string of a key, or null if the key is absent.
var _ = commands.Register(&commands.Command{
	Name: "get", Arity: 2, Flags: commands.ReadOnly | commands.Fast | commands.Linear, Keys: commands.OneKey, Group: commands.GroupString, Since: "1.0.0",
	Summary: "Get the value of a key", Usage: "key", Complexity: "O(1)", Run: get,
})

func get(c *commands.Call) error {
	e := c.Tx.Read(c.Args[1])
	return replyString(c, &e)
}

// replyString replies with the string of an entry, null if the entry is absent. The error is
// [commands.ErrWrongType], or [commands.TakesLong].
func replyString(c *commands.Call, e *store.Entry) error {
	switch e.Kind() {
	case store.None:
		c.Out.Null()
	case store.Int:
		c.Out.BulkInt(e.Int())
	case store.Raw:
		return replyRaw(c, e.Bytes(nil))
	default:
		return commands.ErrWrongType
	}
	return nil
}

func replyRaw(c *commands.Call, b []byte) error {
	if err := c.TakesBytes(len(b)); err != nil {
		return err
	}
	c.Out.Bulk(b)
	return nil
}
