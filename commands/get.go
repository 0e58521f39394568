package commands

import "cellserver/store"

// GET key replies with the string, or null.
var _ = register(&Command{
	Name: "get", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey, Group: String, Since: "1.0.0",
	Summary: "Get the value of a key", Usage: "key", Complexity: "O(1)", Run: get,
})

func get(c *Call) error {
	e := c.Tx.Read(c.Args[1])
	return c.replyString(&e)
}

// replyString replies with the string of an entry, null when it is absent.
func (c *Call) replyString(e *store.Entry) error {
	switch e.Kind() {
	case store.None:
		c.Out.Null()
	case store.Int:
		c.Out.BulkInt(e.Int())
	case store.Raw:
		c.Out.Bulk(e.Bytes(nil))
	default:
		return errWrongType
	}
	return nil
}
