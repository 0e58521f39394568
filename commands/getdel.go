package commands

// GETDEL key removes a key and replies with the string it held, or null.
var _ = register(&Command{
	Name: "getdel", Arity: 2, Flags: Write | Fast, Keys: oneKey.access("RW ACCESS DELETE"), Group: String, Since: "6.2.0",
	Summary: "Get the value of a key and delete the key", Usage: "key",
	Complexity: "O(1)", Run: getdel,
})

func getdel(c *Call) error {
	e := c.Tx.Read(c.Args[1])
	if err := c.replyString(&e); err != nil {
		return err
	}
	e.Delete()
	return nil
}
