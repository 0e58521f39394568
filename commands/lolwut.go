package commands

// LOLWUT [VERSION version] shows the version; the art is Redis's.
var _ = register(&Command{
	Name: "lolwut", Arity: -1, Flags: ReadOnly | Fast, Group: ServerGroup, Since: "5.0.0",
	Summary: "Display some computer art and the Redis version", Usage: "[VERSION version]", Run: lolwut,
})

func lolwut(c *Call) error {
	if len(c.Args) > 2 && is(c.Args[1], "version") {
		if _, err := c.Int(2); err != nil {
			return err
		}
	}
	c.Out.Verbatim("txt", "Redis ver. "+RedisVersion+"\n")
	return nil
}
