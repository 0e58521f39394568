package transactions

import "cellserver/commands"

// DISCARD drops the queued commands and unwatches all keys.
var _ = commands.Register(&commands.Command{
	Name: "discard", Arity: 1,
	Flags: commands.ConnectionFlags | commands.Fast | commands.AllowBusy | commands.Immediate,
	Group: commands.GroupTransaction, Run: discard, Footprint: commands.WatchedFootprint,
	Cost: commands.CostOfWatched,
})

const errDiscardNoMulti commands.Error = "ERR DISCARD without MULTI"

func discard(c *commands.Call) error {
	if !c.Conn.Transaction.Queue.Active {
		return errDiscardNoMulti
	}
	c.Conn.Transaction.Queue.Reset()
	return unwatch(c)
}
