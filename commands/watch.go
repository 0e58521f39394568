package commands

// WATCH makes EXEC conditional on its keys staying as they are; UNWATCH forgets them.
var (
	_ = register(&Command{
		Name: "watch", Arity: -2, Flags: connectionFlags | Fast | AllowBusy | Immediate,
		Keys: allKeys.access("RO"), Group: Transaction, Since: "2.2.0",
		Summary: "Watch the given keys to determine execution of the MULTI/EXEC block", Usage: "key [key ...]",
		Complexity: "O(1) for every key.", Run: watch,
	})
	_ = register(&Command{
		Name: "unwatch", Arity: 1, Flags: connectionFlags | Fast | AllowBusy, Group: Transaction, Since: "2.2.0",
		Summary: "Forget about all watched keys", Complexity: "O(1)",
		Run: unwatch, Footprint: watchedFootprint,
	})
)

const errWatchInMulti Error = "ERR WATCH inside MULTI is not allowed"

func watch(c *Call) error {
	if c.Client.multi.active {
		return errWatchInMulti
	}
	for _, key := range c.Args[1:] {
		c.Tx.Watch(&c.Client.watcher, key)
	}
	if !c.Client.mayHold("watched keys", c.Client.watcher.Bytes()) {
		return closeConnection
	}
	return replyOK(c)
}

func unwatch(c *Call) error {
	if c.Tx != nil && c.Client.watcher.Watching() {
		c.Tx.Unwatch(&c.Client.watcher)
	}
	return replyOK(c)
}
