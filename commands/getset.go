package commands

import "cellserver/store"

// GETSET key value sets a key that then stays for ever, and replies with the old
// string, or null.
var _ = register(&Command{
	Name: "getset", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: String, Since: "1.0.0",
	Deprecated: deprecation{"6.2.0", "`SET` with the `!GET` argument"},
	Summary:    "Set the string value of a key and return its old value", Usage: "key value",
	Complexity: "O(1)", Run: getset,
})

func getset(c *Call) error {
	e := c.Tx.Read(c.Args[1])
	if err := c.replyString(&e); err != nil {
		return err
	}
	e.SetBytes(c.Args[2], store.NoExpiry)
	return nil
}
