package commands

// MOVE key db moves a key with its expiry to another database, and replies whether it
// did: not when there is none, nor when that database has one of that name.
var _ = register(&Command{
	Name: "move", Arity: 3, Flags: Write | Fast, Keys: updatedKey, Group: Generic, Since: "1.0.0",
	Summary: "Move a key to another database", Usage: "key db", Complexity: "O(1)", Run: move,
})

func move(c *Call) error {
	if c.Server.Config().ClusterEnabled {
		return errMoveInCluster
	}
	db, err := c.database(2)
	if err != nil {
		return err
	}
	if db == c.Tx.DB() {
		return errSameObject
	}
	key := c.Args[1]
	e := c.Tx.Write(key)
	if !e.Exists() || c.existsIn(db, key) {
		c.Out.Int(0)
		return nil
	}
	e.MoveTo(db, key)
	c.Out.Int(1)
	return nil
}
