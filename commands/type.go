package commands

// TYPE key replies with the kind of value at a key: string, zset or none.
var _ = register(&Command{
	Name: "type", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey.access("RO"), Group: Generic, Since: "1.0.0",
	Summary: "Determine the type stored at key", Usage: "key", Complexity: "O(1)",
	Run: func(c *Call) error {
		e := c.Tx.Peek(c.Args[1])
		c.Out.Simple(e.Kind().Name())
		return nil
	},
})
