package commands

// What cluster mode, which has one database, refuses.
const (
	errSelectInCluster Error = "ERR SELECT is not allowed in cluster mode"
	errMoveInCluster   Error = "ERR MOVE is not allowed in cluster mode"
	errSwapInCluster   Error = "ERR SWAPDB is not allowed in cluster mode"
	errCopyInCluster   Error = "ERR Copying to another database is not allowed in cluster mode"
)

// database parses argument i as the number of a database that there is.
func (c *Call) database(i int) (int, error) {
	n, err := c.Int32(i)
	if err == nil && !c.hasDatabase(n) {
		err = errDBRange
	}
	return n, err
}

func (c *Call) hasDatabase(n int) bool { return n >= 0 && n < c.Server.Store.Databases() }

// existsIn reports whether a database has a key.
func (c *Call) existsIn(db int, key []byte) bool {
	was := c.Tx.DB()
	defer c.Tx.Select(was)
	c.Tx.Select(db)
	e := c.Tx.Peek(key)
	return e.Exists()
}
