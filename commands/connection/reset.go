package connection

import "cellserver/commands"

// RESET returns the connection to the state of a new connection. It ends the transaction, unwatches
// all keys, and ends tracking, MONITOR and all subscriptions. It selects database 0 and RESP2,
// drops the authentication and the name, switches replies on, and ends READONLY.
var _ = commands.Register(&commands.Command{
	Name: "reset", Arity: 1,
	Flags: commands.ConnectionFlags | commands.Fast | commands.NoAuth | commands.AllowBusy |
		commands.Immediate | commands.WhileSubscribed,
	Group: commands.GroupConnection, Run: reset, Footprint: commands.WatchedFootprint,
	Cost: func(c *commands.Call) int {
		return commands.CostOfWatched(c) + commands.SubscriptionSteps*c.Conn.Subs.Total()
	},
})

func reset(c *commands.Call) error {
	conn := c.Conn
	conn.Transaction.Queue.Reset()
	if c.Tx != nil {
		c.Tx.Unwatch(&conn.Transaction.Watcher)
	}
	c.Server.Tracker.Stop(conn)
	c.Server.Monitors.Remove(conn)
	c.Server.PubSub.Leave(conn)
	conn.DB = 0
	conn.Identity.Name = ""
	conn.Modes.Reply, conn.Modes.ReadOnly = commands.ReplyOn, false
	conn.Identity.User = c.Server.Users.Arriving()
	conn.Link.SetProto(c.Out, 2)
	c.Out.Simple("RESET")
	return nil
}
