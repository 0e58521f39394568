package admin

import "cellserver/commands"

// LOLWUT [VERSION version] replies with the Redis version, without the art of Redis.
var _ = commands.Register(&commands.Command{
	Name: "lolwut", Arity: -1, Flags: commands.ReadOnly | commands.Fast, Group: commands.GroupServer,
	Run: lolwut,
})

func lolwut(c *commands.Call) error {
	if len(c.Args) > 2 && commands.Is(c.Args[1], "version") {
		if _, err := c.Int(2); err != nil {
			return err
		}
	}
	c.Out.Verbatim("txt", "Redis ver. "+commands.RedisVersion+"\n")
	return nil
}
