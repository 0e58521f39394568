package strings

import (
	"cellserver/commands"
	"cellserver/store"
)

// GET key replies with the string of a key, or null if the key is absent.
var _ = commands.Register(&commands.Command{
	Name: "get", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
	Group: commands.GroupString, Run: get, Cost: commands.CostOfValue,
})

func get(c *commands.Call) error {
	e := c.Tx.Read(c.Args[1])
	return replyString(c, &e)
}

// replyString replies with the string of an entry, null if the entry is absent. The error is
// [commands.ErrWrongType].
func replyString(c *commands.Call, e *store.Entry) error {
	switch e.Kind() {
	case store.None:
		c.Out.Null()
	case store.Int:
		c.Out.BulkInt(e.Int())
	case store.Raw:
		c.Out.Bulk(e.Bytes(nil))
	default:
		return commands.ErrWrongType
	}
	return nil
}
