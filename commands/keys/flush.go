package keys

import "cellserver/commands"

// FLUSHDB removes every key of the selected database, FLUSHALL every key of all databases. With
// ASYNC and with SYNC, the garbage collector frees the memory in another thread.
var (
	_ = commands.Register(&commands.Command{
		Name: "flushdb", Arity: -1, Flags: commands.Write | commands.WholeKeyspace,
		Group: commands.GroupServer, Categories: []string{"keyspace", "dangerous"},
		Tips: commands.AllShardsSucceed,
		Run:  func(c *commands.Call) error { return flush(c, c.Tx.DB(), c.Tx.DB()) },
	})
	_ = commands.Register(&commands.Command{
		Name: "flushall", Arity: -1, Flags: commands.Write | commands.WholeKeyspace,
		Group: commands.GroupServer, Categories: []string{"keyspace", "dangerous"},
		Tips: commands.AllShardsSucceed,
		Run: func(c *commands.Call) error {
			if err := flush(c, 0, c.Server.Store.Databases()-1); err != nil {
				return err
			}
			c.Conn.After.Once("flushall", c.Server.Disk.Flushed)
			return nil
		},
	})
)

// flush removes every key of the databases first to last.
func flush(c *commands.Call, first, last int) error {
	if n := len(c.Args); n > 2 || n == 2 && !commands.Is(c.Args[1], "async") && !commands.Is(c.Args[1], "sync") {
		return commands.ErrSyntax
	}
	was, changes := c.Tx.DB(), c.Tx.Changes()
	for db := first; db <= last; db++ {
		if c.Server.Store.Len(db) > 0 {
			c.Tx.Select(db)
			c.Tx.Flush()
		}
	}
	c.Tx.Select(was)
	if c.Tx.Changes() == changes {
		c.Server.Tracker.FlushedNothing(c.Conn)
	}
	return commands.ReplyOK(c)
}
