package commands

// FLUSHDB removes every key of the client's database, FLUSHALL of all databases. Memory
// is given back by the garbage collector, aside, whether ASYNC or SYNC is asked for.
var (
	_ = register(&Command{
		Name: "flushdb", Arity: -1, Flags: Write | Whole, Group: ServerGroup, Categories: []string{"keyspace", "dangerous"}, Since: "1.0.0",
		Summary: "Remove all keys from the current database", Usage: "[ASYNC | SYNC]",
		Complexity: "O(N) where N is the number of keys in the selected database",
		Tips:       allShardsSucceed,
		Run:        func(c *Call) error { return c.flush(c.Tx.DB(), c.Tx.DB()) },
	})
	_ = register(&Command{
		Name: "flushall", Arity: -1, Flags: Write | Whole, Group: ServerGroup, Categories: []string{"keyspace", "dangerous"}, Since: "1.0.0",
		Summary: "Remove all keys from all databases", Usage: "[ASYNC | SYNC]",
		Complexity: "O(N) where N is the total number of keys in all databases",
		Tips:       allShardsSucceed,
		Run: func(c *Call) error {
			if err := c.flush(0, c.Server.Store.Databases()-1); err != nil {
				return err
			}
			c.Client.after = c.Server.persistence.Flushed
			return nil
		},
	})
)

// flush removes every key of the databases from … to.
func (c *Call) flush(from, to int) error {
	if n := len(c.Args); n > 2 || n == 2 && !is(c.Args[1], "async") && !is(c.Args[1], "sync") {
		return errSyntax
	}
	was, changes := c.Tx.DB(), c.Tx.Changes()
	for db := from; db <= to; db++ {
		if c.Server.Store.Len(db) > 0 {
			c.Tx.Select(db)
			c.Tx.Flush()
		}
	}
	c.Tx.Select(was)
	if c.Tx.Changes() == changes {
		c.Server.tracking.flushedNothing(c.Client)
	}
	return replyOK(c)
}
