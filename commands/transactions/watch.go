package transactions

import "cellserver/commands"

// WATCH watches keys. If one of them changes before the next EXEC, that EXEC does nothing. UNWATCH
// unwatches all keys.
var (
	_ = commands.Register(&commands.Command{
		Name: "watch", Arity: -2,
		Flags: commands.ConnectionFlags | commands.Fast | commands.AllowBusy | commands.Immediate,
		Keys:  commands.AllKeys.With("RO"), Group: commands.GroupTransaction, Run: watch,
	})
	_ = commands.Register(&commands.Command{
		Name: "unwatch", Arity: 1, Flags: commands.ConnectionFlags | commands.Fast | commands.AllowBusy,
		Group: commands.GroupTransaction, Run: unwatch, Footprint: commands.WatchedFootprint,
		Cost: commands.CostOfWatched,
	})
)

const errWatchInMulti commands.Error = "ERR WATCH inside MULTI is not allowed"

func watch(c *commands.Call) error {
	if c.Conn.Transaction.Queue.Active {
		return errWatchInMulti
	}
	for _, key := range c.Args[1:] {
		c.Tx.Watch(&c.Conn.Transaction.Watcher, key)
	}
	if !c.MayHold("watched keys", c.Conn.Transaction.Watcher.Bytes()) {
		return commands.CloseConnection
	}
	return commands.ReplyOK(c)
}

func unwatch(c *commands.Call) error {
	if c.Tx != nil && c.Conn.Transaction.Watcher.Watching() {
		c.Tx.Unwatch(&c.Conn.Transaction.Watcher)
	}
	return commands.ReplyOK(c)
}
