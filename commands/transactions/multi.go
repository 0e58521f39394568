package transactions

import "cellserver/commands"

// MULTI starts a transaction: the server queues all later commands until EXEC or DISCARD.
var _ = commands.Register(&commands.Command{
	Name: "multi", Arity: 1,
	Flags: commands.ConnectionFlags | commands.Fast | commands.AllowBusy | commands.Immediate,
	Group: commands.GroupTransaction,
	Run: func(c *commands.Call) error {
		q := &c.Conn.Transaction.Queue
		if q.Active {
			return errNestedMulti
		}
		q.Active = true
		return commands.ReplyOK(c)
	},
})

const errNestedMulti commands.Error = "ERR MULTI calls can not be nested"
