package commands

// SELECT index chooses the database that the client's further commands work on.
var _ = register(&Command{
	Name: "select", Arity: 2, Flags: Loading | Stale | Fast, Group: Connection, Since: "1.0.0",
	Summary: "Change the selected database for the current connection", Usage: "index", Complexity: "O(1)", Run: selectDB,
})

func selectDB(c *Call) error {
	n, err := c.Int32(1)
	switch {
	case err != nil:
		return err
	case n != 0 && c.Server.Config().ClusterEnabled:
		return errSelectInCluster
	case !c.hasDatabase(n):
		return errDBRange
	}
	c.Client.db = n
	return replyOK(c)
}
