package commands

// RESET makes the connection as new: no transaction, no watched keys, database 0, RESP2,
// not authenticated, no name, no tracking, not a monitor, replies on.
var _ = register(&Command{
	Name: "reset", Arity: 1, Flags: connectionFlags | Fast | NoAuth | AllowBusy | Immediate | whileSubscribed, Group: Connection, Since: "6.2.0",
	Summary: "Reset the connection", Complexity: "O(1)", Run: reset, Footprint: watchedFootprint,
})

func reset(c *Call) error {
	client := c.Client
	client.multi.reset()
	if c.Tx != nil {
		c.Tx.Unwatch(&client.watcher)
	}
	c.Server.tracking.stop(client)
	c.Server.monitors.remove(client)
	client.unsubscribeAll()
	client.db = 0
	client.setName("")
	client.reply = replyOn
	client.authed = c.Server.Config().RequirePass == ""
	client.setProto(c.Out, 2)
	c.Out.Simple("RESET")
	return nil
}
